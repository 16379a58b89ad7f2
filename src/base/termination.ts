/** How a call ended, as stored and reported. */
export const TERMINATION_RESULTS = [
  'completed',
  'refused',
  'missed',
  'busy',
  'no_answer',
  'failed',
  'disconnected',
  'internal_error',
] as const;

export type TerminationResult = (typeof TERMINATION_RESULTS)[number];

/** Why a call ended: `result` for programs, `reason` for people (for example `486 Busy Here`). */
export interface Termination {
  readonly result: TerminationResult;
  readonly reason: string;
}

/** The agent's side has hung up. */
export const HUNG_UP: Termination = { result: 'completed', reason: 'hung up' };
export const CANCELLED: Termination = { result: 'no_answer', reason: 'cancelled before it was answered' };
