import type { CancelTimer } from '../../../../base/time.ts';
import type { RouteDeps } from '../sip-route.ts';
import { TRANSACTION_TIMEOUT_MS } from '../transactions/transaction-timers.ts';
import type { Connection } from '../transport/wire.ts';
import { DirectRoute } from './direct-route.ts';
import type { DirectTarget } from './direct-target.ts';

/** How many routes outlive their calls at once; more close the oldest. */
const MAX_LINGERING = 64;

/** The routes of live calls without a trunk, and of those that have just ended. */
export class DirectRoutes {
  readonly #deps: RouteDeps;
  readonly #byUser = new Map<string, DirectRoute>();
  readonly #byConnection = new WeakMap<Connection, DirectRoute>();
  /** The oldest first. */
  readonly #lingering = new Map<DirectRoute, CancelTimer>();

  constructor(deps: RouteDeps) {
    this.#deps = deps;
  }

  /** Opens the route of one call of the account. */
  open(accountId: string, target: DirectTarget): DirectRoute {
    const route: DirectRoute = new DirectRoute(
      {
        accountId,
        target,
        onConnection: (connection) => this.#byConnection.set(connection, route),
        onUnused: () => this.#linger(route),
      },
      this.#deps,
    );
    this.#byUser.set(route.dialogUser, route);
    return route;
  }

  /** Finds a route by the user part of our Contact. This does not tell whether its far end may speak there. */
  ofContactUser(user: string): DirectRoute | null {
    return this.#byUser.get(user) ?? null;
  }

  /** Returns the route that opened the connection. */
  ofConnection(connection: Connection | null): DirectRoute | null {
    return connection === null ? null : (this.#byConnection.get(connection) ?? null);
  }

  close(): void {
    for (const route of this.#byUser.values()) this.#close(route);
  }

  /** Keeps a route for as long as the far end may repeat what it sent (RFC 3261, timer J). */
  #linger(route: DirectRoute): void {
    this.#lingering.set(
      route,
      this.#deps.clock.after(TRANSACTION_TIMEOUT_MS, () => this.#close(route)),
    );
    const [oldest] = this.#lingering.keys();
    if (this.#lingering.size > MAX_LINGERING) this.#close(oldest!);
  }

  #close(route: DirectRoute): void {
    this.#lingering.get(route)?.();
    this.#lingering.delete(route);
    this.#byUser.delete(route.dialogUser);
    route.close();
  }
}
