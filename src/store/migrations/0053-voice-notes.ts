import type { Migration } from '../database/migration.ts';

/** Messages that wait until a voice note is read. */
export const migration0053: Migration = {
  name: '0053-voice-notes',
  statements: [
    `create table held_messages (
  seq integer primary key,
  id text not null unique,
  account_id text not null references accounts (id) on delete cascade,
  platform text not null,
  place text not null,
  inbound text not null
) strict;`,
    'create index held_messages_of_place on held_messages (platform, place, seq);',
    'create index held_messages_of_account on held_messages (account_id);',
  ],
};
