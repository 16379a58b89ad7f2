import { isIP } from 'node:net';
import type { CancelTimer } from '../../../../base/time.ts';
import type { SipTrunk } from '../../../contract/sip-accounts.ts';
import type { IncomingInviteRequest, URI } from '../core/sip-core.ts';
import { sipUri } from '../core/uri-grammar.ts';
import { redirectTargets } from '../legs/dial-target.ts';
import { hostInUri } from '../message/sip-uri.ts';
import { type RouteDeps, SipRoute } from '../sip-route.ts';
import type { Connection, Destination, SipProtocol } from '../transport/wire.ts';
import { faultDetail, TrunkFault } from './trunk-fault.ts';

/** Dependencies shared by all trunks. */
export interface TrunkDeps extends RouteDeps {
  readonly onInvite: (trunk: Trunk, request: IncomingInviteRequest) => void;
  /** Called with the trunk's current server addresses. */
  readonly onAddresses: (trunk: Trunk, addresses: ReadonlySet<string>) => void;
  /** Called when the trunk has opened a connection to its server. */
  readonly onConnection: (trunk: Trunk, connection: Connection) => void;
  /** Called when no call uses the trunk any more. */
  readonly onUnused: (trunk: Trunk) => void;
}

const CALLER_HEADERS = {
  p_asserted_identity: 'P-Asserted-Identity',
  p_preferred_identity: 'P-Preferred-Identity',
} as const;

const RETRY_LOOKUP_MS = 30_000;
const MAX_REFRESH_MS = 300_000;

/**
 * One account's connection to the telephone network: its server and its credentials. Only the inbound token opens calls,
 * which only the registrar and the account know.
 */
export class Trunk extends SipRoute<SipTrunk> {
  /** Called when the connection of a TCP or TLS trunk is lost. */
  onConnectionLost: () => void = () => {};
  readonly #deps: TrunkDeps;
  readonly #pins = new Map<string, Destination>();
  #destinations: readonly Destination[] = [];
  #preferred: Destination | null = null;
  #cancelRefresh: CancelTimer = () => {};
  #closed = false;

  constructor(settings: SipTrunk, deps: TrunkDeps) {
    super(settings, deps, settings);
    this.#deps = deps;
  }

  get transport(): SipProtocol {
    return this.settings.transport;
  }

  get serverUri(): string {
    return `sip:${hostInUri(this.settings.host)}:${this.settings.port}`;
  }

  get caller(): URI {
    const { callerId, callerIdIn, username } = this.settings;
    return this.addressOf((callerIdIn === 'from' ? callerId : null) ?? username);
  }

  /** RFC 3325 section 9: the number that calls, where From may not have it. */
  get callerHeaders(): readonly string[] {
    const { callerId, callerIdIn } = this.settings;
    if (callerId === null || callerIdIn === 'from') return [];
    return [`${CALLER_HEADERS[callerIdIn]}: <${this.addressOf(callerId)}>`];
  }

  /** Keeps the addresses of the trunk's servers up to date, because messages from them are accepted. */
  watch(): void {
    void this.locate()
      .then(
        ({ ttlMs }) => Math.min(ttlMs, MAX_REFRESH_MS),
        () => RETRY_LOOKUP_MS,
      )
      .then((delayMs) => {
        if (!this.#closed) this.#cancelRefresh = this.#deps.clock.after(delayMs, () => this.watch());
      });
  }

  /**
   * Resolves the trunk's servers, the working one first. Every address is checked each time, since a name may point
   * elsewhere at any moment. Rejects with TrunkFault when no address is found or allowed.
   */
  async locate(): Promise<{ destinations: readonly Destination[]; ttlMs: number }> {
    const { host, port, transport } = this.settings;
    const found = await this.resolve({ host, port, protocol: transport });
    const destinations = found.destinations.filter((each) => this.mayReach(each.host));
    if (destinations.length === 0) {
      this.#settle([], new Set());
      throw this.#refused();
    }
    // Our own address comes first: once a server's address is known, its calls are accepted and need it.
    if (this.own.host === '') await this.own.learn(destinations[0]!);
    this.#settle(destinations, addressesOf([...this.#destinations, ...destinations]));
    return { destinations: this.#preferredFirst(destinations), ttlMs: found.ttlMs };
  }

  /** Whether the trunk may have a server at this IP address. */
  mayReach(host: string): boolean {
    return this.#deps.policy.mayUse(host, this.settings.ofOperator);
  }

  mayFollow(host: string): boolean {
    const servers = this.#destinations.map((destination) => destination.host);
    return this.#deps.policy.mayFollow(host, this.settings.ofOperator, servers);
  }

  /** Our Contact at the registrar, which inbound calls are sent to. */
  get registeredContact(): string {
    return `<${this.own.contactOf(this.settings.inboundToken)}>`;
  }

  /** URI for providers without registration; null while we do not listen or our address is unknown. */
  get inboundUri(): string | null {
    return this.own.listeningUriOf(this.settings.inboundToken);
  }

  /** Returns the URI of `user` at the trunk, or of the trunk itself when `user` is empty. */
  addressOf(user: string): URI {
    return sipUri(user, hostInUri(this.settings.host));
  }

  /** Redirections stay on the trunk. */
  redirected(contacts: readonly string[]): readonly URI[] {
    return redirectTargets(contacts, this.settings);
  }

  /** Providers use further addresses inside dialogs, whose ids nobody else knows. */
  hears(): boolean {
    return true;
  }

  /** The account only sees the kind of fault. */
  noteFault(fault: TrunkFault): string {
    const { accountId, host } = this.settings;
    const detail = { accountId, host, error: faultDetail(fault) };
    this.#deps.observer.log('warn', 'Call could not be placed over the SIP trunk', detail);
    return fault.message;
  }

  unused(): void {
    this.#deps.onUnused(this);
  }

  invited(request: IncomingInviteRequest): void {
    this.#deps.onInvite(this, request);
  }

  connected(connection: Connection): void {
    this.#deps.onConnection(this, connection);
  }

  override disconnected(): void {
    super.disconnected();
    this.onConnectionLost();
  }

  pin(callId: string, destination: Destination): void {
    this.#pins.set(callId, destination);
  }

  unpin(callId: string): void {
    this.#pins.delete(callId);
  }

  /** The next request goes there first. */
  override prefer(destination: Destination): void {
    this.#preferred = destination;
    super.prefer(destination);
  }

  destinationFor(callId: string): Destination {
    const destination = this.#pins.get(callId) ?? this.#preferredFirst(this.#destinations)[0];
    if (destination === undefined) throw new Error(`the address of ${this.settings.host} is not known yet`);
    return destination;
  }

  override close(): void {
    this.#closed = true;
    this.#cancelRefresh();
    super.close();
  }

  /** Hides from other accounts whether a name exists inside the gateway's network. */
  #refused(): TrunkFault {
    const { host, ofOperator } = this.settings;
    const mayKnow = ofOperator || isIP(host) !== 0;
    return new TrunkFault(
      mayKnow ? 'not_allowed' : 'unreachable',
      new Error(`no address of ${host} is allowed`),
    );
  }

  #settle(destinations: readonly Destination[], addresses: ReadonlySet<string>): void {
    this.#destinations = destinations;
    if (!this.#closed) this.#deps.onAddresses(this, addresses);
  }

  #preferredFirst(destinations: readonly Destination[]): readonly Destination[] {
    const preferred = this.#preferred;
    if (preferred === null) return destinations;
    const isPreferred = (each: Destination): boolean =>
      each.host === preferred.host && each.port === preferred.port;
    return [...destinations.filter(isPreferred), ...destinations.filter((each) => !isPreferred(each))];
  }
}

function addressesOf(destinations: readonly Destination[]): ReadonlySet<string> {
  return new Set(destinations.map((destination) => destination.host));
}
