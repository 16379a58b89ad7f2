import type { Capability, Platform } from '../base/platform.ts';
import type { Termination } from '../base/termination.ts';
import type { CallStateName } from './call-state.ts';
import type { TranscriptLine } from './transcript.ts';

/** Name of an agent that gives none (specification, "Call endpoints"). */
export const DEFAULT_AGENT_NAME = 'AI Agent';

/** The properties of a call that never change. */
export interface CallIdentity {
  readonly callId: string;
  readonly roomId: string;
  readonly participantId: string;
  readonly accountId: string;
  readonly agentId: string;
  readonly platform: Platform;
  /** Meeting URL or SIP URI. */
  readonly meetingUrl: string;
  readonly agentName: string;
  readonly direction: 'outbound' | 'inbound';
  /** Empty for outbound. */
  readonly caller: string;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly capabilities: readonly Capability[];
  /** Native rate of the room, in Hz. */
  readonly sampleRateHz: number;
}

/** A call as a client sees it. */
export interface CallSnapshot extends CallIdentity {
  readonly state: CallStateName;
  /** ISO 8601; null while the call is live. */
  readonly endedAt: string | null;
  /** Why the call ended; null while it is live. */
  readonly termination: Termination | null;
}

/** An event of a call, as sent on the call WebSocket. */
export type CallEvent =
  /** `termination` is set once the call is over. */
  | { readonly type: 'call_state'; readonly state: CallStateName; readonly termination?: Termination }
  | ({ readonly type: 'call_transcript' } & TranscriptLine)
  | CallError
  | { readonly type: 'dtmf'; readonly digit: string };

/** Sent before the final `call_state` of a call that did not end normally. */
export interface CallError {
  readonly type: 'call_error';
  readonly code: 'bridge_disconnected' | 'call_failed' | 'internal_error';
  readonly message: string;
  readonly termination: Termination;
}
