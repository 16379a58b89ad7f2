import { randomBytes } from 'node:crypto';
import { URI, type UserAgentCore } from 'sip.js/lib/core/index.js';
import { OwnAddress } from '../address/own-address.ts';
import { StoredChallenges } from '../digest/digest-credentials.ts';
import { hostInUri, parseSipUri, uriInHeader } from '../message/sip-uri.ts';
import { createCore } from '../sip-core.ts';
import type { RouteDeps, SipRoute } from '../sip-route.ts';
import { UdpKeepAlive } from '../transport/udp-keep-alive.ts';
import type { Connection, Destination, SipProtocol, Source } from '../transport/wire.ts';
import { faultDetail, TrunkFault, trunkFault } from '../trunk/trunk-fault.ts';
import { TrunkFlow } from '../trunk/trunk-flow.ts';
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
 * The way of one call to a host without a trunk: no registration, no credentials, its own user agent core and connection.
 * Only the host's own servers, and those that they name inside the dialog, may speak in it.
 */
export class DirectRoute implements SipRoute {
  readonly dialogUser = randomBytes(16).toString('hex');
  readonly core: UserAgentCore;
  readonly flow: TrunkFlow;
  readonly own: OwnAddress;
  /** Nobody answers them. */
  readonly challenges = new StoredChallenges(null);
  readonly srtp = 'optional';
  readonly behindNat = false;
  readonly #deps: RouteDeps;
  readonly #call: DirectCall;
  readonly #keepAlive: UdpKeepAlive;
  /** Addresses of the host's servers, and of the next hops that they have named. */
  #peers = new Set<string>();
  #destination: Destination | null = null;

  constructor(call: DirectCall, deps: RouteDeps) {
    this.#call = call;
    this.#deps = deps;
    this.#keepAlive = new UdpKeepAlive(deps.clock, (destination) => deps.layer.ping(destination));
    this.flow = new TrunkFlow(deps.streams, call.onConnection, () => deps.observer.count('transport_lost'));
    this.own = new OwnAddress(
      () => this.transport,
      deps,
      () => this.flow.connection?.localPort ?? null,
    );
    this.core = this.#newCore();
  }

  /** That of the current destination. */
  get transport(): SipProtocol {
    return this.#destination?.protocol ?? this.#call.target.domain.protocols[0]!;
  }

  get contact(): string {
    return this.core.configuration.contact.toString();
  }

  get serverUri(): string {
    return `sip:${this.#call.target.domain.host}`;
  }

  /** Our own address: nobody else vouches for us. */
  get caller(): URI {
    return new URI('sip', 'agent', hostInUri(this.own.host));
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

  async prepare(destination: Destination): Promise<void> {
    this.#destination = destination;
    await this.own.learn(destination);
    if (destination.protocol === 'udp') return;
    await this.flow.open(destination).catch((error: unknown) => {
      throw trunkFault(error);
    });
  }

  /** The route has one call, all of whose requests go to the destination it was prepared for. */
  pin(): void {}

  unpin(): void {}

  prefer(destination: Destination): void {
    this.#keepAlive.keep(destination);
  }

  destinationFor(): Destination {
    if (this.#destination === null) throw new Error('the route is not prepared');
    return this.#destination;
  }

  /** Resolves the next hop of a request inside the dialog, as named by the peer. Rejects with TrunkFault. */
  async resolveHop(host: string, port: number): Promise<Destination> {
    const { destinations } = await this.#deps.resolver.resolve({ host, port, protocol: this.transport });
    const allowed = destinations.find((destination) => this.mayFollow(destination.host));
    if (allowed === undefined) throw new TrunkFault('not_allowed');
    this.#peers.add(allowed.host);
    return allowed;
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

  close(): void {
    this.#keepAlive.stop();
    this.#deps.layer.requests.clear(this);
    this.core.dispose();
    this.flow.close();
  }

  #newCore(): UserAgentCore {
    const route = this;
    const { scheme } = this.#call.target.uri;
    return createCore(
      {
        contactUser: this.dialogUser,
        local: () => ({
          sentBy: this.own.sentBy,
          contact:
            scheme === 'sips'
              ? this.own.secureContactOf(this.dialogUser)
              : this.own.contactOf(this.dialogUser),
        }),
        transport: {
          get protocol() {
            return route.transport.toUpperCase();
          },
          send: (text) => this.#deps.layer.send(this, text),
        },
        credentials: () => undefined,
      },
      // Nobody calls us over it.
      { onInvite: (request) => void request.reject({ statusCode: 404 }) },
    );
  }
}
