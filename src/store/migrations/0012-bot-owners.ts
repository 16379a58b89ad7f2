import type { Migration } from '../database/migration.ts';

/**
 * Who of the people that write to a bot owns it, and the one-time code by which somebody shows that they do. A code that
 * was used stays until it expires, so that the platform may repeat the message that it came in.
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
