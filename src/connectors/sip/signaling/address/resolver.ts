import { randomInt } from 'node:crypto';
import { isIP } from 'node:net';
import type { Clock } from '../../../../base/time.ts';
import type { Destination, SipProtocol } from '../transport/wire.ts';
import type { Dns, SrvRecord } from './dns.ts';

/** The trunk's host as configured by its owner. */
export interface ServerName {
  readonly host: string;
  readonly port: number;
  readonly protocol: SipProtocol;
}

/** A server's current destinations, best first, and how long they are valid. */
export interface Resolution {
  readonly destinations: readonly Destination[];
  readonly ttlMs: number;
}

const DEADLINE_MS = 8_000;
const MIN_TTL_MS = 5_000;
const MAX_TTL_MS = 3_600_000;
const FOREVER_MS = 24 * 3_600_000;
const MAX_CACHED = 1_024;
/** How long an expired answer is reused while the DNS fails. */
const STALE_MS = 30_000;
const MAX_DESTINATIONS = 16;

/**
 * RFC 3263 for a known transport, so NAPTR is not needed (section 4.1). An IP address is used as it is. A name with the
 * default port is looked up as SRV, then as A/AAAA; a name with another port as A/AAAA only.
 */
export class Resolver {
  readonly #dns: Dns;
  readonly #clock: Clock;
  readonly #cache = new Map<string, { resolution: Resolution; untilMs: number }>();
  readonly #pending = new Map<string, Promise<Resolution>>();

  constructor(dns: Dns, clock: Clock) {
    this.#dns = dns;
    this.#clock = clock;
  }

  /** Resolves a name. Rejects when nothing is found within 8 s and there is no earlier result. */
  async resolve(name: ServerName): Promise<Resolution> {
    const literal = name.host.replace(/^\[|\]$/g, '');
    if (isIP(literal) !== 0)
      return { destinations: [destination(name, literal, name.port)], ttlMs: FOREVER_MS };
    const key = `${name.protocol}:${name.host.toLowerCase()}:${name.port}`;
    const cached = this.#cache.get(key);
    if (cached !== undefined && this.#clock.monotonicMs() < cached.untilMs) return cached.resolution;
    const pending = this.#pending.get(key) ?? this.#refresh(key, name, cached?.resolution ?? null);
    this.#pending.set(key, pending);
    return pending;
  }

  /** Looks a name up once for all concurrent callers. While the DNS fails, the previous result is kept. */
  async #refresh(key: string, name: ServerName, former: Resolution | null): Promise<Resolution> {
    try {
      const resolution = await this.#withDeadline(this.#lookUp(name));
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
    const srv = isDefaultPort(name) ? await this.#dns.srv(serviceName(name)).catch(() => []) : [];
    // A single target "." means that the service is explicitly not available (RFC 2782).
    const servers = srv.filter((record) => record.name !== '.' && record.name !== '');
    if (srv.length > 0 && servers.length === 0)
      throw new Error(`${name.host} does not offer SIP over ${name.protocol}`);
    const targets = servers.length > 0 ? orderByWeight(servers) : [{ name: name.host, port: name.port }];
    return this.#addresses(name, targets);
  }

  async #addresses(
    name: ServerName,
    targets: readonly { name: string; port: number }[],
  ): Promise<Resolution> {
    const found = await Promise.allSettled(targets.map((target) => this.#dns.addresses(target.name)));
    const destinations = found.flatMap((result, index) =>
      result.status === 'rejected'
        ? []
        : result.value.map((record) => destination(name, record.address, targets[index]!.port)),
    );
    if (destinations.length === 0) throw new Error(`no address found for ${name.host}`);
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
    if (this.#cache.size >= MAX_CACHED) this.#cache.clear();
    this.#cache.set(key, { resolution, untilMs: this.#clock.monotonicMs() + resolution.ttlMs });
  }
}

function destination(name: ServerName, host: string, port: number): Destination {
  return { protocol: name.protocol, host, port, serverName: name.host };
}

function isDefaultPort({ port, protocol }: ServerName): boolean {
  return port === 5060 || (protocol === 'tls' && port === 5061);
}

function serviceName({ host, protocol }: ServerName): string {
  return protocol === 'tls' ? `_sips._tcp.${host}` : `_sip._${protocol}.${host}`;
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
