import { randomInt } from 'node:crypto';
import { isIP } from 'node:net';
import { LimitedMap } from '../../../../base/limited-map.ts';
import type { Clock } from '../../../../base/time.ts';
import { settledWithin } from '../../../../base/waits.ts';
import type { Destination, SipProtocol } from '../transport/wire.ts';
import type { Dns, SrvRecord } from './dns.ts';
import { defaultPort, namedServices, type SipService, usualService } from './sip-services.ts';

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
    const literal = name.host.replace(/^\[|\]$/g, '');
    if (isIP(literal) !== 0) return { destinations: [literalDestination(name, literal)], ttlMs: FOREVER_MS };
    const key = `${name.protocol}:${name.host.toLowerCase()}:${name.port}`;
    return this.#cached(key, () => this.#lookUp(name));
  }

  /**
   * Locates a domain's servers, whatever transport they speak: NAPTR, SRV, and A/AAAA on the default ports if there is
   * neither; with a port, A/AAAA only (section 4). Rejects like `resolve`.
   */
  locate(domain: SipDomain): Promise<Resolution> {
    const key = `${domain.protocols.join()}:${domain.host.toLowerCase()}:${domain.port ?? ''}`;
    return this.#cached(key, () => this.#lookUpDomain(domain));
  }

  async #cached(key: string, lookUp: () => Promise<Resolution>): Promise<Resolution> {
    const cached = this.#cache.get(key);
    if (cached !== undefined && this.#clock.monotonicMs() < cached.untilMs) return cached.resolution;
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
      const resolution = await this.#withDeadline(lookUp());
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

  async #lookUp(name: ServerName): Promise<Resolution> {
    const { host, port, protocol } = name;
    const srv = isDefaultPort(name) ? await this.#srv(usualService(host, protocol)) : [];
    if (srv.length === 0) return this.#addresses(host, [{ protocol, name: host, port }]);
    const targets = serversIn(srv, protocol);
    if (targets.length === 0) throw new Error(`${host} does not offer SIP over ${protocol}`);
    return this.#addresses(host, targets);
  }

  async #lookUpDomain({ host, port, protocols }: SipDomain): Promise<Resolution> {
    const atHost = (protocol: SipProtocol): Target => ({
      protocol,
      name: host,
      port: port ?? defaultPort(protocol),
    });
    if (port !== null) return this.#addresses(host, protocols.map(atHost));
    const services = await this.#services(host, protocols);
    const srv = await Promise.all(services.map((service) => this.#srv(service)));
    if (srv.every((records) => records.length === 0)) return this.#addresses(host, protocols.map(atHost));
    const targets = services.flatMap(({ protocol }, index) => serversIn(srv[index]!, protocol));
    if (targets.length === 0) throw new Error(`${host} does not offer SIP`);
    return this.#addresses(host, targets);
  }

  /** The services to ask for: those in NAPTR records, or else all under their usual names. */
  async #services(host: string, protocols: readonly SipProtocol[]): Promise<readonly SipService[]> {
    const usual = protocols.map((protocol) => usualService(host, protocol));
    if (protocols.length === 1) return usual;
    let named: SipService[] = [];
    const asked = this.#dns.naptr(host).then((records) => {
      named = namedServices(records).filter(({ protocol }) => protocols.includes(protocol));
    });
    await settledWithin(this.#clock, NAPTR_DEADLINE_MS, [asked]);
    return named.length > 0 ? named : usual;
  }

  #srv({ name }: SipService): Promise<SrvRecord[]> {
    return this.#dns.srv(name).catch(() => []);
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

  #withDeadline(lookUp: Promise<Resolution>): Promise<Resolution> {
    return new Promise((resolve, reject) => {
      const cancel = this.#clock.after(DEADLINE_MS, () => reject(new Error('DNS did not answer in time')));
      lookUp.then(resolve, reject).finally(cancel);
    });
  }

  #remember(key: string, resolution: Resolution): void {
    this.#cache.set(key, { resolution, untilMs: this.#clock.monotonicMs() + resolution.ttlMs });
  }
}

function literalDestination({ protocol, host, port }: ServerName, address: string): Destination {
  return { protocol, host: address, port, serverName: host };
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
    const total = records.reduce((sum, record) => sum + record.weight * 100 + 1, 0);
    let left = draw(total);
    const index = records.findIndex((record) => {
      left -= record.weight * 100 + 1;
      return left < 0;
    });
    ordered.push(...records.splice(index, 1));
  }
  return ordered;
}
