import { lookup, Resolver as SystemResolver } from 'node:dns/promises';

export interface SrvRecord {
  readonly name: string;
  readonly port: number;
  readonly priority: number;
  readonly weight: number;
}

export interface AddressRecord {
  readonly address: string;
  readonly ttlS: number;
}

/** RFC 3403 section 4. */
export interface NaptrRecord {
  readonly order: number;
  readonly preference: number;
  readonly flags: string;
  readonly service: string;
  readonly regexp: string;
  readonly replacement: string;
}

/** The DNS functions that the resolver needs; tests supply their own. */
export interface Dns {
  /** Rejects when there are no records. */
  naptr(name: string): Promise<NaptrRecord[]>;
  /** Rejects when there are no records. */
  srv(name: string): Promise<SrvRecord[]>;
  /** IPv4 first, then IPv6. Rejects when there are no records. */
  addresses(name: string): Promise<AddressRecord[]>;
}

const HOSTS_FILE_TTL_S = 60;

export function systemDns(): Dns {
  const resolver = new SystemResolver({ timeout: 2_000, tries: 3 });
  return {
    naptr: (name) => resolver.resolveNaptr(name),
    srv: (name) => resolver.resolveSrv(name),
    async addresses(name) {
      const found = await Promise.allSettled([
        resolver.resolve4(name, { ttl: true }),
        resolver.resolve6(name, { ttl: true }),
      ]);
      const records = found.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
      if (records.length > 0) return records.map(({ address, ttl }) => ({ address, ttlS: ttl }));
      // Names such as `localhost` are in the hosts file, which DNS servers do not know.
      return (await lookup(name, { all: true })).map(({ address }) => ({ address, ttlS: HOSTS_FILE_TTL_S }));
    },
  };
}
