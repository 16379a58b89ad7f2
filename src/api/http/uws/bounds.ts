import type { Backlog } from '../answer/backlog.ts';
import type { Pace } from './pace.ts';

/** Limits shared by all answers of a server. */
export interface Bounds {
  readonly backlog: Backlog;
  readonly pace: Pace;
}
