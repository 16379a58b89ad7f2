import type { CancelTimer } from '../../../../base/time.ts';
import type { IncomingInviteRequest, URI } from '../core/sip-core.ts';
import { sipUri } from '../core/uri-grammar.ts';
import { byPreference } from '../legs/dial-target.ts';
import { hostInUri, parseSipUri, uriInHeader } from '../message/sip-uri.ts';
import { type RouteDeps, SipRoute } from '../sip-route.ts';
import { TRANSACTION_TIMEOUT_MS } from '../transactions/transaction-timers.ts';
import type { Connection, Destination, SipProtocol, Source } from '../transport/wire.ts';
import { faultDetail, TrunkFault, trunkFault } from '../trunk/trunk-fault.ts';
import { type DirectTarget, directTarget, plainHost } from './direct-target.ts';

/** How many routes outlive their calls at once; more close the oldest. */
const MAX_LINGERING = 64;

/**
 * The way of one call to a host without a trunk: no registration, no credentials. Only the host's own servers, and those
 * that they name inside the dialog, may speak in it.
 */
class DirectRoute extends SipRoute {
  readonly #deps: RouteDeps;
  readonly #accountId: string;
  readonly #target: DirectTarget;
  readonly #routes: DirectRoutes;
  /** Addresses of the host's servers, and of the next hops that they have named. */
  #peers = new Set<string>();
  #destination: Destination | null = null;

  constructor(accountId: string, target: DirectTarget, deps: RouteDeps, routes: DirectRoutes) {
    super({ srtp: 'optional', behindNat: false, mediaTimeoutS: null, callerFrom: 'from', realm: null }, deps);
    this.#deps = deps;
    this.#accountId = accountId;
    this.#target = target;
    this.#routes = routes;
  }

  /** That of the current destination. */
  get transport(): SipProtocol {
    return this.#destination?.protocol ?? this.#target.domain.protocols[0]!;
  }

  override get contactUri(): string {
    const isSecure = this.#target.uri.scheme === 'sips';
    return isSecure ? this.own.secureContactOf(this.dialogUser) : super.contactUri;
  }

  get serverUri(): string {
    return `sip:${this.#target.domain.host}`;
  }

  /** Our own address: nobody else vouches for us. */
  get caller(): URI {
    return sipUri('agent', hostInUri(this.own.host));
  }

  /** A private or loopback address is dropped wherever it comes from: each look-up is checked, and only its result used. */
  async locate(): Promise<{ destinations: readonly Destination[] }> {
    const { resolver, policy } = this.#deps;
    const { domain } = this.#target;
    const found = await resolver.locate(domain).catch((error: unknown) => {
      throw trunkFault(error);
    });
    const destinations = found.destinations.filter(({ host }) => policy.mayUse(host, false));
    // Whether a name exists inside the gateway's network is nobody's business.
    if (destinations.length === 0)
      throw new TrunkFault('unreachable', new Error(`no address of ${domain.host} is allowed`));
    this.#peers = new Set(destinations.map(({ host }) => host));
    return { destinations };
  }

  mayFollow(host: string): boolean {
    return this.#deps.policy.mayFollow(host, false, [...this.#peers]);
  }

  override prepare(destination: Destination): Promise<void> {
    this.#destination = destination;
    return super.prepare(destination);
  }

  /** The route has one call, all of whose requests go to the destination it was prepared for. */
  pin(): void {}

  unpin(): void {}

  destinationFor(): Destination {
    if (this.#destination === null) throw new Error('the route is not prepared');
    return this.#destination;
  }

  override async resolveHop(host: string, port: number): Promise<Destination> {
    const hop = await super.resolveHop(host, port);
    this.#peers.add(hop.host);
    return hop;
  }

  /** Redirections stay at the host. */
  redirected(contacts: readonly string[]): readonly URI[] {
    return byPreference(contacts).flatMap((contact) => {
      const uri = parseSipUri(uriInHeader(contact));
      if (uri === null || uri.scheme === 'tel' || plainHost(uri.host) !== this.#target.domain.host) return [];
      try {
        return directTarget(uri).uri;
      } catch {
        // One that leads elsewhere by a parameter.
        return [];
      }
    });
  }

  /** What came over TLS stays there: a datagram's source address proves little. */
  hears({ connection, host, protocol }: Source): boolean {
    if (connection !== null && connection === this.flow.connection) return true;
    return this.#peers.has(host) && (this.transport !== 'tls' || protocol === 'tls');
  }

  noteFault(fault: TrunkFault): string {
    const { host } = this.#target.domain;
    const detail = { accountId: this.#accountId, host, error: faultDetail(fault) };
    this.#deps.observer.log('warn', 'Call could not be placed without a SIP trunk', detail);
    return fault.code === 'tls_failed' ? `TLS with ${host} failed` : `${host} cannot be reached`;
  }

  unused(): void {
    this.#routes.unused(this);
  }

  /** Nobody calls us over it. */
  invited(request: IncomingInviteRequest): void {
    request.reject({ statusCode: 404 });
  }

  connected(connection: Connection): void {
    this.#routes.connected(this, connection);
  }
}

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
    const route = new DirectRoute(accountId, target, this.#deps, this);
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

  /** The route has opened a connection. */
  connected(route: DirectRoute, connection: Connection): void {
    this.#byConnection.set(connection, route);
  }

  /** The call is over. Keeps its route for as long as the far end may repeat what it sent (RFC 3261, timer J). */
  unused(route: DirectRoute): void {
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
