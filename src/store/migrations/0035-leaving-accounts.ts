import type { Migration } from '../database/migration.ts';

/** Which accounts are being deleted, so that a start finishes what a crash interrupted. */
export const migration0035: Migration = {
  name: '0035-leaving-accounts',
  statements: ['alter table accounts add column leaving_at text;'],
};
