import { randomBytes } from 'node:crypto';
import { allLoginConnections } from '../../store/logins/login-connections.ts';
import { requireVerifiedAddress } from '../people/verified-address.ts';
import type { Starter } from './connection-state.ts';
import type { Connections } from './connections.ts';
import { keepPairing } from './keep-pairing.ts';
import { openPaired } from './paired-connection.ts';
import type { PairingPlatform } from './start-pairing.ts';

const SECRET_BYTES = 32;

export interface WantedBot {
  readonly serverUrl: string;
  /** Shown to people at the server. */
  readonly name: string;
}

/** A bot to install. It works once an administrator of its server has done so. */
export interface AddedBot {
  readonly connectionId: string;
  readonly webhookUrl: string;
  /** Shown only now. */
  readonly secret: string;
  /** For the administrator's shell. */
  readonly installLine: string;
}

/**
 * Connects an account to a server by a bot that the server's administrator installs. The account's former connection to
 * the server, if it has one, becomes this bot's. Throws `server_invalid`, `email_not_verified`, `cap_reached`.
 */
export async function addInstalledBot(
  connections: Connections,
  { accountId, kind: credentialKind, credentialId }: Starter,
  { platform, pairing }: PairingPlatform,
  { serverUrl, name }: WantedBot,
): Promise<AddedBot> {
  const { installed } = pairing;
  const { server, host } = pairing.wanted(serverUrl);
  const secret = randomBytes(SECRET_BYTES).toString('hex');
  const cause = { accountId, credentialKind, credentialId, connectionId: null };
  const connectionId = await keepPairing(
    connections,
    { platform, pairing, server, cause, check: (trx) => requireVerifiedAddress(trx, accountId) },
    { label: `${name} (${host})`, personId: null, credentials: installed.credentialsFor(secret) },
  );
  const bot = { connectionId, name, secret, gatewayUrl: connections.publicUrl() };
  return {
    connectionId,
    webhookUrl: installed.webhookUrl(bot),
    secret,
    installLine: installed.installLine(bot),
  };
}

/** A bot of any account, for the platform bridge. */
export interface ListedBot {
  readonly connectionId: string;
  readonly server: string;
  readonly secret: string;
}

/** Returns the installed bots of all accounts at all platforms, by their ids. Those with unreadable secrets are left out. */
export async function listInstalledBots({
  connectors,
  store: { db, secrets },
}: Pick<Connections, 'connectors' | 'store'>): Promise<ListedBot[]> {
  const bots: ListedBot[] = [];
  for (const [platform, { provides }] of connectors) {
    if (provides.pairing === undefined) continue;
    const { installed } = provides.pairing;
    for await (const connection of allLoginConnections(db, platform)) {
      const paired = openPaired(secrets, connection);
      const secret = paired && installed.secretIn(paired.credentials);
      if (paired && secret) bots.push({ connectionId: paired.id, server: paired.server, secret });
    }
  }
  return bots;
}
