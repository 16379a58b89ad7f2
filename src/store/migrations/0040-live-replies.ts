import type { Migration } from '../database/migration.ts';

/** Replies that people see while a model writes them. */
export const migration0040: Migration = {
  name: '0040-live-replies',
  statements: [
    'alter table agent_providers add column live_replies integer not null default 1 check (live_replies in (0, 1));',
    'alter table messages add column shown_id text;',
    `create table live_messages (
  key text primary key,
  conversation_id text not null references conversations (id) on delete cascade,
  shown_id text
) strict, without rowid;`,
  ],
};
