import type { Migration } from '../database/migration.ts';

/** Messages sent in the background. Whether sending has begun decides how a restart handles them. */
export const migration0014: Migration = {
  name: '0014-background-messages',
  statements: [`alter table messages add column background text check (background in ('waiting', 'begun'))`],
};
