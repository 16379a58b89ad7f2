import type { Termination } from '../base/termination.ts';
import type { CallStateName } from './call-state.ts';
import type { TranscriptLine } from './transcript.ts';

/** Everything that can happen on a call. */
export type CallEvent =
  | StateEvent
  /** An inbound call rings and waits for an agent to accept it. */
  | { readonly type: 'call_invite' }
  | CallError
  | ({ readonly type: 'call_transcript' } & TranscriptLine)
  | { readonly type: 'dtmf'; readonly digit: string };

/** A call begins in this state or has changed to it. `termination` is set once the call is over. */
export interface StateEvent {
  readonly type: 'call_state';
  readonly state: CallStateName;
  readonly termination?: Termination;
}

/** Published before the final `call_state` of a call that did not end normally. */
export interface CallError {
  readonly type: 'call_error';
  readonly code: 'bridge_disconnected' | 'call_failed' | 'internal_error';
  readonly message: string;
  readonly termination: Termination;
}
