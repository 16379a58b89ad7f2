import type { Migration } from '../database/migration.ts';

/**
 * The owner of a bot among the people who write to it, and the one-time code that proves ownership. A used code is kept
 * until it expires, because the platform may repeat the message that contained it.
 */
export const migration0012: Migration = {
  name: '0012-bot-owners',
  statements: [
    `create table bot_owners (
      bot_id text primary key references bot_tokens (id) on delete cascade,
      account_id text not null references accounts (id) on delete cascade,
      conversation_id text not null references conversations (id) on delete cascade,
      created_at text not null
    ) strict, without rowid`,
    `create index bot_owners_of_account on bot_owners (account_id)`,
    `create index bot_owners_of_conversation on bot_owners (conversation_id)`,
    `create table owner_codes (
      bot_id text primary key references bot_tokens (id) on delete cascade,
      account_id text not null references accounts (id) on delete cascade,
      code_hash text not null,
      used_by text,
      created_at text not null,
      expires_at text not null
    ) strict, without rowid`,
    `create index owner_codes_of_account on owner_codes (account_id)`,
  ],
};
