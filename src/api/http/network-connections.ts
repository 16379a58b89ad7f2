import { LimitedMap } from '../../base/limited-map.ts';
import { siteOf } from '../../base/networks.ts';
import type { Clock } from '../../base/time.ts';
import { loadAccepting } from '../../native/acceptor.ts';
import { type ClientAddresses, plainAddress } from '../auth/client-addresses.ts';

/** How many connections are open from the network of an address. */
type CountFrom = (address: string) => number;

export interface NetworkConnectionsOptions {
  /** Connections of one network: the /24 of an IPv4 address, or the /48 of an IPv6 address. */
  readonly most: number;
  readonly countFrom: CountFrom;
  /** Trusted proxies carry the connections of others, and limit them. */
  readonly addresses: ClientAddresses;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** Called when a network reaches its limit, at most once a second for each. */
  readonly onFull: (address: string) => void;
}

interface Network {
  /** At least as many as are open: nobody tells which were closed. */
  count: number;
  countedAtMs: number;
}

/** Counts the connections to a port of this process. Without the addon there is nothing to count by, and no limit. */
export function countConnections(port: () => number): CountFrom {
  let loaded: ReturnType<typeof loadAccepting> | null = null;
  return (address) => {
    loaded ??= loadAccepting();
    return typeof loaded === 'string' ? 0 : loaded.connectionsFrom(port(), address);
  };
}

/** Networks that are remembered. */
const MAX_NETWORKS = 20_000;
const LEAST_INTERVAL_MS = 1_000;

/**
 * Bounds the connections of one network. All that a client closes at one moment is closed in one turn of the event loop, at
 * 8 to 15 µs each, most of it in the kernel; nothing else is served meanwhile. The same goes for silent connections, whose
 * time is up together.
 */
export class NetworkConnections {
  readonly #options: NetworkConnectionsOptions;
  readonly #networks = new LimitedMap<Network>(MAX_NETWORKS);
  #refused = 0;

  constructor(options: NetworkConnectionsOptions) {
    this.#options = options;
  }

  /** Refusals since the start. */
  get refused(): number {
    return this.#refused;
  }

  /** Whether to keep a new connection. `peer`: the address of its other end. */
  admits(peer: string): boolean {
    const address = plainAddress(peer);
    const name = siteOf(address);
    const network = this.#networks.get(name) ?? this.#remember(name);
    network.count += 1;
    if (network.count <= this.#options.most || this.#hasRoom(address, network)) return true;
    network.count -= 1;
    this.#refused += 1;
    return false;
  }

  #remember(name: string): Network {
    const network = { count: 0, countedAtMs: Number.NEGATIVE_INFINITY };
    this.#networks.set(name, network);
    return network;
  }

  /** Counts what is really open, the new connection included. */
  #hasRoom(address: string, network: Network): boolean {
    const { most, countFrom, addresses, clock, onFull } = this.#options;
    const nowMs = clock.monotonicMs();
    if (nowMs - network.countedAtMs < LEAST_INTERVAL_MS) return false;
    if (addresses.isTrusted(address)) {
      network.count = 0;
      return true;
    }
    network.countedAtMs = nowMs;
    network.count = countFrom(address);
    if (network.count <= most) return true;
    onFull(address);
    return false;
  }
}
