import type { Migration } from '../database/migration.ts';

/** When the first request of a message that is shown while it is written was made. */
export const migration0054: Migration = {
  name: '0054-live-since',
  statements: [
    "alter table live_messages add column begun_at text not null default '1970-01-01T00:00:00.000Z';",
  ],
};
