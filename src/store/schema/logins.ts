/** What accounts are connected to platforms with. */
export const LOGINS_SCHEMA = `
create table sign_ins (
  state_hash text primary key,
  account_id text references accounts (id) on delete cascade,
  provider text not null,
  sealed_secrets text not null,
  created_at text not null,
  expires_at text not null
) strict, without rowid;

create table connections (
  id text primary key,
  account_id text not null references accounts (id) on delete cascade,
  provider text not null,
  email text,
  label text not null,
  status text not null,
  sealed_credentials text not null,
  created_at text not null,
  updated_at text not null,
  login_key text,
  remote_id text,
  space_kind text not null default 'direct' check (space_kind in ('direct', 'channel')),
  provider_user_id text,
  scopes text,
  expires_at text
) strict;
create index connections_of_account on connections (account_id);
create index connections_of_remote on connections (provider, login_key, remote_id);
create unique index connection_of_channel on connections (provider, login_key, remote_id)
  where space_kind = 'channel' and login_key is not null;
create unique index connection_of_provider_user on connections (provider, provider_user_id)
  where provider_user_id is not null;

create table connection_states (
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
  expires_at text not null,
  server text
) strict;
create index connection_states_of_account on connection_states (account_id);
create index connection_states_of_connection on connection_states (connection_id);

create table bot_tokens (
  id text primary key,
  account_id text not null references accounts (id) on delete cascade,
  platform text not null check (platform in ('discord', 'telegram', 'slack')),
  bot_name text,
  status text not null,
  sealed_token text not null,
  discord_app_id text,
  sealed_signing_secret text,
  created_at text not null,
  sealed_app_token text
) strict;
create index bot_tokens_of_account on bot_tokens (account_id);

create table bot_owners (
  bot_id text primary key references bot_tokens (id) on delete cascade,
  account_id text not null references accounts (id) on delete cascade,
  conversation_id text not null references conversations (id) on delete cascade,
  created_at text not null
) strict, without rowid;
create index bot_owners_of_account on bot_owners (account_id);
create index bot_owners_of_conversation on bot_owners (conversation_id);

create table owner_codes (
  bot_id text primary key references bot_tokens (id) on delete cascade,
  account_id text not null references accounts (id) on delete cascade,
  code_hash text not null,
  used_by text,
  created_at text not null,
  expires_at text not null
) strict, without rowid;
create index owner_codes_of_account on owner_codes (account_id);

create table sip_trunks (
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
  updated_at text not null,
  sealed_inbound_token text,
  behind_nat integer not null default 0 check (behind_nat in (0, 1)),
  media_timeout_s integer check (media_timeout_s between 0 and 3600),
  caller_id_in text not null default 'from'
    check (caller_id_in in ('from', 'p_asserted_identity', 'p_preferred_identity')),
  caller_from text not null default 'p_asserted_identity'
    check (caller_from in ('p_asserted_identity', 'remote_party_id', 'from'))
) strict;

create table sip_dids (
  id text primary key,
  account_id text not null references accounts (id) on delete cascade,
  number text not null,
  label text,
  auto_answer integer not null check (auto_answer in (0, 1)),
  created_at text not null,
  stt_voice_config_id text references voice_configs (id) on delete set null,
  tts_voice_config_id text references voice_configs (id) on delete set null,
  unique (account_id, number)
) strict;

create table invite_links (
  account_id text primary key references accounts (id) on delete cascade,
  token_hash text not null unique,
  created_at text not null,
  expires_at text not null
) strict, without rowid;
`;

/** What connectors keep of their logins. A step that changes it takes this form along to 0030-platform-records. */
export const PLATFORM_RECORDS_SCHEMA = `
create table platform_records (
  login_key text not null,
  platform text not null,
  kind text not null,
  key text not null,
  value text not null,
  unique_key text,
  group_key text,
  message_id text references messages (id) on delete cascade,
  primary key (login_key, platform, kind, key)
) strict, without rowid;
create unique index platform_record_of_one_login on platform_records (platform, kind, unique_key)
  where unique_key is not null;
create index platform_records_of_group on platform_records (platform, kind, group_key)
  where group_key is not null;
create index platform_records_of_message on platform_records (message_id) where message_id is not null;
create trigger platform_records_of_bot after delete on bot_tokens begin
  delete from platform_records where login_key = old.id;
end;
create trigger platform_records_of_connection after delete on connections begin
  delete from platform_records where login_key = old.id;
  delete from platform_records
    where login_key = old.login_key and platform = old.provider
    and kind = 'space' and key = old.space_kind || ' ' || old.remote_id
    and not exists (
      select 1 from connections
      where provider = old.provider and login_key = old.login_key
      and remote_id = old.remote_id and space_kind = old.space_kind
    );
end;
`;
