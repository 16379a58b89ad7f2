import { addressReadIn } from '../../base/public-address.ts';
import { type Clock, settledWithin } from '../../base/time.ts';
import type { MediaControl } from '../../media/media-control.ts';
import type { RtpCodec } from '../../rtp/rtp-protocol.ts';
import type { LegObserver, PlatformLeg } from '../contract/call-leg.ts';
import type {
  CallOffer,
  Connector,
  DialRequest,
  InboundAnswerer,
  PlacesCalls,
  Provides,
  RingsCalls,
} from '../contract/connector.ts';
import type { Registration, SipDirectory, SipNumber, SipTrunk } from '../contract/sip-accounts.ts';
import type { DialsSip } from '../contract/sip-dialing.ts';
import { AddressPolicy } from './signaling/address/address-policy.ts';
import { type Dns, systemDns } from './signaling/address/dns.ts';
import { Resolver } from './signaling/address/resolver.ts';
import { DirectRoutes } from './signaling/direct/direct-route.ts';
import { InboundCalls, SIP_CAPABILITIES } from './signaling/legs/inbound-calls.ts';
import type { LegMediaSettings } from './signaling/legs/leg-media.ts';
import { LegRegistry } from './signaling/legs/leg-registry.ts';
import { OutboundCalls } from './signaling/legs/outbound-calls.ts';
import { MessageRouter } from './signaling/message-router.ts';
import { PortPool, type PortReserver } from './signaling/sdp/port-pool.ts';
import { RtpPorts } from './signaling/sdp/rtp-ports.ts';
import { offeredRateHz } from './signaling/sdp/sdp-formats.ts';
import type { SipObserver } from './signaling/sip-observer.ts';
import type { RouteDeps, SipRoute } from './signaling/sip-route.ts';
import { InboundConnections } from './signaling/transport/inbound-connections.ts';
import { listenTls, listenUdpAndTcp, type TlsListenOptions } from './signaling/transport/listeners.ts';
import { StreamTransport, type TlsTrust } from './signaling/transport/stream-transport.ts';
import { TransportLayer } from './signaling/transport/transport-layer.ts';
import { UdpTransport } from './signaling/transport/udp-transport.ts';
import type { SipProtocol } from './signaling/transport/wire.ts';
import { NumberRegistry } from './signaling/trunk/number-registry.ts';
import { TrunkRegistration } from './signaling/trunk/registration.ts';
import { Trunk, type TrunkDeps } from './signaling/trunk/trunk.ts';
import { type TrunkBinding, TrunkRegistry } from './signaling/trunk/trunk-registry.ts';

export interface SipConnectorOptions {
  /** Address to listen on for SIP, and to bind RTP sockets to. */
  readonly host: string;
  readonly port: number;
  /** The port is the default: when it is taken, the next free one is used. */
  readonly portIsDefault: boolean;
  /** Address announced to peers, for hosts behind NAT; null uses the address the system routes with. */
  readonly advertisedHost: string | null;
  readonly rtpPortMin: number;
  readonly rtpPortMax: number;
  /** Codecs for calls, in our order of preference; at least one. */
  readonly codecs: readonly RtpCodec[];
  /** Addresses and subnets that the operator allows for the trunks of all accounts. */
  readonly trunkAllow: readonly string[];
  /** Hosts that are called without a trunk, in lower case. */
  readonly directHosts: readonly string[];
  /** Operator's mapping of source addresses to the accounts whose calls come from them. */
  readonly trunkBindings: readonly TrunkBinding[];
  /** Milliseconds without RTP after which an answered call counts as lost. */
  readonly mediaTimeoutMs?: number;
  /** When set, the connector also listens for TLS. */
  readonly tlsListen?: TlsListenOptions;
  readonly tlsTrust?: TlsTrust;
  readonly dns?: Dns;
  /**
   * Returns the helper that binds RTP ports in advance; called some time after the start. Absent, or null, binds none.
   */
  readonly reserving?: () => PortReserver | null;
}

const DEFAULT_MEDIA_TIMEOUT_MS = 30_000;
const UNREGISTER_DEADLINE_MS = 5_000;

const OFF: Registration = { state: 'off', lastError: null, expiresAt: null };

/** The signaling half of SIP trunks. Media is opened through each call's MediaControl. */
export class SipConnector implements Connector, PlacesCalls, RingsCalls, SipDirectory {
  readonly platform = 'sip';
  readonly loginKinds = ['trunk'] as const;
  readonly ways = [
    { name: 'phone', needs: 'a SIP trunk' },
    { name: 'SIP, without a trunk', needs: 'a host in SVC_SIP_DIRECT_HOSTS' },
  ];
  readonly takesDtmf = true;
  readonly provides: Provides = { calls: this, inboundCalls: this };
  readonly #options: SipConnectorOptions;
  readonly #clock: Clock;
  readonly #observer: SipObserver;
  readonly #trunks: TrunkRegistry;
  readonly #numbers = new NumberRegistry();
  readonly #registrations = new Map<Trunk, TrunkRegistration>();
  readonly #legs = new LegRegistry();
  readonly #layer: TransportLayer<SipRoute>;
  readonly #streams: StreamTransport;
  readonly #router: MessageRouter;
  readonly #media: LegMediaSettings;
  readonly #inbound: InboundCalls;
  readonly #outbound: OutboundCalls;
  readonly #directs: DirectRoutes;
  readonly #trunkDeps: TrunkDeps;
  #udp: UdpTransport;
  #port: number | null = null;
  #tlsPort: number | null = null;
  #closing: Promise<void> | null = null;

  constructor(options: SipConnectorOptions, clock: Clock, observer: SipObserver) {
    this.#options = options;
    this.#clock = clock;
    this.#observer = observer;
    this.#trunks = new TrunkRegistry(options.trunkBindings);
    const udp = (): UdpTransport => this.#udp;
    this.#layer = new TransportLayer(clock, observer, udp);
    this.#udp = new UdpTransport(() => false);
    this.#streams = new StreamTransport(
      clock,
      options.tlsTrust ?? {},
      new InboundConnections(clock, observer, (host) => this.#trunks.knowsAddress(host)),
      (bytes, source) => this.#router.receive(bytes, source),
    );
    this.#media = {
      bindHost: options.host,
      mediaTimeoutMs: options.mediaTimeoutMs ?? DEFAULT_MEDIA_TIMEOUT_MS,
      ports: new PortPool(
        new RtpPorts(options.rtpPortMin, options.rtpPortMax),
        options.host,
        clock,
        options.reserving ?? (() => null),
      ),
      codecs: options.codecs,
      observer,
    };
    const routeDeps = this.#routeDeps();
    this.#trunkDeps = this.#newTrunkDeps(routeDeps);
    this.#directs = new DirectRoutes(routeDeps);
    this.#router = new MessageRouter({
      trunks: this.#trunks,
      layer: this.#layer,
      directs: this.#directs,
      udp,
      clock,
      observer,
      admit: (route, dialled) => (route instanceof Trunk ? this.#inbound.admit(route, dialled) : null),
    });
    const calls = {
      trunks: this.#trunks,
      directs: this.#directs,
      directHosts: options.directHosts,
      legs: this.#legs,
      clock,
      media: this.#media,
    };
    this.#inbound = new InboundCalls({ ...calls, numbers: this.#numbers });
    this.#outbound = new OutboundCalls(calls);
  }

  /** UDP and TCP port in use; null before `start`. */
  get port(): number | null {
    return this.#port;
  }

  get tlsPort(): number | null {
    return this.#tlsPort;
  }

  async start(): Promise<void> {
    const { udp, port } = await listenUdpAndTcp(this.#options, this.#streams, (bytes, source) =>
      this.#router.receive(bytes, source),
    );
    this.#udp = udp;
    this.#port = port;
    this.#media.ports.start();
    const { tlsListen, host } = this.#options;
    if (tlsListen !== undefined) {
      this.#tlsPort = await listenTls(host, tlsListen, this.#streams);
    }
    if (this.#closing !== null) return this.#closeSockets();
    for (const [trunk, registration] of this.#registrations) startTrunk(trunk, registration);
  }

  close(deadlineMs: number): Promise<void> {
    this.#closing ??= this.#close(deadlineMs);
    return this.#closing;
  }

  onInbound(answerer: InboundAnswerer): void {
    this.#inbound.answerer = answerer;
  }

  /** Calls by SIP for other platforms. */
  get dialing(): DialsSip {
    return this.#outbound;
  }

  prepare(request: Pick<DialRequest, 'accountId' | 'target' | 'dtmf'>): CallOffer {
    this.#outbound.check(request);
    return { capabilities: SIP_CAPABILITIES, sampleRateHz: offeredRateHz(this.#options.codecs) };
  }

  dial(request: DialRequest, media: MediaControl, observer: LegObserver): PlatformLeg {
    const { accountId, target, dtmf, agentName: displayName } = request;
    const sampleRateHz = offeredRateHz(this.#options.codecs);
    return this.#outbound.dial({ accountId, target, dtmf, displayName, sampleRateHz }, media, observer);
  }

  mayUse(host: string, ofOperator: boolean): boolean {
    const address = addressReadIn(host);
    return address === null || this.#trunkDeps.policy.mayUse(address, ofOperator);
  }

  putTrunk(settings: SipTrunk): void {
    const trunk = new Trunk(settings, this.#trunkDeps);
    const registration = new TrunkRegistration(trunk, this.#clock, this.#observer);
    this.#registrations.set(trunk, registration);
    const replaced = this.#trunks.put(trunk);
    const retired = replaced === null ? Promise.resolve() : this.#retire(replaced);
    // Registrars that keep one binding per account refuse the new one while the old one exists.
    const isSameServer = replaced?.settings.host === settings.host;
    if (this.#port !== null && this.#closing === null) {
      startTrunk(trunk, registration, isSameServer ? retired : Promise.resolve());
    }
  }

  removeTrunk(accountId: string): void {
    const trunk = this.#trunks.retire(accountId);
    if (trunk !== null) void this.#retire(trunk);
  }

  inboundUri(accountId: string): string | null {
    return this.#trunks.ofAccount(accountId)?.inboundUri ?? null;
  }

  registration(accountId: string): Registration {
    const trunk = this.#trunks.ofAccount(accountId);
    return (trunk === null ? undefined : this.#registrations.get(trunk)?.state) ?? OFF;
  }

  putNumber(number: SipNumber): void {
    this.#numbers.put(number);
  }

  removeNumber(didId: string): void {
    this.#numbers.remove(didId);
  }

  #routeDeps(): RouteDeps {
    return {
      clock: this.#clock,
      observer: this.#observer,
      resolver: new Resolver(this.#options.dns ?? systemDns(), this.#clock),
      policy: new AddressPolicy(this.#options.trunkAllow),
      layer: this.#layer,
      streams: this.#streams,
      advertisedHost: this.#options.advertisedHost,
      listeningPort: (protocol: SipProtocol) => (protocol === 'tls' ? this.#tlsPort : this.#port),
    };
  }

  #newTrunkDeps(routeDeps: RouteDeps): TrunkDeps {
    return {
      ...routeDeps,
      onAddresses: (trunk, addresses) => this.#trunks.setAddresses(trunk, addresses),
      onConnection: (trunk, connection) => this.#trunks.setConnection(trunk, connection),
      onUnused: (trunk) => this.#forgetIfUnused(trunk),
      onInvite: (trunk, request) => {
        const dialled = this.#router.dialled(request.message);
        if (dialled !== null) this.#inbound.receive(trunk, request, dialled);
      },
    };
  }

  /** Unregisters the trunk, which stays for as long as it has calls. */
  async #retire(trunk: Trunk): Promise<void> {
    await this.#registrations.get(trunk)?.stop(UNREGISTER_DEADLINE_MS);
    this.#registrations.delete(trunk);
    this.#forgetIfUnused(trunk);
  }

  #forgetIfUnused(trunk: Trunk): void {
    if (this.#trunks.isInService(trunk) || this.#registrations.has(trunk) || this.#legs.hasLegs(trunk))
      return;
    this.#trunks.forget(trunk);
    trunk.close();
  }

  async #close(deadlineMs: number): Promise<void> {
    const legs = this.#legs.all();
    for (const leg of legs) leg.hangUp();
    const goodbyes = [
      ...legs.map((leg) => leg.released),
      ...[...this.#registrations.values()].map((registration) => registration.stop(deadlineMs)),
    ];
    await settledWithin(this.#clock, deadlineMs, goodbyes);
    for (const trunk of this.#trunks.all()) trunk.close();
    this.#directs.close();
    this.#layer.close();
    this.#closeSockets();
  }

  #closeSockets(): void {
    this.#streams.close();
    this.#udp.close();
    this.#media.ports.close();
  }
}

/** Accepts inbound calls at once; registers once `ready` resolves. */
function startTrunk(trunk: Trunk, registration: TrunkRegistration, ready = Promise.resolve()): void {
  trunk.watch();
  void ready.then(() => registration.start());
}
