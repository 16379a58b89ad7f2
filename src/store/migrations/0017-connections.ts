import type { Migration } from '../database/migration.ts';

/**
 * Connections by OAuth: the platform's id of the account behind a connection, what was granted and until when; and
 * connections in progress at a platform. One platform account belongs to one connection.
 */
export const migration0017: Migration = {
  name: '0017-connections',
  statements: [
    `alter table connections add column provider_user_id text`,
    `alter table connections add column scopes text`,
    `alter table connections add column expires_at text`,
    `create unique index connection_of_provider_user on connections (provider, provider_user_id)
      where provider_user_id is not null`,
    `create table connection_states (
      state_hash text primary key,
      account_id text not null references accounts (id) on delete cascade,
      email text,
      credential_kind text not null check (credential_kind in ('session', 'settings')),
      credential_id text not null,
      provider text not null,
      connection_id text references connections (id) on delete cascade,
      return_to text,
      sealed_verifier text,
      created_at text not null,
      expires_at text not null
    ) strict`,
    `create index connection_states_of_account on connection_states (account_id)`,
    `create index connection_states_of_connection on connection_states (connection_id)`,
  ],
};
