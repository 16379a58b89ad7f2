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
