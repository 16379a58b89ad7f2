import type { Capability, Platform } from '../../base/platform.ts';
import type { Termination } from '../../base/termination.ts';
import type { MediaControl } from './media-control.ts';

/** The signaling half of a platform: login, presence, joining. One object serves all accounts. */
export interface Connector {
  readonly platform: Platform;
  readonly capabilities: readonly Capability[];
  /** Opens what the platform needs (sockets, logins). Rejects when the platform cannot work at all. */
  start(): Promise<void>;
  /** Says goodbye to the platform and releases everything within `deadlineMs`; safe to call twice. */
  close(deadlineMs: number): Promise<void>;
}

/** A connector that can place calls. */
export interface PlacesCalls {
  /** Rate of the rooms of calls that we place, in Hz; an inbound call names its own. */
  readonly nativeSampleRateHz: number;
  /**
   * Checks what can be checked without the network; throws a GatewayError (`no_sip_trunk`,
   * `meeting_url_required`, `invalid_meeting_url`).
   */
  checkDial(request: DialRequest): void;
  /** Starts an outbound leg; everything that follows, failure included, is told to `observer`. */
  dial(request: DialRequest, media: MediaControl, observer: LegObserver): PlatformLeg;
}

/** A connector that rings us. */
export interface RingsCalls {
  /** Sets who is asked about inbound calls. Set once, before `start`. */
  onInbound(answerer: InboundAnswerer): void;
}

export interface DialRequest {
  readonly callId: string;
  readonly accountId: string;
  /** Meeting URL or SIP URI as the agent gave it. */
  readonly target: string;
  /** Name shown to the other side. */
  readonly agentName: string;
}

/** An inbound call that has passed the connector's own checks and now rings. */
export interface InboundCall {
  readonly accountId: string;
  readonly agentId: string;
  /** The caller as shown, for example `+33123456789`. */
  readonly caller: string;
  /** What was called, as a URI: the Call's meeting_url. */
  readonly target: string;
  readonly autoAnswer: boolean;
  /** Rate of the call's room, in Hz, fixed for its life. */
  readonly sampleRateHz: number;
  /** Binds the call to its actor: gives media and observer, and gets the leg to control. */
  take(media: MediaControl, observer: LegObserver): PlatformLeg;
}

/** The domain's side of an inbound call. */
export interface InboundAnswerer {
  /** False: no room for it (limit reached, closing); the connector answers busy. */
  ring(call: InboundCall): boolean;
}

/** One party's signaling in a call, seen from the call actor. Methods never throw; outcomes go to the observer. */
export interface PlatformLeg {
  /** Answers a ringing inbound leg; `answered` or `ended` follows. */
  accept(): void;
  /** Declines a ringing inbound leg; `ended` follows. */
  refuse(): void;
  /** Ends the leg in whatever state it is, and tells the platform; `ended` follows. Safe to call twice. */
  hangUp(): void;
  /** Resolves when every resource of the leg is released and the platform has been told, or given up on. */
  readonly released: Promise<void>;
}

/** A leg that can press keys. */
export interface SendsDtmf {
  /** Sends digits (0-9, *, #, A-D) one after another; rejects with a GatewayError when the leg is not active. */
  sendDtmf(digits: string): Promise<void>;
}

/** What a leg tells its call actor. After `ended` nothing follows. */
export interface LegObserver {
  /** Outbound: the far end rings. */
  ringing(): void;
  /** Media can flow both ways from now on. */
  answered(): void;
  /** The far end pressed a key. */
  dtmf(digit: string): void;
  /** The leg is over. `by` tells which side caused it; `lost` means the bridge dropped. */
  ended(by: 'local' | 'remote' | 'lost', termination: Termination): void;
}

export function placesCalls(connector: Connector): connector is Connector & PlacesCalls {
  return 'dial' in connector;
}

export function sendsDtmf(leg: PlatformLeg): leg is PlatformLeg & SendsDtmf {
  return 'sendDtmf' in leg;
}
