import type { NcAnswer } from './nc-answer.ts';
import type { NcRequest } from './nc-request.ts';
import type { NcScene } from './ocs-route.ts';
import type { PhpSession } from './php-sessions.ts';

export interface Visit {
  readonly request: NcRequest;
  readonly session: PhpSession;
  readonly scene: NcScene;
}

/** A request that was recognized. */
export interface Handling {
  /** By which tests call it. */
  readonly name: string;
  run(): NcAnswer | Promise<NcAnswer>;
}

/** A part of the Nextcloud. */
export interface Area {
  /** Null: the request is none of its own. Throws OcsError or PlainError for one that is wrong. */
  handling(visit: Visit): Handling | null;
}
