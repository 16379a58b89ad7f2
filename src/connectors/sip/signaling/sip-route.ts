import { randomBytes } from 'node:crypto';
import type { CancelTimer, Clock } from '../../../base/time.ts';
import type { CallerHeader } from '../../contract/sip-accounts.ts';
import type { AddressPolicy } from './address/address-policy.ts';
import { type Listening, OwnAddress } from './address/own-address.ts';
import type { Resolution, Resolver, ServerName } from './address/resolver.ts';
import { createCore, type IncomingInviteRequest, type URI, type UserAgentCore } from './core/sip-core.ts';
import type { DigestAccount } from './digest/digest-credentials.ts';
import type { SrtpPolicy } from './sdp/sdp-local.ts';
import type { SipObserver } from './sip-observer.ts';
import type { StreamTransport } from './transport/stream-transport.ts';
import type { RequestSender, TransportLayer } from './transport/transport-layer.ts';
import type { Connection, Destination, SipProtocol, Source } from './transport/wire.ts';
import { TrunkFault, trunkFault } from './trunk/trunk-fault.ts';
import { TrunkFlow } from './trunk/trunk-flow.ts';

/** Below the 30 s after which a home router may drop an idle UDP flow (RFC 5626 section 4.4.2). */
const KEEP_ALIVE_MS = 25_000;

/** Dependencies shared by all routes. */
export interface RouteDeps extends Listening {
  readonly clock: Clock;
  readonly observer: SipObserver;
  readonly resolver: Resolver;
  readonly policy: AddressPolicy;
  readonly layer: TransportLayer<SipRoute>;
  readonly streams: StreamTransport;
}

export interface RouteSettings {
  readonly srtp: SrtpPolicy;
  /** The peer's RTP comes from other addresses than its SDP names. */
  readonly behindNat: boolean;
  /** Seconds of silence after which a call is lost; 0: never; null: as the gateway's settings say. */
  readonly mediaTimeoutS: number | null;
  /** The first header that may name who calls in. */
  readonly callerFrom: CallerHeader;
  /** Challenges for it are answered before others; null: for none. */
  readonly realm: string | null;
}

/** The way of calls to their far end, as their legs see it: a user agent core of its own, and a connection if it needs one. */
export abstract class SipRoute<Settings extends RouteSettings = RouteSettings> implements RequestSender {
  readonly settings: Settings;
  /**
   * User part of our Contact in dialogs. It identifies the route and cannot be guessed. Every party on a call sees it, so
   * it cannot open a call.
   */
  readonly dialogUser = randomBytes(16).toString('hex');
  readonly core: UserAgentCore;
  readonly flow: TrunkFlow;
  readonly own: OwnAddress;
  abstract readonly transport: SipProtocol;
  /** URI of the server, without a user. */
  abstract readonly serverUri: string;
  /** From of our calls. */
  abstract readonly caller: URI;
  readonly #deps: RouteDeps;
  #cancelKeepAlive: CancelTimer = () => {};
  #isClosed = false;

  /** `account` answers challenges; without one, they are not answered. */
  constructor(settings: Settings, deps: RouteDeps, account?: DigestAccount) {
    this.settings = settings;
    this.#deps = deps;
    this.flow = new TrunkFlow(deps.streams, this);
    this.own = new OwnAddress(this, deps);
    this.core = createCore(this, account, (text) => deps.layer.send(this, text));
  }

  /** Resolves the servers, best first. Rejects with TrunkFault when no address is found or allowed. */
  abstract locate(): Promise<{ readonly destinations: readonly Destination[] }>;
  /** Whether to follow an address named by a peer in SDP, for RTP, or in Contact or Record-Route. */
  abstract mayFollow(host: string): boolean;
  abstract destinationFor(callId: string): Destination;
  /** Sends requests with this Call-ID, outside dialogs, to `destination`. */
  abstract pin(callId: string, destination: Destination): void;
  abstract unpin(callId: string): void;
  /** Returns the Contacts of a 3xx that the route may follow, in the order in which to try them. */
  abstract redirected(contacts: readonly string[]): readonly URI[];
  /** Whether requests inside the route's dialogs may come from there. */
  abstract hears(source: Source): boolean;
  /** Logs why a call could not be placed, and returns what its account may know. */
  abstract noteFault(fault: TrunkFault): string;
  /** Called when no call uses the route any more. */
  abstract unused(): void;
  /** An INVITE that opens a call. */
  abstract invited(request: IncomingInviteRequest): void;
  /** The route has opened a connection. */
  abstract connected(connection: Connection): void;

  /** The connection is lost. */
  disconnected(): void {
    this.#deps.observer.count('transport_lost');
  }

  /** Our current Contact in dialogs. */
  get contactUri(): string {
    return this.own.contactOf(this.dialogUser);
  }

  /** The same with brackets. */
  get contact(): string {
    return `<${this.contactUri}>`;
  }

  /**
   * Prepares for a request to `destination`: determines our own address and opens a connection if needed. Rejects with
   * TrunkFault.
   */
  async prepare(destination: Destination): Promise<void> {
    await this.own.learn(destination);
    if (destination.protocol === 'udp') return;
    await this.flow.open(destination).catch((error: unknown) => {
      throw trunkFault(error);
    });
  }

  /** Records that `destination` answers, and keeps the UDP flow to it open. */
  prefer(destination: Destination): void {
    this.#keepAlive(destination);
  }

  /** Resolves the next hop of a request inside a dialog, as named by the peer. Rejects with TrunkFault. */
  async resolveHop(host: string, port: number): Promise<Destination> {
    const { destinations } = await this.resolve({ host, port, protocol: this.transport });
    const allowed = destinations.find((destination) => this.mayFollow(destination.host));
    if (allowed === undefined) throw new TrunkFault('not_allowed');
    return allowed;
  }

  /** Rejects with TrunkFault. */
  async resolve(name: ServerName): Promise<Resolution> {
    return this.#deps.resolver.resolve(name).catch((error: unknown) => {
      throw trunkFault(error);
    });
  }

  /** Drops everything, including live dialogs. */
  close(): void {
    this.#isClosed = true;
    this.#cancelKeepAlive();
    this.#deps.layer.requests.clear(this);
    this.core.dispose();
    this.flow.close();
  }

  /** Keeps routers from dropping the UDP flow, in place of the one before. TCP connections have their own keep-alive. */
  #keepAlive(destination: Destination): void {
    this.#cancelKeepAlive();
    if (this.#isClosed || destination.protocol !== 'udp') return;
    this.#cancelKeepAlive = this.#deps.clock.after(KEEP_ALIVE_MS, () => {
      this.#deps.layer.ping(destination);
      this.#keepAlive(destination);
    });
  }
}
