import type { Backlog } from '../answer/backlog.ts';
import type { Pace } from './pace.ts';

/** What all answers of a server share. */
export interface Bounds {
  readonly backlog: Backlog;
  readonly pace: Pace;
}
