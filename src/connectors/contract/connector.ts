import type { Capability, Platform } from '../../base/platform.ts';
import type { PresetIds } from '../../base/speech.ts';
import type { MediaControl } from '../../media/media-control.ts';
import type { LegObserver, PlatformLeg } from './call-leg.ts';
import type { HostsBots, InvitesPeople, LinksToBots, SharesLogin } from './login.ts';
import type { Messenger } from './messenger.ts';
import type { ConnectsByOAuth } from './oauth.ts';
import type { ConnectsByPairing } from './pairing.ts';
import type { TakesWebhooks } from './webhooks.ts';

/** The signaling half of a platform: login, presence and joining. One instance serves all accounts. */
export interface Connector {
  readonly platform: Platform;
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
  readonly oauth?: ConnectsByOAuth;
  readonly pairing?: ConnectsByPairing;
}

/** Places calls. */
export interface PlacesCalls {
  /**
   * Kinds of login that can place calls. Own logins of the agent (`bot_token`, `connection`) come before `shared`, the
   * platform's shared login. `trunk`: the account's SIP trunk, which `prepare` looks up.
   */
  readonly loginKinds: readonly CallLogin['kind'][];
  /** The ways into calls, the best one first, in words for people. */
  readonly ways?: readonly CallWay[];
  /** What its calls can offer here. Absent: all that the specification names for the platform. */
  readonly offers?: readonly Capability[];
  /** Presses the keys of `DialRequest.dtmf`. Absent: requests have none. */
  readonly takesDtmf?: true;
  /** Whether a login may lead to a target: where servers belong to people, a link fits one of them. Absent: any may. */
  reaches?(login: CallLogin, target: string): boolean;
  /**
   * Validates a request without using the network, and returns what its call will offer. Throws a GatewayError
   * (`no_sip_trunk`, `meeting_url_required`, `invalid_meeting_url`, `platform_not_connected`).
   */
  prepare(request: DialRequest): CallOffer;
  /** Starts an outbound leg. Everything that follows, failures included, is reported to `observer`. */
  dial(request: DialRequest, media: MediaControl, observer: LegObserver): PlatformLeg;
}

/** A way into calls, and what an account and its gateway must have for it. */
export interface CallWay {
  readonly name: string;
  readonly needs: string;
}

/** What a call offers, as far as it is known before the call. `LegObserver.capabilities` reports what turns out later. */
export interface CallOffer {
  readonly capabilities: readonly Capability[];
  /** Sample rate of the call's room, in Hz, fixed for the call's lifetime. */
  readonly sampleRateHz: number;
}

/** The login with which a call is placed or received: a bot or connection of the account, or one without an id. */
export type CallLogin =
  | { readonly kind: 'bot_token' | 'connection'; readonly id: string }
  | { readonly kind: 'shared' | 'trunk' };

export interface DialRequest {
  readonly callId: string;
  readonly accountId: string;
  readonly agentId: string;
  readonly login: CallLogin;
  /** Meeting URL or SIP URI as given by the agent. Empty: the login is to create a meeting, where it can. */
  readonly target: string;
  /** Keys to press once the call is answered, as `parsePostDial` reads them; empty: none. */
  readonly dtmf: string;
  /** Display name shown to the other side. */
  readonly agentName: string;
}

/** Receives calls. */
export interface RingsCalls {
  /** Sets the handler for inbound calls. Called once, before `start`. */
  onInbound(answerer: InboundAnswerer): void;
}

/** Stands for a caller who is not known, or wants not to be. */
export const WITHHELD_CALLER = 'anonymous';

/** An inbound call that has passed the connector's own checks and is now ringing. */
export interface InboundCall extends CallOffer {
  readonly accountId: string;
  readonly agentId: string;
  readonly login: CallLogin;
  /** Caller ID as displayed, for example `+33123456789`; WITHHELD_CALLER when the caller asks not to be shown. */
  readonly caller: string;
  /** What the caller's network sent with the call, by names in lower case; bounded by the connector. Strangers write it. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The called URI: the Call's meeting_url. */
  readonly target: string;
  readonly autoAnswer: boolean;
  /** Presets of what was called. Default: the account's enabled ones. */
  readonly presets?: PresetIds;
  /** Is told the id of the call, before `take`. */
  readonly onCall?: (callId: string) => void;
  /** Binds the call to its actor: takes the actor's media and observer, and returns the leg to control. */
  take(media: MediaControl, observer: LegObserver): PlatformLeg;
}

/** The domain's side of an inbound call. */
export interface InboundAnswerer {
  ring(call: InboundCall): RingAnswer;
}

/** What becomes of an inbound call. `busy`: its account takes no more. `overloaded`: the gateway has no room for it. */
export type RingAnswer = 'ringing' | 'busy' | 'overloaded';
