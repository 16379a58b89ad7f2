import type { Migration } from '../database/migration.ts';

/** Edits and deletions that came before their message. */
export const migration0052: Migration = {
  name: '0052-early-edits',
  statements: [
    `create table early_edits (
  id text primary key,
  account_id text not null references accounts (id) on delete cascade,
  text text,
  expires_at text not null
) strict, without rowid;`,
    'create index early_edits_of_account on early_edits (account_id, expires_at);',
  ],
};
