import type { Migration } from '../database/migration.ts';

/** An index for the inbox, which looks for the few call events of an account, if there are any. */
export const migration0007: Migration = {
  name: '0007-call-events',
  statements: [`create index events_of_calls on events (account_id, id) where type glob 'call_*'`],
};
