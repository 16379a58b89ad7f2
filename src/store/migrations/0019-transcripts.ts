import type { Migration } from '../database/migration.ts';

/** What was said on calls. Lines are kept as long as their call. */
export const migration0019: Migration = {
  name: '0019-transcripts',
  statements: [
    `create table transcript_lines (
      call_id text not null references calls (call_id) on delete cascade,
      position integer not null,
      account_id text not null references accounts (id) on delete cascade,
      speaker text not null,
      text text not null,
      created_at text not null,
      primary key (call_id, position)
    ) strict`,
    `create index transcript_lines_of_account on transcript_lines (account_id)`,
  ],
};
