import type { Migration } from '../database/migration.ts';

/** Accounts, keys and agents; calls; SIP trunks and their numbers; the event feed. */
export const migration0001: Migration = {
  name: '0001-main-job',
  statements: [
    `create table facts (
      name text primary key,
      value text not null
    ) strict`,
    `create table accounts (
      id text primary key,
      name text not null,
      created_at text not null
    ) strict`,
    `create table agents (
      id text primary key,
      account_id text not null references accounts (id) on delete cascade,
      name text not null check (length(name) between 1 and 80),
      is_default integer not null check (is_default in (0, 1)),
      created_at text not null
    ) strict`,
    `create index agents_of_account on agents (account_id)`,
    `create unique index one_default_agent on agents (account_id) where is_default = 1`,
    `create table api_keys (
      id text primary key,
      account_id text not null references accounts (id) on delete cascade,
      kind text not null check (kind in ('agent', 'settings')),
      hash text not null unique,
      key_prefix text not null,
      name text not null,
      created_at text not null,
      last_used_at text,
      revoked_at text
    ) strict`,
    `create index api_keys_of_account on api_keys (account_id)`,
    `create table agent_keys (
      agent_id text not null references agents (id) on delete cascade,
      key_id text not null references api_keys (id) on delete cascade,
      primary key (agent_id, key_id)
    ) strict, without rowid`,
    `create index agents_of_key on agent_keys (key_id)`,
    `create table agent_accounts (
      agent_id text not null references agents (id) on delete cascade,
      member_type text not null check (member_type in ('connection', 'bot_token', 'sip_number')),
      member_id text not null,
      primary key (agent_id, member_type, member_id)
    ) strict, without rowid`,
    `create index agents_of_member on agent_accounts (member_type, member_id)`,
    `create table calls (
      call_id text primary key,
      account_id text not null references accounts (id) on delete cascade,
      agent_id text references agents (id) on delete set null,
      room_id text not null,
      participant_id text not null,
      platform text not null,
      meeting_url text not null,
      agent_name text not null,
      direction text not null check (direction in ('inbound', 'outbound')),
      caller text not null,
      state text not null,
      created_at text not null,
      answered_at text,
      ended_at text,
      termination_result text,
      termination_reason text
    ) strict`,
    `create index calls_of_account on calls (account_id, created_at)`,
    `create index calls_of_agent on calls (agent_id)`,
    `create index live_calls on calls (account_id) where ended_at is null`,
    `create table sip_trunks (
      account_id text primary key references accounts (id) on delete cascade,
      host text not null,
      port integer not null check (port between 1 and 65535),
      transport text not null check (transport in ('udp', 'tcp', 'tls')),
      username text not null,
      sealed_password text not null,
      realm text,
      caller_id text,
      register integer not null check (register in (0, 1)),
      srtp text not null check (srtp in ('off', 'optional', 'required')),
      created_at text not null,
      updated_at text not null
    ) strict`,
    `create table sip_dids (
      id text primary key,
      account_id text not null references accounts (id) on delete cascade,
      number text not null unique,
      label text,
      auto_answer integer not null check (auto_answer in (0, 1)),
      created_at text not null
    ) strict`,
    `create index sip_dids_of_account on sip_dids (account_id)`,
    `create table events (
      id integer primary key autoincrement,
      account_id text not null references accounts (id) on delete cascade,
      agent_id text references agents (id) on delete cascade,
      type text not null,
      payload text not null,
      created_at text not null
    ) strict`,
    `create index events_of_account on events (account_id, id)`,
    `create index events_of_agent on events (agent_id)`,
  ],
};
