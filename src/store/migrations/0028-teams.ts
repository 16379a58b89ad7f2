import type { Migration } from '../database/migration.ts';

/**
 * Teams: where the conversations of connected people and channels are reached, and the files that people have been offered
 * and have not accepted yet. What is kept of a person or channel goes with the last connection to it.
 */
export const migration0028: Migration = {
  name: '0028-teams',
  statements: [
    `create table teams_references (
      space_kind text not null check (space_kind in ('direct', 'channel')),
      space_id text not null,
      conversation_id text not null,
      service_url text not null,
      tenant_id text not null,
      primary key (space_kind, space_id)
    ) strict, without rowid`,
    `create trigger teams_reference_unused after delete on connections when old.provider = 'teams'
      begin
        delete from teams_references
        where space_kind = old.space_kind and space_id = old.remote_id and not exists (
          select 1 from connections
          where provider = 'teams' and space_kind = old.space_kind and remote_id = old.remote_id
        );
      end`,
    `create table teams_offers (
      offer_id text primary key,
      message_seq integer not null references messages (seq) on delete cascade,
      file_index integer not null,
      person_id text not null,
      conversation_id text not null
    ) strict, without rowid`,
    `create index teams_offers_of_message on teams_offers (message_seq)`,
  ],
};
