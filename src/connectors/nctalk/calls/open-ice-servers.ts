import { isIPv4 } from 'node:net';
import { openAddresses } from '../../../base/find-addresses.ts';
import { ICE_URL } from '../../../media/ice.ts';
import type { Reach } from '../signaling/hpb-session.ts';
import type { IceServer } from '../voice/talk-protocol.ts';

type Places = Pick<Reach, 'findAddresses' | 'isOpen'>;

/** URLs of a Nextcloud that are looked at. Administrators set up a few. */
const MAX_URLS = 16;

/**
 * Returns the STUN and TURN servers that a Nextcloud may have the gateway speak to, each by an address that was checked, in place of
 * its name. The others are left out, without a word: nobody shall learn what there is inside. Never rejects.
 */
export async function openIceServers(
  servers: readonly IceServer[],
  reach: Places,
): Promise<readonly IceServer[]> {
  const all = servers.flatMap(({ urls, ...login }) => urls.map((url) => ({ url, login }))).slice(0, MAX_URLS);
  const addresses = new Map<string, Promise<string | null>>();
  const found = await Promise.all(
    all.map(async ({ url, login }): Promise<IceServer[]> => {
      const host = ICE_URL.exec(url)?.[2];
      if (host === undefined) return [];
      const finding = addresses.get(host) ?? openAddress(host, reach);
      addresses.set(host, finding);
      const address = await finding;
      if (address === null) return [];
      const known = { ...login, urls: [url.replace(`:${host}`, `:${address}`)] };
      return [address === host ? known : { ...known, serverName: host }];
    }),
  );
  return found.flat();
}

/** Returns an IPv4 address; null: there is none, or none that may be spoken to. */
async function openAddress(host: string, { findAddresses, isOpen }: Places): Promise<string | null> {
  if (isIPv4(host)) return isOpen(host) ? host : null;
  const addresses = await openAddresses(findAddresses, isOpen, host).catch(() => []);
  return addresses.find(isIPv4) ?? null;
}
