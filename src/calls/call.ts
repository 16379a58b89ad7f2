import type { Capability, Platform } from '../base/platform.ts';
import type { Termination } from '../base/termination.ts';
import type { CallStateName } from './call-state.ts';
import type { TranscriptLine } from './transcript.ts';

/** How an agent is called that gives no name (specification, "Call endpoints"). */
export const DEFAULT_AGENT_NAME = 'AI Agent';

/** What stays the same through a call's life. */
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
  /** ISO 8601; null while the call lives. */
  readonly endedAt: string | null;
  /** Why it ended; null while the call lives. */
  readonly termination: Termination | null;
}

/** What happens on a call, in the words of the call WebSocket. */
export type CallEvent =
  /** With the termination once the call is over. */
  | { readonly type: 'call_state'; readonly state: CallStateName; readonly termination?: Termination }
  | ({ readonly type: 'call_transcript' } & TranscriptLine)
  | CallError
  | { readonly type: 'dtmf'; readonly digit: string };

/** Told before the state of a call that is over, unless it ended as calls do. */
export interface CallError {
  readonly type: 'call_error';
  readonly code: 'bridge_disconnected' | 'call_failed' | 'internal_error';
  readonly message: string;
  readonly termination: Termination;
}
