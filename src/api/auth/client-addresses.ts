import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';

/**
 * Determines the client's IP address. Accepts `X-Forwarded-For` only from the reverse proxies that the operator trusts.
 */
export class ClientAddresses {
  /** Whether any proxy is trusted. */
  readonly trustsAny: boolean;
  readonly #trusted = new BlockList();

  /** `trustedProxies`: IP addresses and subnets (`10.0.0.0/8`). */
  constructor(trustedProxies: readonly string[]) {
    this.trustsAny = trustedProxies.length > 0;
    for (const proxy of trustedProxies) {
      const [address = '', prefix] = proxy.split('/');
      if (prefix === undefined) this.#trusted.addAddress(address, family(address));
      else this.#trusted.addSubnet(address, Number(prefix), family(address));
    }
  }

  /** Whether the operator trusts the proxy at this address. */
  isTrusted(address: string): boolean {
    return this.trustsAny && address !== '' && this.#trusted.check(address, family(address));
  }

  /** The client's address. `peer`: the other end of the connection. Returns IPv6 as eight groups, and '' if unknown. */
  of(peer: string, forwardedFor: string): string {
    let address = plainAddress(peer);
    if (!this.trustsAny) return address;
    let hops = forwardedFor;
    while (this.isTrusted(address)) {
      const comma = hops.lastIndexOf(',');
      const next = plainAddress(hops.slice(comma + 1).trim());
      if (next === '') break;
      address = next;
      hops = comma < 0 ? '' : hops.slice(0, comma);
    }
    return address;
  }
}

/** Normalizes an address: IPv4 (also if mapped to IPv6), or IPv6 as eight groups; '' for anything else. */
export function plainAddress(text: string): string {
  if (isIPv4(text)) return text;
  if (!isIPv6(text)) return '';
  // The URL parser normalizes IPv6. It does not accept zones (`%eth0`).
  const groups = groupsOf(new URL(`http://[${text.split('%')[0]}]/`).hostname.slice(1, -1));
  return groups.slice(0, 6).join(':') === '0:0:0:0:0:ffff' ? ipv4Of(groups) : groups.join(':');
}

function groupsOf(compressed: string): string[] {
  const [before = '', after] = compressed.split('::');
  const left = before === '' ? [] : before.split(':');
  if (after === undefined) return left;
  const right = after === '' ? [] : after.split(':');
  return [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right];
}

function ipv4Of(groups: readonly string[]): string {
  const bytes = groups.slice(6).flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
  return bytes.join('.');
}

function family(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}
