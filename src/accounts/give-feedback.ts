import { newId } from '../base/ids.ts';
import { type Feedback, insertFeedback } from '../store/feedback.ts';
import type { AccountDomain } from './account-domain.ts';

/** What somebody has to say; the rest is what they were shown when they said it. */
export type GivenFeedback = Omit<Feedback, 'id' | 'accountId' | 'createdAt'>;

/** Keeps it for the gateway's operator, who is told by a log line; returns its id. */
export async function giveFeedback(
  { store, clock, calls }: AccountDomain,
  accountId: string,
  given: GivenFeedback,
): Promise<string> {
  const feedback = { ...given, id: newId('fbk'), accountId, createdAt: clock.nowIso() };
  await insertFeedback(store.db, feedback);
  calls.events.feedbackGiven(feedback);
  return feedback.id;
}
