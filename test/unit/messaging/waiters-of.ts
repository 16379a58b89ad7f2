import { type DeltaQuestion, readDelta } from '../../../src/messaging/inbox/inbox-delta.ts';
import { AccountNews } from '../../../src/messaging/inbox/long-poll-account.ts';
import { LongPolls } from '../../../src/messaging/inbox/long-polls.ts';
import type { World } from './messaging-world.ts';

/** The waiting requests of a world; `onRead` is called for every question that is read. */
export function waitersOf(
  { reading, wakeups, clock, store }: Pick<World, 'reading' | 'wakeups' | 'clock' | 'store'>,
  onRead: (question: DeltaQuestion) => void = () => {},
): LongPolls {
  const read = (question: DeltaQuestion) => {
    onRead(question);
    return readDelta(reading, question);
  };
  const newsOf = (accountId: string) => new AccountNews(store.db, accountId);
  return new LongPolls({ read, newsOf }, wakeups, clock);
}
