import type { Migration } from '../database/migration.ts';

/**
 * The people behind accounts (passwords, sessions, mail links, identities of other providers); platform logins; model
 * providers of agents; the audit log. Columns starting with `sealed_` are sealed with SecretBox. `token_hash` is the
 * SHA-256 of a secret that only the client has.
 */
export const migration0003: Migration = {
  name: '0003-accounts',
  statements: [
    `alter table accounts add column email text`,
    `alter table accounts add column email_verified_at text`,
    `alter table accounts add column password_hash text`,
    `create unique index account_of_email on accounts (email)`,
    `create table sessions (
      id text primary key,
      account_id text not null references accounts (id) on delete cascade,
      token_hash text not null unique,
      user_agent text not null,
      address text not null,
      created_at text not null,
      last_used_at text not null,
      expires_at text not null
    ) strict`,
    `create index sessions_of_account on sessions (account_id)`,
    `create table mail_tokens (
      token_hash text primary key,
      account_id text not null references accounts (id) on delete cascade,
      purpose text not null check (purpose in ('verify', 'reset', 'change_email')),
      email text not null,
      created_at text not null,
      expires_at text not null
    ) strict, without rowid`,
    `create index mail_tokens_of_account on mail_tokens (account_id)`,
    `create table identities (
      id text primary key,
      account_id text not null references accounts (id) on delete cascade,
      provider text not null,
      subject text not null,
      email text,
      created_at text not null,
      last_used_at text not null,
      unique (provider, subject)
    ) strict`,
    `create index identities_of_account on identities (account_id)`,
    `create table sign_ins (
      state_hash text primary key,
      account_id text references accounts (id) on delete cascade,
      provider text not null,
      sealed_secrets text not null,
      created_at text not null,
      expires_at text not null
    ) strict, without rowid`,
    `create table connections (
      id text primary key,
      account_id text not null references accounts (id) on delete cascade,
      provider text not null,
      email text,
      label text not null,
      status text not null,
      sealed_credentials text not null,
      created_at text not null,
      updated_at text not null
    ) strict`,
    `create index connections_of_account on connections (account_id)`,
    `create table bot_tokens (
      id text primary key,
      account_id text not null references accounts (id) on delete cascade,
      platform text not null check (platform in ('discord', 'telegram', 'slack')),
      bot_name text,
      status text not null,
      sealed_token text not null,
      discord_app_id text,
      sealed_signing_secret text,
      created_at text not null
    ) strict`,
    `create index bot_tokens_of_account on bot_tokens (account_id)`,
    `create table agent_providers (
      agent_id text primary key references agents (id) on delete cascade,
      provider text not null,
      config text not null,
      sealed_secrets text,
      system_prompt text,
      event_filter text not null,
      updated_at text not null
    ) strict, without rowid`,
    `create table internal_bearers (
      agent_id text primary key references agents (id) on delete cascade,
      key_id text not null unique references api_keys (id) on delete cascade,
      sealed_key text not null
    ) strict, without rowid`,
    `create table deliveries (
      id text primary key,
      account_id text not null references accounts (id) on delete cascade,
      agent_id text not null references agents (id) on delete cascade,
      event_type text not null,
      status text not null check (status in ('queued', 'delivered', 'failed')),
      payload text not null,
      response_body text,
      error text,
      created_at text not null,
      updated_at text not null
    ) strict`,
    `create index deliveries_of_agent on deliveries (agent_id, created_at, id)`,
    `create index deliveries_of_account on deliveries (account_id)`,
    `create table usage_days (
      account_id text not null references accounts (id) on delete cascade,
      platform text not null,
      day text not null,
      messages integer not null default 0,
      bytes integer not null default 0,
      primary key (account_id, platform, day)
    ) strict, without rowid`,
    `create table invite_links (
      account_id text primary key references accounts (id) on delete cascade,
      token_hash text not null unique,
      created_at text not null,
      expires_at text not null
    ) strict, without rowid`,
    `create table feedback (
      id text primary key,
      account_id text not null references accounts (id) on delete cascade,
      message text not null,
      surface text,
      provider text,
      error_detail text,
      suggestion_shown text,
      created_at text not null
    ) strict`,
    `create index feedback_of_account on feedback (account_id)`,
    `create table audit_log (
      id integer primary key autoincrement,
      account_id text not null references accounts (id) on delete cascade,
      credential_kind text not null,
      credential_id text not null,
      action text not null,
      subject text,
      detail text not null,
      created_at text not null
    ) strict`,
    `create index audit_log_of_account on audit_log (account_id, id)`,
  ],
};
