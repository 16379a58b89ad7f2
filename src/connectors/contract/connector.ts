import type { Capability, Platform } from '../../base/platform.ts';
import type { Termination } from '../../base/termination.ts';
import type { HostsBots, InvitesPeople, LinksToBots, SharesLogin, TellsStatus } from './login.ts';
import type { MediaControl } from './media-control.ts';
import type { Messenger } from './messenger.ts';
import type { TakesWebhooks } from './webhooks.ts';

/** The signaling half of a platform: login, presence and joining. One instance serves all accounts. */
export interface Connector {
  readonly platform: Platform;
  readonly capabilities: readonly Capability[];
  readonly provides: Provides;
  /** Opens the platform's sockets and logins. Rejects when the platform cannot work at all. */
  start(): Promise<void>;
  /** Signs off from the platform and releases all resources within `deadlineMs`. Safe to call twice. */
  close(deadlineMs: number): Promise<void>;
}

/** What a connector does. It does not do what is absent. */
export interface Provides {
  readonly calls?: PlacesCalls;
  readonly inboundCalls?: RingsCalls;
  readonly messenger?: Messenger;
  readonly webhooks?: TakesWebhooks;
  readonly bots?: HostsBots;
  readonly sharedLogin?: SharesLogin;
  readonly invitations?: InvitesPeople;
  readonly deepLinks?: LinksToBots;
  readonly status?: TellsStatus;
}

/** Places calls. */
export interface PlacesCalls {
  /** Sample rate of outbound calls' rooms, in Hz. An inbound call carries its own rate. */
  readonly nativeSampleRateHz: number;
  /**
   * Validates a request without using the network. Throws a GatewayError (`no_sip_trunk`, `meeting_url_required`,
   * `invalid_meeting_url`).
   */
  checkDial(request: DialRequest): void;
  /** Starts an outbound leg. Everything that follows, failures included, is reported to `observer`. */
  dial(request: DialRequest, media: MediaControl, observer: LegObserver): PlatformLeg;
}

/** Receives calls. */
export interface RingsCalls {
  /** Sets the handler for inbound calls. Called once, before `start`. */
  onInbound(answerer: InboundAnswerer): void;
}

export interface DialRequest {
  readonly callId: string;
  readonly accountId: string;
  /** Meeting URL or SIP URI as given by the agent. */
  readonly target: string;
  /** Display name shown to the other side. */
  readonly agentName: string;
}

/** An inbound call that has passed the connector's own checks and is now ringing. */
export interface InboundCall {
  readonly accountId: string;
  readonly agentId: string;
  /** Caller ID as displayed, for example `+33123456789`. */
  readonly caller: string;
  /** The called URI: the Call's meeting_url. */
  readonly target: string;
  readonly autoAnswer: boolean;
  /** Sample rate of the call's room, in Hz, fixed for the call's lifetime. */
  readonly sampleRateHz: number;
  /** Binds the call to its actor: takes the actor's media and observer, and returns the leg to control. */
  take(media: MediaControl, observer: LegObserver): PlatformLeg;
}

/** The domain's side of an inbound call. */
export interface InboundAnswerer {
  /** Returns false when the call cannot be taken (limit reached, closing). The connector then answers busy. */
  ring(call: InboundCall): boolean;
}

/** One party's signaling in a call, as seen by the call actor. Methods never throw; outcomes go to the observer. */
export interface PlatformLeg {
  /** Answers a ringing inbound leg; `answered` or `ended` follows. */
  accept(): void;
  /** Declines a ringing inbound leg; `ended` follows. */
  refuse(): void;
  /** Ends the leg in any state and notifies the platform; `ended` follows. Safe to call twice. */
  hangUp(): void;
  /**
   * Resolves once all of the leg's resources are released and the platform has been notified, or the attempt given up.
   */
  readonly released: Promise<void>;
  readonly dtmf?: SendsDtmf;
}

/** A leg that can send DTMF. */
export interface SendsDtmf {
  /** Sends the digits (0-9, *, #, A-D) one after another. Rejects with a GatewayError when the leg is not active. */
  sendDtmf(digits: string): Promise<void>;
}

/** Events from a leg to its call actor. Nothing follows `ended`. */
export interface LegObserver {
  /** Outbound only: the far end is ringing. */
  ringing(): void;
  /** Media can now flow both ways. */
  answered(): void;
  /** The far end pressed a key. */
  dtmf(digit: string): void;
  /** The leg is over. `by` is the side that caused it; `lost` means the bridge dropped. */
  ended(by: 'local' | 'remote' | 'lost', termination: Termination): void;
}
