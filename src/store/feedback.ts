import type { Selectable } from 'kysely';
import type { Db, FeedbackTable } from './tables.ts';

/** What somebody told the gateway's operator. */
export type Feedback = Selectable<FeedbackTable>;

export async function insertFeedback(db: Db, feedback: Feedback): Promise<void> {
  await db.insertInto('feedback').values(feedback).execute();
}
