import type { URI, UserAgentCore } from 'sip.js/lib/core/index.js';
import type { Clock } from '../../../base/time.ts';
import type { AddressPolicy } from './address/address-policy.ts';
import type { Listening, OwnAddress } from './address/own-address.ts';
import type { Resolver } from './address/resolver.ts';
import type { StoredChallenges } from './digest/digest-credentials.ts';
import type { MediaRoute } from './legs/leg-media.ts';
import type { SrtpPolicy } from './sdp/sdp-local.ts';
import type { SipObserver } from './sip-observer.ts';
import type { StreamTransport } from './transport/stream-transport.ts';
import type { RequestSender, TransportLayer } from './transport/transport-layer.ts';
import type { Destination, Source } from './transport/wire.ts';
import type { TrunkFault } from './trunk/trunk-fault.ts';

/** Dependencies shared by all routes. */
export interface RouteDeps extends Listening {
  readonly clock: Clock;
  readonly observer: SipObserver;
  readonly resolver: Resolver;
  readonly policy: AddressPolicy;
  readonly layer: TransportLayer<SipRoute>;
  readonly streams: StreamTransport;
}

/** The way of a call to its far end, as its leg sees it. */
export interface SipRoute extends RequestSender, MediaRoute {
  /** User part of our Contact in dialogs. It identifies the route and cannot be guessed. */
  readonly dialogUser: string;
  readonly core: UserAgentCore;
  readonly own: OwnAddress;
  /** Our current Contact in dialogs, with brackets. */
  readonly contact: string;
  /** URI of the server, without a user. */
  readonly serverUri: string;
  /** From of our calls. */
  readonly caller: URI;
  readonly srtp: SrtpPolicy;
  /** Answers challenges to our requests. */
  readonly challenges: StoredChallenges;
  /** Resolves the servers, best first. Rejects with TrunkFault when no address is found or allowed. */
  locate(): Promise<{ readonly destinations: readonly Destination[] }>;
  /**
   * Prepares for a request to `destination`: determines our own address and opens a connection if needed. Rejects with
   * TrunkFault.
   */
  prepare(destination: Destination): Promise<void>;
  /** Sends requests with this Call-ID, outside dialogs, to `destination`. */
  pin(callId: string, destination: Destination): void;
  unpin(callId: string): void;
  /** Records that `destination` answers. */
  prefer(destination: Destination): void;
  /** Returns the first Contact of a 3xx that the route may follow; null when there is none. */
  redirected(contacts: readonly string[]): URI | null;
  /** Whether requests inside the route's dialogs may come from there. */
  hears(source: Source): boolean;
  /** Logs why a call could not be placed, and returns what its account may know. */
  noteFault(fault: TrunkFault): string;
  /** Called when no call uses the route any more. */
  unused(): void;
}
