import type { IncomingInviteRequest, URI } from '../core/sip-core.ts';
import { sipUri } from '../core/uri-grammar.ts';
import { hostInUri, parseSipUri, uriInHeader } from '../message/sip-uri.ts';
import { type RouteDeps, SipRoute } from '../sip-route.ts';
import type { Connection, Destination, SipProtocol, Source } from '../transport/wire.ts';
import { faultDetail, TrunkFault, trunkFault } from '../trunk/trunk-fault.ts';
import { type DirectTarget, directTarget, plainHost } from './direct-target.ts';

/** Whose call goes where, and who wants to know what becomes of the route. */
export interface DirectCall {
  readonly accountId: string;
  readonly target: DirectTarget;
  /** Called when the route has opened a connection. */
  readonly onConnection: (connection: Connection) => void;
  /** Called when the call is over. */
  readonly onUnused: () => void;
}

/**
 * The way of one call to a host without a trunk: no registration, no credentials. Only the host's own servers, and those
 * that they name inside the dialog, may speak in it.
 */
export class DirectRoute extends SipRoute {
  readonly #deps: RouteDeps;
  readonly #call: DirectCall;
  /** Addresses of the host's servers, and of the next hops that they have named. */
  #peers = new Set<string>();
  #destination: Destination | null = null;

  constructor(call: DirectCall, deps: RouteDeps) {
    super({ srtp: 'optional', behindNat: false, realm: null }, deps);
    this.#call = call;
    this.#deps = deps;
  }

  /** That of the current destination. */
  get transport(): SipProtocol {
    return this.#destination?.protocol ?? this.#call.target.domain.protocols[0]!;
  }

  override get contactUri(): string {
    const isSecure = this.#call.target.uri.scheme === 'sips';
    return isSecure ? this.own.secureContactOf(this.dialogUser) : super.contactUri;
  }

  get serverUri(): string {
    return `sip:${this.#call.target.domain.host}`;
  }

  /** Our own address: nobody else vouches for us. */
  get caller(): URI {
    return sipUri('agent', hostInUri(this.own.host));
  }

  /** A private or loopback address is dropped wherever it comes from: each look-up is checked, and only its result used. */
  async locate(): Promise<{ destinations: readonly Destination[] }> {
    const { resolver, policy } = this.#deps;
    const { domain } = this.#call.target;
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
  redirected(contacts: readonly string[]): URI | null {
    for (const contact of contacts) {
      const uri = parseSipUri(uriInHeader(contact));
      if (uri === null || uri.scheme === 'tel' || plainHost(uri.host) !== this.#call.target.domain.host)
        continue;
      try {
        return directTarget(uri).uri;
      } catch {
        // One that leads elsewhere by a parameter.
      }
    }
    return null;
  }

  /** What came over TLS stays there: a datagram's source address proves little. */
  hears({ connection, host, protocol }: Source): boolean {
    if (connection !== null && connection === this.flow.connection) return true;
    return this.#peers.has(host) && (this.transport !== 'tls' || protocol === 'tls');
  }

  noteFault(fault: TrunkFault): string {
    const { accountId, target } = this.#call;
    const { host } = target.domain;
    const detail = { accountId, host, error: faultDetail(fault) };
    this.#deps.observer.log('warn', 'Call could not be placed without a SIP trunk', detail);
    return fault.code === 'tls_failed' ? `TLS with ${host} failed` : `${host} cannot be reached`;
  }

  unused(): void {
    this.#call.onUnused();
  }

  /** Nobody calls us over it. */
  invited(request: IncomingInviteRequest): void {
    request.reject({ statusCode: 404 });
  }

  connected(connection: Connection): void {
    this.#call.onConnection(connection);
  }
}
