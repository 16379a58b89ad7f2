import { type IncomingInviteRequest, URI, type UserAgentCore } from 'sip.js/lib/core/index.js';
import type { CancelTimer, Clock } from '../../../base/time.ts';
import type { SipTrunk } from '../../contract/sip-accounts.ts';
import { ChallengeBook, DigestCredentials } from './digest-credentials.ts';
import { localAddressTowards } from './local-address.ts';
import type { Resolver } from './resolver.ts';
import { createCore, type LocalEnd } from './sip-core.ts';
import type { SipObserver } from './sip-observer.ts';
import { hostInUri } from './sip-uri.ts';
import type { StreamTransport } from './stream-transport.ts';
import type { TransportLayer } from './transport-layer.ts';
import { TrunkFlow } from './trunk-flow.ts';
import type { Destination, SipProtocol } from './wire.ts';

/** What all trunks share. */
export interface TrunkSurroundings {
  readonly clock: Clock;
  readonly observer: SipObserver;
  readonly resolver: Resolver;
  readonly layer: TransportLayer<Trunk>;
  readonly streams: StreamTransport;
  readonly advertisedHost: string | null;
  /** The port on which we listen for that protocol; null when we don't. */
  readonly listeningPort: (protocol: SipProtocol) => number | null;
  readonly onInvite: (trunk: Trunk, request: IncomingInviteRequest) => void;
}

const VIA_PROTOCOL = { udp: 'UDP', tcp: 'TCP', tls: 'TLS' } as const;
const RETRY_LOOKUP_MS = 30_000;
const MAX_REFRESH_MS = 300_000;
/** Within the 30 s after which a home router may forget a quiet UDP flow (RFC 5626 section 4.4.2). */
const KEEP_ALIVE_MS = 25_000;

/** One account's way to the telephone network: its server, its credentials, and a user agent core of its own. */
export class Trunk {
  readonly settings: SipTrunk;
  /** User part of our Contact: it tells trunks apart, and outsiders cannot guess it. */
  readonly contactUser: string;
  readonly core: UserAgentCore;
  readonly flow: TrunkFlow;
  readonly challenges = new ChallengeBook();
  /** Told when the connection of a TCP or TLS trunk is gone. */
  onConnectionLost: () => void = () => {};
  readonly #around: TrunkSurroundings;
  readonly #pins = new Map<string, Destination>();
  #destinations: readonly Destination[] = [];
  #preferred: Destination | null = null;
  #addresses: ReadonlySet<string> = new Set();
  #localHost = '';
  /** Where the trunk's servers see us when a NAT lies between; null when none does, or nobody has said so. */
  #publicAddress: { readonly host: string; readonly port: number } | null = null;
  #cancelRefresh: CancelTimer = () => {};
  #cancelKeepAlive: CancelTimer = () => {};
  #closed = false;

  constructor(settings: SipTrunk, contactUser: string, around: TrunkSurroundings) {
    this.settings = settings;
    this.contactUser = contactUser;
    this.#around = around;
    this.flow = new TrunkFlow(around.streams, () => {
      around.observer.count('transport_lost');
      this.onConnectionLost();
    });
    this.core = createCore(
      {
        contactUser: this.contactUser,
        local: () => this.#localEnd(),
        transport: {
          protocol: VIA_PROTOCOL[settings.transport],
          send: (text) => around.layer.send(this, text),
        },
        credentials: () => new DigestCredentials(settings.username, settings.password, this.challenges),
      },
      { onInvite: (request) => around.onInvite(this, request) },
    );
  }

  /** Keeps the addresses of the trunk's servers fresh from now on, because inbound calls are known by them. */
  watch(): void {
    void this.locate()
      .then(
        ({ ttlMs }) => Math.min(ttlMs, MAX_REFRESH_MS),
        () => RETRY_LOOKUP_MS,
      )
      .then((delayMs) => {
        if (!this.#closed) this.#cancelRefresh = this.#around.clock.after(delayMs, () => this.watch());
      });
  }

  /** Looks the servers up; the one that works comes first. Rejects when none is found. */
  async locate(): Promise<{ destinations: readonly Destination[]; ttlMs: number }> {
    const { host, port, transport } = this.settings;
    const { destinations, ttlMs } = await this.#around.resolver.resolve({ host, port, protocol: transport });
    // Our own address comes first: once a server's address is known, its calls are let in and need it.
    if (this.#localHost === '') await this.#learnLocalHost(destinations[0]!);
    this.#addresses = addressesOf([...this.#destinations, ...destinations]);
    this.#destinations = destinations;
    return { destinations: this.#preferredFirst(destinations), ttlMs };
  }

  /** True when a message from that IP address comes from one of the trunk's servers. */
  hasAddress(host: string): boolean {
    return this.#addresses.has(host);
  }

  /** Makes sure of all that a request to `destination` needs: our own address, and a connection. */
  async prepare(destination: Destination): Promise<void> {
    await this.#learnLocalHost(destination);
    if (destination.protocol !== 'udp') await this.flow.open(destination);
  }

  /** The address of ours that the trunk's servers can reach; empty before the first `locate`. */
  get reachableHost(): string {
    return this.#publicAddress?.host ?? this.#localHost;
  }

  /** Our Contact with its brackets, as it is now. */
  get contact(): string {
    return this.core.configuration.contact.toString();
  }

  /** The address of `user` at the trunk; of the trunk itself when `user` is empty. */
  addressOf(user: string): URI {
    return new URI('sip', user, hostInUri(this.settings.host));
  }

  /** Takes a server's word for where our requests come from, unless our operator has said it. */
  notePublicAddress(seen: { readonly host: string; readonly port: number } | null): void {
    if (seen === null || this.#around.advertisedHost !== null) return;
    const { transport } = this.settings;
    // The port of a connection that we have opened differs anyhow.
    const isSamePort = transport !== 'udp' || seen.port === this.#around.listeningPort(transport);
    this.#publicAddress = seen.host === this.#localHost && isSamePort ? null : seen;
  }

  /** Sends requests with that Call-ID, outside dialogs, to `destination`. */
  pin(callId: string, destination: Destination): void {
    this.#pins.set(callId, destination);
  }

  unpin(callId: string): void {
    this.#pins.delete(callId);
  }

  /** Notes that `destination` answers, so that the next request goes there first and the way stays open. */
  prefer(destination: Destination): void {
    this.#preferred = destination;
    if (destination.protocol === 'udp') this.#keepAlive(destination);
  }

  /** Over UDP an empty line keeps routers on the way from closing it; TCP connections do it themselves. */
  #keepAlive(destination: Destination): void {
    this.#cancelKeepAlive();
    this.#cancelKeepAlive = this.#around.clock.after(KEEP_ALIVE_MS, () => {
      this.#around.layer.ping(destination);
      this.#keepAlive(destination);
    });
  }

  destinationFor(callId: string): Destination {
    const destination = this.#pins.get(callId) ?? this.#preferredFirst(this.#destinations)[0];
    if (destination === undefined) throw new Error(`no address known for ${this.settings.host}`);
    return destination;
  }

  /** Where the next hop of a request inside a dialog is. */
  async resolveHop(host: string, port: number): Promise<Destination> {
    const protocol = this.settings.transport;
    const { destinations } = await this.#around.resolver.resolve({ host, port, protocol });
    return destinations[0]!;
  }

  /** Forgets everything, live dialogs included. */
  close(): void {
    this.#closed = true;
    this.#cancelRefresh();
    this.#cancelKeepAlive();
    this.#around.layer.requests.clear(this);
    this.core.dispose();
    this.flow.close();
  }

  async #learnLocalHost(destination: Destination): Promise<void> {
    const { advertisedHost } = this.#around;
    this.#localHost = advertisedHost ?? (await localAddressTowards(destination.host, destination.port));
  }

  #preferredFirst(destinations: readonly Destination[]): readonly Destination[] {
    const preferred = this.#preferred;
    if (preferred === null) return destinations;
    const isPreferred = (each: Destination): boolean =>
      each.host === preferred.host && each.port === preferred.port;
    return [...destinations.filter(isPreferred), ...destinations.filter((each) => !isPreferred(each))];
  }

  #localEnd(): LocalEnd {
    const { transport } = this.settings;
    // Without a listener for TLS the peer's only way to us is the connection that we have opened.
    const port = this.#around.listeningPort(transport) ?? this.flow.connection?.localPort ?? 5061;
    const sentBy = `${hostInUri(this.#localHost)}:${port}`;
    const seen = this.#publicAddress;
    const place = seen === null ? sentBy : `${hostInUri(seen.host)}:${seen.port}`;
    const suffix = transport === 'udp' ? '' : `;transport=${transport}`;
    return { sentBy, contact: `sip:${this.contactUser}@${place}${suffix}` };
  }
}

function addressesOf(destinations: readonly Destination[]): ReadonlySet<string> {
  return new Set(destinations.map((destination) => destination.host));
}
