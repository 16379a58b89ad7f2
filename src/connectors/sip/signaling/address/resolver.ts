import { randomInt } from 'node:crypto';
import { LimitedMap } from '../../../../base/limited-map.ts';
import { literalIn } from '../../../../base/public-address.ts';
import { answeredWithin, type Clock, settledWithin } from '../../../../base/time.ts';
import type { Destination, SipProtocol } from '../transport/wire.ts';
import type { Dns, NaptrRecord, SrvRecord } from './dns.ts';

/** The trunk's host as configured by its owner. */
export interface ServerName {
  readonly host: string;
  readonly port: number;
  readonly protocol: SipProtocol;
}

/** A domain whose transports are not known yet. */
export interface SipDomain {
  readonly host: string;
  /** Null: the domain's services say which. */
  readonly port: number | null;
  /** The transports that may be used, the best first. */
  readonly protocols: readonly SipProtocol[];
}

/** SIP over one transport, as a domain offers it. */
interface SipService {
  readonly protocol: SipProtocol;
  /** Name of its SRV records. */
  readonly name: string;
}

/** Services in NAPTR records (RFC 3263 section 4.1). */
const PROTOCOLS: Readonly<Record<string, SipProtocol>> = {
  'SIPS+D2T': 'tls',
  'SIP+D2T': 'tcp',
  'SIP+D2U': 'udp',
};

/** One place to look for servers. */
interface Target {
  readonly protocol: SipProtocol;
  readonly name: string;
  readonly port: number;
}

/** A server's current destinations, best first, and how long they are valid. */
export interface Resolution {
  readonly destinations: readonly Destination[];
  readonly ttlMs: number;
}

const DEADLINE_MS = 8_000;
/** Some routers drop NAPTR queries. SRV records are asked for without them then. */
const NAPTR_DEADLINE_MS = 2_000;
const MIN_TTL_MS = 5_000;
const MAX_TTL_MS = 3_600_000;
const FOREVER_MS = 24 * 3_600_000;
const MAX_CACHED = 1_024;
/** How long an expired answer is reused while the DNS fails. */
const STALE_MS = 30_000;
const MAX_DESTINATIONS = 16;

const late = (): Error => new Error('DNS did not answer in time');

/** RFC 3263, with a cache. */
export class Resolver {
  readonly #dns: Dns;
  readonly #clock: Clock;
  readonly #cache = new LimitedMap<{ resolution: Resolution; untilMs: number }>(MAX_CACHED);
  readonly #pending = new Map<string, Promise<Resolution>>();

  constructor(dns: Dns, clock: Clock) {
    this.#dns = dns;
    this.#clock = clock;
  }

  /**
   * Resolves a name for a known transport, so NAPTR is not needed (section 4.1). An IP address is used as it is. A name with
   * the default port is looked up as SRV, then as A/AAAA; a name with another port as A/AAAA only. Rejects when nothing is
   * found within 8 s and there is no earlier result.
   */
  async resolve(name: ServerName): Promise<Resolution> {
    const { host, port, protocol } = name;
    const literal = literalIn(host);
    if (literal !== null)
      return { destinations: [{ protocol, host: literal, port, serverName: host }], ttlMs: FOREVER_MS };
    return this.#find(host, [{ protocol, name: host, port }], isDefaultPort(name));
  }

  /**
   * Locates a domain's servers, whatever transport they speak: NAPTR, SRV, and A/AAAA on the default ports if there is
   * neither; with a port, A/AAAA only (section 4). Rejects like `resolve`.
   */
  locate({ host, port, protocols }: SipDomain): Promise<Resolution> {
    const atHost = protocols.map((protocol) => ({
      protocol,
      name: host,
      port: port ?? defaultPort(protocol),
    }));
    return this.#find(host, atHost, port === null);
  }

  /** Looks for services and, if there are none or `isService` is false, for servers at the host itself. */
  async #find(host: string, atHost: readonly Target[], isService: boolean): Promise<Resolution> {
    const places = atHost.map(({ protocol, port }) => `${protocol}:${port}`);
    const key = `${host.toLowerCase()} ${places.join()} ${isService}`;
    const cached = this.#cache.get(key);
    if (cached !== undefined && this.#clock.monotonicMs() < cached.untilMs) return cached.resolution;
    const lookUp = (): Promise<Resolution> =>
      isService ? this.#services(host, atHost) : this.#addresses(host, atHost);
    const pending = this.#pending.get(key) ?? this.#refresh(key, lookUp, cached?.resolution ?? null);
    this.#pending.set(key, pending);
    return pending;
  }

  /** Looks a name up once for all concurrent callers. While the DNS fails, the previous result is kept. */
  async #refresh(
    key: string,
    lookUp: () => Promise<Resolution>,
    former: Resolution | null,
  ): Promise<Resolution> {
    try {
      const resolution = await answeredWithin(this.#clock, DEADLINE_MS, late, lookUp);
      this.#remember(key, resolution);
      return resolution;
    } catch (error) {
      if (former === null) throw error;
      const stale = { ...former, ttlMs: STALE_MS };
      this.#remember(key, stale);
      return stale;
    } finally {
      this.#pending.delete(key);
    }
  }

  async #services(host: string, atHost: readonly Target[]): Promise<Resolution> {
    const protocols = atHost.map(({ protocol }) => protocol);
    const services = await this.#servicesOf(host, protocols);
    const srv = await Promise.all(services.map(({ name }) => this.#dns.srv(name).catch(() => [])));
    if (srv.every((records) => records.length === 0)) return this.#addresses(host, atHost);
    const targets = services.flatMap(({ protocol }, index) => serversIn(srv[index]!, protocol));
    if (targets.length === 0) throw new Error(`${host} does not offer SIP over ${protocols.join(' or ')}`);
    return this.#addresses(host, targets);
  }

  /** The services to ask for: those in NAPTR records, or else all under their usual names. */
  async #servicesOf(host: string, protocols: readonly SipProtocol[]): Promise<readonly SipService[]> {
    const usual = protocols.map((protocol) => usualService(host, protocol));
    if (protocols.length === 1) return usual;
    let named: SipService[] = [];
    const asked = this.#dns.naptr(host).then((records) => {
      named = namedServices(records).filter(({ protocol }) => protocols.includes(protocol));
    });
    await settledWithin(this.#clock, NAPTR_DEADLINE_MS, [asked]);
    return named.length > 0 ? named : usual;
  }

  /** `host`: the name that certificates must carry, wherever the records lead (RFC 5922 section 4). */
  async #addresses(host: string, targets: readonly Target[]): Promise<Resolution> {
    const names = [...new Set(targets.map(({ name }) => name))];
    const found = await Promise.allSettled(names.map((name) => this.#dns.addresses(name)));
    const destinations = targets.flatMap(({ protocol, name, port }) => {
      const result = found[names.indexOf(name)]!;
      const records = result.status === 'fulfilled' ? result.value : [];
      return records.map(({ address }) => ({ protocol, host: address, port, serverName: host }));
    });
    if (destinations.length === 0) throw new Error(`no address found for ${host}`);
    const ttls = found.flatMap((result) =>
      result.status === 'fulfilled' ? result.value.map((record) => record.ttlS * 1000) : [],
    );
    const ttlMs = Math.min(MAX_TTL_MS, Math.max(MIN_TTL_MS, Math.min(...ttls)));
    return { destinations: destinations.slice(0, MAX_DESTINATIONS), ttlMs };
  }

  #remember(key: string, resolution: Resolution): void {
    this.#cache.set(key, { resolution, untilMs: this.#clock.monotonicMs() + resolution.ttlMs });
  }
}

/** A single target "." means that the service is explicitly not available (RFC 2782). */
function serversIn(records: readonly SrvRecord[], protocol: SipProtocol): Target[] {
  const servers = records.filter(({ name }) => name !== '.' && name !== '');
  return orderByWeight(servers).map(({ name, port }) => ({ protocol, name, port }));
}

function isDefaultPort({ port, protocol }: ServerName): boolean {
  return port === 5060 || (protocol === 'tls' && port === 5061);
}

/** Sorts by priority and, within a priority, draws randomly by weight (RFC 2782). */
export function orderByWeight(
  records: readonly SrvRecord[],
  draw: (below: number) => number = randomInt,
): SrvRecord[] {
  const byPriority = Map.groupBy(records, (record) => record.priority);
  const priorities = [...byPriority.keys()].sort((a, b) => a - b);
  return priorities.flatMap((priority) => drawAll([...byPriority.get(priority)!], draw));
}

function drawAll(records: SrvRecord[], draw: (below: number) => number): SrvRecord[] {
  const ordered: SrvRecord[] = [];
  while (records.length > 0) {
    // Weight 0 retains a small chance.
    let left = draw(records.reduce((sum, record) => sum + record.weight * 100 + 1, 0));
    const index = records.findIndex((record) => {
      left -= record.weight * 100 + 1;
      return left < 0;
    });
    ordered.push(...records.splice(index, 1));
  }
  return ordered;
}

function defaultPort(protocol: SipProtocol): number {
  return protocol === 'tls' ? 5061 : 5060;
}

/** Returns the service under its usual name (RFC 3263 section 4.1). */
function usualService(host: string, protocol: SipProtocol): SipService {
  return { protocol, name: protocol === 'tls' ? `_sips._tcp.${host}` : `_sip._${protocol}.${host}` };
}

/**
 * Returns the services that NAPTR records name: TLS first, whatever the domain prefers, because nobody on the way may read
 * what is dialled; the others in the domain's order.
 */
function namedServices(records: readonly NaptrRecord[]): SipService[] {
  const services = records
    .filter(({ flags, regexp, replacement }) => /^s$/i.test(flags) && regexp === '' && replacement !== '')
    .toSorted((a, b) => a.order - b.order || a.preference - b.preference)
    .flatMap(({ service, replacement }) => {
      const protocol = PROTOCOLS[service.toUpperCase()];
      return protocol === undefined ? [] : [{ protocol, name: replacement }];
    });
  return services.toSorted((a, b) => Number(b.protocol === 'tls') - Number(a.protocol === 'tls'));
}
