import type { Migration } from '../database/migration.ts';

/** The inbox looks for news of calls, which are few among an account's events, or none. */
export const migration0007: Migration = {
  name: '0007-call-events',
  statements: [`create index events_of_calls on events (account_id, id) where type glob 'call_*'`],
};
