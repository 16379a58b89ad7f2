/** What accounts are connected to platforms with, and what connectors keep of it. */
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
create trigger teams_reference_unused after delete on connections
when old.provider = 'teams' begin
  delete from teams_references
    where space_kind = old.space_kind and space_id = old.remote_id
    and not exists (
      select 1 from connections
      where provider = 'teams' and space_kind = old.space_kind and remote_id = old.remote_id
    );
end;

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
  expires_at text not null
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

create table login_positions (
  platform text not null,
  login_key text not null,
  position text not null,
  primary key (platform, login_key)
) strict, without rowid;

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
  behind_nat integer not null default 0 check (behind_nat in (0, 1))
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

create table discord_bots (
  login_key text primary key,
  bot_id text references bot_tokens (id) on delete cascade,
  user_id text not null,
  session_id text,
  sequence integer,
  resume_url text
) strict, without rowid;
create index discord_bots_of_bot on discord_bots (bot_id);

create table discord_channels (
  login_key text not null references discord_bots (login_key) on delete cascade,
  channel_id text not null,
  guild_id text,
  person_id text,
  parent_id text,
  is_listening integer not null check (is_listening in (0, 1)),
  last_message_id text not null,
  primary key (login_key, channel_id)
) strict, without rowid;

create table slack_logins (
  login_key text primary key,
  bot_id text references bot_tokens (id) on delete cascade,
  connection_id text references connections (id) on delete cascade,
  team_id text not null,
  enterprise_id text,
  is_org_wide integer not null check (is_org_wide in (0, 1)),
  user_id text not null,
  unique (team_id, user_id)
) strict, without rowid;
create index slack_logins_of_bot on slack_logins (bot_id);
create index slack_logins_of_connection on slack_logins (connection_id);
create index slack_logins_of_enterprise on slack_logins (enterprise_id);

create table teams_references (
  space_kind text not null check (space_kind in ('direct', 'channel')),
  space_id text not null,
  conversation_id text not null,
  service_url text not null,
  tenant_id text not null,
  primary key (space_kind, space_id)
) strict, without rowid;

create table teams_offers (
  offer_id text primary key,
  message_seq integer not null references messages (seq) on delete cascade,
  file_index integer not null,
  person_id text not null,
  conversation_id text not null
) strict, without rowid;
create index teams_offers_of_message on teams_offers (message_seq);
`;
