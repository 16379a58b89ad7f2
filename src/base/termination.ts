/** How a call ended, as it is stored and told. */
export type TerminationResult =
  | 'completed'
  | 'refused'
  | 'missed'
  | 'busy'
  | 'no_answer'
  | 'failed'
  | 'disconnected'
  | 'internal_error';

/** Why a call ended: `result` for programs, `reason` for people (for example `486 Busy Here`). */
export interface Termination {
  readonly result: TerminationResult;
  readonly reason: string;
}
