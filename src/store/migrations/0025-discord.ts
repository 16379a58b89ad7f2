import type { Migration } from '../database/migration.ts';

/**
 * Discord: the session with which a bot's connection to the gateway is resumed, and the channels in which it has been
 * addressed, up to which message. `bot_id` null: the bot that all accounts share.
 */
export const migration0025: Migration = {
  name: '0025-discord',
  statements: [
    `create table discord_bots (
      login_key text primary key,
      bot_id text references bot_tokens (id) on delete cascade,
      user_id text not null,
      session_id text,
      sequence integer,
      resume_url text
    ) strict, without rowid`,
    `create index discord_bots_of_bot on discord_bots (bot_id)`,
    `create table discord_channels (
      login_key text not null references discord_bots (login_key) on delete cascade,
      channel_id text not null,
      guild_id text,
      person_id text,
      parent_id text,
      is_listening integer not null check (is_listening in (0, 1)),
      last_message_id text not null,
      primary key (login_key, channel_id)
    ) strict, without rowid`,
  ],
};
