import type { Db } from '../../store/database/tables.ts';
import { noteSubject, type RequestRef, subjectOf } from '../../store/keys/idempotent-requests.ts';

/** A request to write one message that may be made again after a crash, and still writes only one. */
export interface RepeatableRequest {
  /** Notes the message. Called in the transaction that stores it. */
  note(db: Db, messageId: string): Promise<void>;
  /** Returns the message that the request has stored before. Null: none. */
  written(db: Db): Promise<string | null>;
}

/** A request with an `Idempotency-Key`. */
export function requestWithKey(ref: RequestRef): RepeatableRequest {
  return {
    note: async (db, messageId) => await noteSubject(db, ref, messageId),
    written: async (db) => await subjectOf(db, ref),
  };
}
