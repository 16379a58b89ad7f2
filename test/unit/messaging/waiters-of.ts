import { AccountNews } from '../../../src/messaging/inbox/account-news.ts';
import { type DeltaQuestion, readDelta } from '../../../src/messaging/inbox/inbox-delta.ts';
import { InboxWaiters } from '../../../src/messaging/inbox/long-polls.ts';
import type { World } from './messaging-world.ts';

/** A world's waiting room; `onRead` hears of every question that is looked up. */
export function waitersOf(
  { reading, wakeups, clock, store }: Pick<World, 'reading' | 'wakeups' | 'clock' | 'store'>,
  onRead: (question: DeltaQuestion) => void = () => {},
): InboxWaiters {
  const read = (question: DeltaQuestion) => {
    onRead(question);
    return readDelta(reading, question);
  };
  const newsOf = (accountId: string) => new AccountNews(store.db, accountId);
  return new InboxWaiters({ read, newsOf }, wakeups, clock);
}
