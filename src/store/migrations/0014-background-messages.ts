import type { Migration } from '../database/migration.ts';

/** Messages that nobody waits for: whether sending one has begun decides what a restart does with it. */
export const migration0014: Migration = {
  name: '0014-background-messages',
  statements: [`alter table messages add column background text check (background in ('waiting', 'begun'))`],
};
