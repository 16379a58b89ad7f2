import type { TerminationResult } from '../../../src/base/termination.ts';
import type { Connector } from '../../../src/connectors/contract/connector.ts';
import type { Gateway } from '../../support/gateway.ts';
import type { GatewayApi } from '../../support/gateway-api.ts';
import type { Rule } from '../rule.ts';

/** A platform with calls, with its gateway and its far ends. Implement it for a new platform. */
export interface CallsUnderTest {
  /** Declares what the platform's calls can do. It is another instance than the gateway's, and never started. */
  readonly connector: Connector;
  readonly gateway: Gateway;
  /** Deadline in milliseconds for everything that should happen soon. */
  patienceMs: number;
  /** What calls have beside audio; far ends have the members for it. */
  readonly features: ReadonlySet<CallFeature>;
  /** `meeting_url` of calls that are refused at once, with the answer's `detail`. */
  readonly refused: readonly {
    readonly meetingUrl: string;
    readonly detail: string;
    readonly code: string;
  }[];
  /** How the far end can turn a call down, and what the gateway makes of it. */
  readonly failures: Readonly<Record<string, TerminationResult>>;
  /** The operator's account, which has a login. */
  readonly account: AccountUnderTest;
  /** Another account with a login of its own. */
  readonly otherAccount: AccountUnderTest;
  /** Ends a thread of the engine. All calls are on it. */
  killEngineThread(): void;
  /** Ends a bridge thread. Present where calls have a transport; all of them are on it. */
  killBridgeThread?(): void;
  /** Ends whatever a violated rule has left at the far ends. */
  hangUpAll(): void;
  stop(): Promise<void>;
}

export type CallFeature = 'dtmf' | 'chat' | 'typing' | 'lobby' | 'participants';

export type CallRule = Rule<CallsUnderTest>;

/** Settings with which every gateway under test runs. */
export const GATEWAY_ENV = { SVC_SIGNUP: 'open', SVC_ENGINE_THREADS: '1' } as const;

/** An account of the gateway, with those whom it can talk to. */
export interface AccountUnderTest {
  readonly api: GatewayApi;
  readonly agentKey: string;
  /** Makes up something that it can call, for one call. */
  newMeeting(): string;
  /** Resolves with the call that the gateway places there. Rejects after `deadlineMs`. */
  offered(meetingUrl: string, deadlineMs: number): Promise<OfferedCall>;
  /** Number of calls that the gateway has placed for the account. */
  readonly offers: number;
  /** Somebody calls the account. Present with `inboundCalls`. */
  called?(): Promise<CallerUnderTest>;
}

/** A call as the far end sees it before it has decided. */
export interface OfferedCall {
  answer(): Promise<FarEnd>;
  /** Turns the call down in one of the ways of `failures`. */
  fail(failure: string): void;
  /** Whether the gateway has given up. */
  readonly isWithdrawn: boolean;
}

/** Somebody who calls the account. */
export interface CallerUnderTest {
  /** Resolves once the call is accepted. */
  readonly answered: Promise<FarEnd>;
  /** Whether the gateway has turned the call down. */
  readonly isRefused: boolean;
  giveUp(): void;
}

/** The other side of an active call. */
export interface FarEnd {
  readonly sampleRateHz: number;
  /** Streams a tone until stopped. */
  speak(toneHz: number): { stop(): void };
  /** Resolves with the next `lengthMs` of what it hears. Rejects after `deadlineMs`. */
  hears(lengthMs: number, deadlineMs: number): Promise<Int16Array>;
  hangUp(): void;
  /** Whether the gateway has ended the call. */
  readonly isOver: boolean;
  /** `dtmf`: presses keys. */
  press?(digits: string): void;
  /** `dtmf`: the keys that it has heard. */
  pressed?(): string;
  /** `chat`: somebody writes. */
  writes?(text: string): void;
  /** `chat`: what the agent has written. */
  read?(): readonly string[];
  /** `typing`: number of times that the agent was seen typing. */
  typingShown?(): number;
  /** `participants`: somebody comes in. Returns how they leave. */
  enters?(name: string): () => void;
}
