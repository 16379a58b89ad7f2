import type { Migration } from '../database/migration.ts';

/** The platform of an event, which limits the event to credentials with access to that platform. */
export const migration0005: Migration = {
  name: '0005-event-platforms',
  statements: [
    `alter table events add column platform text`,
    `update events set platform = coalesce(
      payload ->> '$.platform',
      (select calls.platform from calls where calls.call_id = events.payload ->> '$.call_id')
    ) where json_valid(payload)`,
  ],
};
