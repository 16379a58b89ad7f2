import type { Migration } from '../database/migration.ts';

/**
 * Conversations in channels and threads, the senders of messages there, and channels linked to an account. A person may
 * be linked to several accounts, a channel only to one: its members must not take it from each other.
 */
export const migration0016: Migration = {
  name: '0016-spaces',
  statements: [
    `alter table conversations add column space_kind text not null default 'direct'
      check (space_kind in ('direct', 'channel'))`,
    `alter table conversations add column thread text not null default ''`,
    `drop index conversation_of_remote`,
    `create unique index conversation_of_place on conversations (member_type, member_id, remote_id, space_kind, thread)
      where member_id is not null`,
    `alter table messages add column sender_id text`,
    `alter table messages add column sender_name text`,
    `alter table connections add column space_kind text not null default 'direct'
      check (space_kind in ('direct', 'channel'))`,
    `create unique index connection_of_channel on connections (provider, login_key, remote_id)
      where space_kind = 'channel' and login_key is not null`,
  ],
};
