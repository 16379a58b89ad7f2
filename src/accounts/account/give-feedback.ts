import { TooManyAttempts } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import { isoAfter } from '../../base/time.ts';
import { insertRow } from '../../store/database/rows.ts';
import { countFeedback, type Feedback, pruneFeedback } from '../../store/people/feedback.ts';
import type { AccountDomain } from './account-domain.ts';

const HOUR_MS = 3_600_000;
const MAX_AN_HOUR = 20;
/** Limit per account. Beyond it, the oldest is dropped. */
const MAX_KEPT = 500;

/** Feedback, with what the person was shown when they gave it. */
export type GivenFeedback = Omit<Feedback, 'id' | 'accountId' | 'createdAt'>;

/** Stores feedback for the gateway's operator, reports it in the log and returns its id. Throws TooManyAttempts. */
export async function giveFeedback(
  { store, clock, calls }: AccountDomain,
  accountId: string,
  given: GivenFeedback,
): Promise<string> {
  const createdAt = clock.nowIso();
  const feedback = { ...given, id: newId('fbk'), accountId, createdAt };
  await store.db.transaction().execute(async (trx) => {
    if ((await countFeedback(trx, accountId, isoAfter(createdAt, -HOUR_MS))) >= MAX_AN_HOUR)
      throw new TooManyAttempts(HOUR_MS / 1000, `At most ${MAX_AN_HOUR} feedback messages per hour`);
    await insertRow(trx, 'feedback', feedback);
    await pruneFeedback(trx, accountId, MAX_KEPT);
  });
  calls.events.feedbackGiven(feedback);
  return feedback.id;
}
