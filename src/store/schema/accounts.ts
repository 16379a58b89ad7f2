/**
 * Accounts, the people behind them, and their agents. Columns named `sealed_…` are sealed with SecretBox; `token_hash` and `hash` are the
 * SHA-256 of a secret that only its owner has.
 */
export const ACCOUNTS_SCHEMA = `
create table facts (
  name text primary key,
  value text not null
) strict;

create table accounts (
  id text primary key,
  name text not null,
  created_at text not null,
  email text,
  email_verified_at text,
  password_hash text,
  owner_proven_at text,
  leaving_at text
) strict;
create unique index account_of_email on accounts (email);

create table agents (
  id text primary key,
  account_id text not null references accounts (id) on delete cascade,
  name text not null check (length(name) between 1 and 80),
  is_default integer not null check (is_default in (0, 1)),
  created_at text not null,
  timeout_text text
) strict;
create index agents_of_account on agents (account_id);
create unique index one_default_agent on agents (account_id) where is_default = 1;

create table api_keys (
  id text primary key,
  account_id text not null references accounts (id) on delete cascade,
  kind text not null check (kind in ('agent', 'settings')),
  hash text not null unique,
  key_prefix text not null,
  name text not null,
  created_at text not null,
  last_used_at text,
  revoked_at text
) strict;
create index api_keys_of_account on api_keys (account_id);
create index revoked_keys on api_keys (revoked_at) where revoked_at is not null;

create table agent_keys (
  agent_id text not null references agents (id) on delete cascade,
  key_id text not null references api_keys (id) on delete cascade,
  primary key (agent_id, key_id)
) strict, without rowid;
create index agents_of_key on agent_keys (key_id);

create table agent_accounts (
  agent_id text not null references agents (id) on delete cascade,
  member_type text not null check (member_type in ('connection', 'bot_token', 'sip_number')),
  member_id text not null,
  primary key (agent_id, member_type, member_id)
) strict, without rowid;
create index agents_of_member on agent_accounts (member_type, member_id);

create table sessions (
  id text primary key,
  account_id text not null references accounts (id) on delete cascade,
  token_hash text not null unique,
  user_agent text not null,
  address text not null,
  created_at text not null,
  last_used_at text not null,
  expires_at text not null
) strict;
create index sessions_of_account on sessions (account_id);

create table mail_tokens (
  token_hash text primary key,
  account_id text not null references accounts (id) on delete cascade,
  purpose text not null check (purpose in ('verify', 'reset', 'change_email')),
  email text not null,
  created_at text not null,
  expires_at text not null
) strict, without rowid;
create index mail_tokens_of_account on mail_tokens (account_id);

create table identities (
  id text primary key,
  account_id text not null references accounts (id) on delete cascade,
  provider text not null,
  subject text not null,
  email text,
  created_at text not null,
  last_used_at text not null,
  unique (provider, subject)
) strict;
create index identities_of_account on identities (account_id);

create table known_browsers (
  token_hash text primary key,
  account_id text not null references accounts (id) on delete cascade,
  created_at text not null,
  last_used_at text not null
) strict, without rowid;
create index known_browsers_of_account on known_browsers (account_id, last_used_at);

create table usage_days (
  account_id text not null references accounts (id) on delete cascade,
  platform text not null,
  day text not null,
  messages integer not null default 0,
  bytes integer not null default 0,
  spoken_characters integer not null default 0,
  spoken_ms integer not null default 0,
  heard_ms integer not null default 0,
  calls integer not null default 0,
  call_ms integer not null default 0,
  primary key (account_id, platform, day)
) strict, without rowid;

create table budget_uses (
  account_id text not null references accounts (id) on delete cascade,
  agent_id text not null,
  period text not null,
  turns integer not null,
  tokens integer not null,
  call_ms integer not null,
  primary key (account_id, agent_id, period)
) strict;
create index budget_uses_by_period on budget_uses (period);

create table feedback (
  id text primary key,
  account_id text not null references accounts (id) on delete cascade,
  message text not null,
  surface text,
  provider text,
  error_detail text,
  suggestion_shown text,
  created_at text not null
) strict;
create index feedback_of_account on feedback (account_id, created_at);

create table audit_log (
  id integer primary key autoincrement,
  account_id text references accounts (id) on delete cascade,
  credential_kind text not null,
  credential_id text not null,
  action text not null,
  subject text,
  detail text not null,
  created_at text not null
) strict;
create index audit_log_of_account on audit_log (account_id, id);
create index attempts_by_time on audit_log (created_at) where action in ('password.fail', 'bridge_key.fail', 'bridge_key.use');
`;
