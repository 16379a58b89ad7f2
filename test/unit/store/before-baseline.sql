CREATE TABLE migrations (name text primary key, applied_at text not null) strict;
CREATE TABLE facts (
  name text primary key,
  value text not null
    ) strict;
CREATE TABLE accounts (
  id text primary key,
  name text not null,
  created_at text not null
    , email text, email_verified_at text, password_hash text, owner_proven_at text) strict;
CREATE TABLE agents (
  id text primary key,
  account_id text not null references accounts (id) on delete cascade,
  name text not null check (length(name) between 1 and 80),
  is_default integer not null check (is_default in (0, 1)),
  created_at text not null
    , timeout_text text) strict;
CREATE INDEX agents_of_account on agents (account_id);
CREATE UNIQUE INDEX one_default_agent on agents (account_id) where is_default = 1;
CREATE TABLE api_keys (
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
CREATE INDEX api_keys_of_account on api_keys (account_id);
CREATE TABLE agent_keys (
  agent_id text not null references agents (id) on delete cascade,
  key_id text not null references api_keys (id) on delete cascade,
  primary key (agent_id, key_id)
    ) strict, without rowid;
CREATE INDEX agents_of_key on agent_keys (key_id);
CREATE TABLE agent_accounts (
  agent_id text not null references agents (id) on delete cascade,
  member_type text not null check (member_type in ('connection', 'bot_token', 'sip_number')),
  member_id text not null,
  primary key (agent_id, member_type, member_id)
    ) strict, without rowid;
CREATE INDEX agents_of_member on agent_accounts (member_type, member_id);
CREATE TABLE calls (
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
    , sample_rate_hz integer not null default 8000, capabilities text) strict;
CREATE INDEX calls_of_account on calls (account_id, created_at);
CREATE INDEX calls_of_agent on calls (agent_id);
CREATE INDEX live_calls on calls (account_id) where ended_at is null;
CREATE TABLE sip_trunks (
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
    , sealed_inbound_token text, behind_nat integer not null default 0 check (behind_nat in (0, 1))) strict;
CREATE TABLE events (
  id integer primary key autoincrement,
  account_id text not null references accounts (id) on delete cascade,
  agent_id text references agents (id) on delete cascade,
  type text not null,
  payload text not null,
  created_at text not null
    , message_seq integer, platform text, cursor_time text) strict;
CREATE INDEX events_of_account on events (account_id, id);
CREATE INDEX events_of_agent on events (agent_id);
CREATE UNIQUE INDEX account_of_email on accounts (email);
CREATE TABLE sessions (
  id text primary key,
  account_id text not null references accounts (id) on delete cascade,
  token_hash text not null unique,
  user_agent text not null,
  address text not null,
  created_at text not null,
  last_used_at text not null,
  expires_at text not null
    ) strict;
CREATE INDEX sessions_of_account on sessions (account_id);
CREATE TABLE mail_tokens (
  token_hash text primary key,
  account_id text not null references accounts (id) on delete cascade,
  purpose text not null check (purpose in ('verify', 'reset', 'change_email')),
  email text not null,
  created_at text not null,
  expires_at text not null
    ) strict, without rowid;
CREATE INDEX mail_tokens_of_account on mail_tokens (account_id);
CREATE TABLE identities (
  id text primary key,
  account_id text not null references accounts (id) on delete cascade,
  provider text not null,
  subject text not null,
  email text,
  created_at text not null,
  last_used_at text not null,
  unique (provider, subject)
    ) strict;
CREATE INDEX identities_of_account on identities (account_id);
CREATE TABLE sign_ins (
  state_hash text primary key,
  account_id text references accounts (id) on delete cascade,
  provider text not null,
  sealed_secrets text not null,
  created_at text not null,
  expires_at text not null
    ) strict, without rowid;
CREATE TABLE connections (
  id text primary key,
  account_id text not null references accounts (id) on delete cascade,
  provider text not null,
  email text,
  label text not null,
  status text not null,
  sealed_credentials text not null,
  created_at text not null,
  updated_at text not null
    , login_key text, remote_id text, space_kind text not null default 'direct'
  check (space_kind in ('direct', 'channel')), provider_user_id text, scopes text, expires_at text) strict;
CREATE INDEX connections_of_account on connections (account_id);
CREATE TABLE bot_tokens (
  id text primary key,
  account_id text not null references accounts (id) on delete cascade,
  platform text not null check (platform in ('discord', 'telegram', 'slack')),
  bot_name text,
  status text not null,
  sealed_token text not null,
  discord_app_id text,
  sealed_signing_secret text,
  created_at text not null
    , sealed_app_token text) strict;
CREATE INDEX bot_tokens_of_account on bot_tokens (account_id);
CREATE TABLE agent_providers (
  agent_id text primary key references agents (id) on delete cascade,
  provider text not null,
  config text not null,
  sealed_secrets text,
  system_prompt text,
  event_filter text not null,
  updated_at text not null
    , feed_position integer not null default 0, key_refusals integer not null default 0, greeting text) strict, without rowid;
CREATE TABLE internal_bearers (
  agent_id text primary key references agents (id) on delete cascade,
  key_id text not null unique references api_keys (id) on delete cascade,
  sealed_key text not null
    ) strict, without rowid;
CREATE TABLE usage_days (
  account_id text not null references accounts (id) on delete cascade,
  platform text not null,
  day text not null,
  messages integer not null default 0,
  bytes integer not null default 0, spoken_characters integer not null default 0, spoken_ms integer not null default 0, heard_ms integer not null default 0,
  primary key (account_id, platform, day)
    ) strict, without rowid;
CREATE TABLE invite_links (
  account_id text primary key references accounts (id) on delete cascade,
  token_hash text not null unique,
  created_at text not null,
  expires_at text not null
    ) strict, without rowid;
CREATE TABLE feedback (
  id text primary key,
  account_id text not null references accounts (id) on delete cascade,
  message text not null,
  surface text,
  provider text,
  error_detail text,
  suggestion_shown text,
  created_at text not null
    ) strict;
CREATE INDEX connections_of_remote on connections (provider, login_key, remote_id);
CREATE TABLE conversations (
  id text primary key,
  account_id text not null references accounts (id) on delete cascade,
  platform text not null,
  member_type text,
  member_id text,
  agent_id text references agents (id) on delete cascade,
  peer_agent_id text references agents (id) on delete cascade,
  task text not null default '',
  remote_id text not null,
  alias text,
  remote_name text,
  status text not null check (status in ('active', 'closed')),
  created_at text not null,
  last_inbound_at text,
  closure text check (closure in ('closed', 'asked')),
  last_seq integer not null default 0, space_kind text not null default 'direct'
  check (space_kind in ('direct', 'channel')), thread text not null default '',
  check ((platform = 'agent') = (member_id is null)),
  check ((platform = 'agent') = (agent_id is not null and peer_agent_id is not null))
    ) strict;
CREATE UNIQUE INDEX conversation_of_agents on conversations (agent_id, peer_agent_id, task)
  where agent_id is not null;
CREATE INDEX conversations_of_account on conversations (account_id, status, last_seq);
CREATE INDEX conversations_of_alias on conversations (member_type, member_id, alias) where alias is not null;
CREATE INDEX conversations_of_remote on conversations (platform, remote_id);
CREATE INDEX conversations_of_peer on conversations (peer_agent_id) where peer_agent_id is not null;
CREATE TABLE messages (
  seq integer primary key autoincrement,
  id text not null unique,
  account_id text not null references accounts (id) on delete cascade,
  conversation_id text not null references conversations (id) on delete cascade,
  direction text not null check (direction in ('inbound', 'outbound')),
  sender_agent_id text references agents (id) on delete set null,
  text text not null,
  status text not null
    check (status in ('received', 'sending', 'pending', 'delivered', 'failed', 'unknown', 'dropped')),
  error text,
  created_at text not null,
  changed_at text not null,
  expires_at text
    , background text check (background in ('waiting', 'begun')), sender_id text, sender_name text) strict;
CREATE INDEX messages_of_conversation on messages (conversation_id, seq);
CREATE INDEX messages_of_account on messages (account_id, created_at, seq);
CREATE INDEX messages_under_way on messages (status, seq) where status in ('sending', 'pending');
CREATE INDEX messages_that_wait on messages (conversation_id, seq) where expires_at is not null;
CREATE TABLE platform_messages (
  platform_message_id text not null,
  conversation_id text not null references conversations (id) on delete cascade,
  message_seq integer not null references messages (seq) on delete cascade,
  primary key (platform_message_id, conversation_id)
    ) strict, without rowid;
CREATE INDEX platform_messages_of_message on platform_messages (message_seq);
CREATE INDEX platform_messages_of_conversation on platform_messages (conversation_id);
CREATE INDEX events_of_messages on events (account_id, message_seq) where message_seq is not null;
CREATE TABLE files (
  id text primary key,
  account_id text not null references accounts (id) on delete cascade,
  origin text not null check (origin in ('upload', 'inbound')),
  name text not null,
  mime text not null,
  size_bytes integer,
  token_hash text not null unique,
  sealed_token text not null,
  state text not null check (state in ('reserved', 'stored', 'remote', 'gone')),
  slot_hash text unique,
  slot_expires_at text,
  platform text,
  login_key text,
  remote_ref text,
  created_at text not null,
  cached_until text,
  expires_at text not null
    ) strict;
CREATE INDEX files_of_account on files (account_id);
CREATE INDEX files_by_end on files (expires_at);
CREATE INDEX files_by_cache on files (cached_until) where cached_until is not null;
CREATE TABLE attachments (
  message_seq integer not null references messages (seq) on delete cascade,
  position integer not null,
  file_id text not null references files (id) on delete cascade,
  primary key (message_seq, position)
    ) strict, without rowid;
CREATE INDEX attachments_of_file on attachments (file_id);
CREATE TABLE idempotent_requests (
  account_id text not null references accounts (id) on delete cascade,
  credential_id text not null,
  key text not null,
  sealed_request text not null,
  subject text,
  status integer,
  sealed_answer text,
  created_at text not null,
  primary key (credential_id, key)
    ) strict;
CREATE INDEX idempotent_requests_of_account on idempotent_requests (account_id);
CREATE INDEX idempotent_requests_by_age on idempotent_requests (created_at);
CREATE TABLE login_positions (
  platform text not null,
  login_key text not null,
  position text not null,
  primary key (platform, login_key)
    ) strict, without rowid;
CREATE TABLE oauth_clients (
  client_id text primary key,
  client_name text not null,
  redirect_uris text not null,
  auth_method text not null check (auth_method in ('none', 'client_secret_basic', 'client_secret_post')),
  secret_hash text,
  registered_at text not null,
  fetched_at text,
  check ((auth_method = 'none') = (secret_hash is null))
    ) strict;
CREATE TABLE mcp_authorizations (
  id text primary key,
  account_id text not null references accounts (id) on delete cascade,
  client_id text not null references oauth_clients (client_id) on delete cascade,
  redirect_uri text not null,
  platforms text,
  created_at text not null,
  last_used_at text, session_id text,
  unique (account_id, client_id)
    ) strict;
CREATE INDEX mcp_authorizations_of_client on mcp_authorizations (client_id);
CREATE TABLE agent_authorizations (
  agent_id text not null references agents (id) on delete cascade,
  authorization_id text not null references mcp_authorizations (id) on delete cascade,
  primary key (agent_id, authorization_id)
    ) strict, without rowid;
CREATE INDEX agent_authorizations_of_authorization on agent_authorizations (authorization_id);
CREATE TABLE oauth_grants (
  id text primary key,
  account_id text not null references accounts (id) on delete cascade,
  authorization_id text not null references mcp_authorizations (id) on delete cascade,
  redirect_uri text not null,
  code_hash text not null unique,
  code_challenge text not null,
  resource text not null,
  created_at text not null,
  code_expires_at text not null,
  redeemed_at text
    , narrowed_to text) strict;
CREATE INDEX oauth_grants_of_account on oauth_grants (account_id);
CREATE INDEX oauth_grants_of_authorization on oauth_grants (authorization_id, created_at);
CREATE INDEX oauth_grants_by_end on oauth_grants (code_expires_at);
CREATE TABLE oauth_tokens (
  token_hash text primary key,
  account_id text not null references accounts (id) on delete cascade,
  grant_id text not null references oauth_grants (id) on delete cascade,
  kind text not null check (kind in ('access', 'refresh')),
  created_at text not null,
  expires_at text not null,
  spent_at text
    , sealed_successor text) strict, without rowid;
CREATE INDEX oauth_tokens_of_account on oauth_tokens (account_id);
CREATE INDEX oauth_tokens_of_grant on oauth_tokens (grant_id);
CREATE INDEX oauth_tokens_by_end on oauth_tokens (expires_at);
CREATE TABLE known_browsers (
  token_hash text primary key,
  account_id text not null references accounts (id) on delete cascade,
  created_at text not null,
  last_used_at text not null
    ) strict, without rowid;
CREATE INDEX known_browsers_of_account on known_browsers (account_id, last_used_at);
CREATE TABLE "audit_log" (
  id integer primary key autoincrement,
  account_id text references accounts (id) on delete cascade,
  credential_kind text not null,
  credential_id text not null,
  action text not null,
  subject text,
  detail text not null,
  created_at text not null
    ) strict;
CREATE INDEX audit_log_of_account on audit_log (account_id, id);
CREATE TABLE "sip_dids" (
  id text primary key,
  account_id text not null references accounts (id) on delete cascade,
  number text not null,
  label text,
  auto_answer integer not null check (auto_answer in (0, 1)),
  created_at text not null, stt_voice_config_id text references voice_configs (id) on delete set null, tts_voice_config_id text references voice_configs (id) on delete set null,
  unique (account_id, number)
    ) strict;
CREATE INDEX feedback_of_account on feedback (account_id, created_at);
CREATE INDEX revoked_keys on api_keys (revoked_at) where revoked_at is not null;
CREATE INDEX held_files on files (account_id, state, slot_expires_at) where state in ('reserved', 'stored');
CREATE INDEX sealed_oauth_tokens on oauth_tokens (spent_at) where sealed_successor is not null;
CREATE TABLE bot_owners (
  bot_id text primary key references bot_tokens (id) on delete cascade,
  account_id text not null references accounts (id) on delete cascade,
  conversation_id text not null references conversations (id) on delete cascade,
  created_at text not null
    ) strict, without rowid;
CREATE INDEX bot_owners_of_account on bot_owners (account_id);
CREATE INDEX bot_owners_of_conversation on bot_owners (conversation_id);
CREATE TABLE owner_codes (
  bot_id text primary key references bot_tokens (id) on delete cascade,
  account_id text not null references accounts (id) on delete cascade,
  code_hash text not null,
  used_by text,
  created_at text not null,
  expires_at text not null
    ) strict, without rowid;
CREATE INDEX owner_codes_of_account on owner_codes (account_id);
CREATE INDEX events_by_cursor_time on events (account_id, cursor_time) where cursor_time is not null;
CREATE UNIQUE INDEX conversation_of_place on conversations (member_type, member_id, remote_id, space_kind, thread)
  where member_id is not null;
CREATE UNIQUE INDEX connection_of_channel on connections (provider, login_key, remote_id)
  where space_kind = 'channel' and login_key is not null;
CREATE UNIQUE INDEX connection_of_provider_user on connections (provider, provider_user_id)
  where provider_user_id is not null;
CREATE TABLE connection_states (
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
CREATE INDEX connection_states_of_account on connection_states (account_id);
CREATE INDEX connection_states_of_connection on connection_states (connection_id);
CREATE TABLE voice_configs (
  id text primary key,
  account_id text not null references accounts (id) on delete cascade,
  kind text not null check (kind in ('stt', 'tts')),
  provider text not null,
  name text not null,
  region text,
  options text not null,
  sealed_key text,
  enabled integer not null check (enabled in (0, 1)),
  key_status text not null,
  key_detail text,
  checked_at text not null,
  created_at text not null,
  updated_at text not null
    ) strict;
CREATE INDEX voice_configs_of_account on voice_configs (account_id);
CREATE UNIQUE INDEX enabled_voice_config on voice_configs (account_id, kind) where enabled = 1;
CREATE TABLE transcript_lines (
  call_id text not null references calls (call_id) on delete cascade,
  position integer not null,
  account_id text not null references accounts (id) on delete cascade,
  speaker text not null,
  text text not null,
  created_at text not null,
  primary key (call_id, position)
    ) strict;
CREATE INDEX transcript_lines_of_account on transcript_lines (account_id);
CREATE TABLE "deliveries" (
  seq integer primary key autoincrement,
  id text not null unique,
  account_id text not null references accounts (id) on delete cascade,
  agent_id text not null references agents (id) on delete cascade,
  event_id integer,
  event_type text not null,
  lane text not null,
  status text not null check (status in ('queued', 'sent', 'answered', 'delivered', 'merged', 'failed')),
  payload text not null,
  replay_of text,
  turn_id text,
  attempts integer not null default 0,
  provider text,
  input_tokens integer,
  output_tokens integer,
  reply_id text,
  response_body text,
  error text,
  error_type text,
  created_at text not null,
  started_at text,
  answered_at text,
  updated_at text not null
    ) strict;
CREATE UNIQUE INDEX deliveries_of_event on deliveries (agent_id, event_id)
  where event_id is not null and replay_of is null;
CREATE INDEX deliveries_of_agent on deliveries (agent_id, created_at, id);
CREATE INDEX deliveries_of_account on deliveries (account_id);
CREATE INDEX deliveries_of_turn on deliveries (turn_id) where turn_id is not null;
CREATE INDEX deliveries_by_status on deliveries (agent_id, status, lane, seq);
CREATE TABLE delivery_actions (
  delivery_id text not null references deliveries (id) on delete cascade,
  position integer not null,
  account_id text not null references accounts (id) on delete cascade,
  kind text not null,
  detail text not null,
  status text not null check (status in ('planned', 'claimed', 'done', 'refused', 'failed', 'unknown')),
  reason text,
  created_at text not null,
  updated_at text not null, message_id text,
  primary key (delivery_id, position)
    ) strict;
CREATE INDEX delivery_actions_of_account on delivery_actions (account_id);
CREATE TABLE model_conversations (
  id integer primary key autoincrement,
  account_id text not null references accounts (id) on delete cascade,
  agent_id text not null references agents (id) on delete cascade,
  lane text not null,
  config_hash text not null,
  memory text,
  created_at text not null,
  updated_at text not null,
  unique (agent_id, lane)
    ) strict;
CREATE INDEX model_conversations_of_account on model_conversations (account_id);
CREATE TABLE model_turns (
  id integer primary key autoincrement,
  account_id text not null references accounts (id) on delete cascade,
  conversation_id integer not null references model_conversations (id) on delete cascade,
  delivery_id text,
  role text not null check (role in ('user', 'assistant')),
  text text not null,
  created_at text not null
    ) strict;
CREATE INDEX model_turns_of_conversation on model_turns (conversation_id, id);
CREATE INDEX model_turns_of_account on model_turns (account_id);
CREATE TABLE forgotten_at_providers (
  id text primary key not null,
  agent_id text not null,
  provider text not null,
  config text not null,
  sealed_secrets text not null,
  kept text not null,
  attempts integer not null default 0,
  due_at text not null,
  updated_at text not null,
  unique (agent_id, kept)
    ) strict;
CREATE INDEX forgotten_at_providers_due on forgotten_at_providers (due_at);
CREATE TABLE discord_bots (
  login_key text primary key,
  bot_id text references bot_tokens (id) on delete cascade,
  user_id text not null,
  session_id text,
  sequence integer,
  resume_url text
    ) strict, without rowid;
CREATE INDEX discord_bots_of_bot on discord_bots (bot_id);
CREATE TABLE discord_channels (
  login_key text not null references discord_bots (login_key) on delete cascade,
  channel_id text not null,
  guild_id text,
  person_id text,
  parent_id text,
  is_listening integer not null check (is_listening in (0, 1)),
  last_message_id text not null,
  primary key (login_key, channel_id)
    ) strict, without rowid;
CREATE TABLE slack_logins (
  login_key text primary key,
  bot_id text references bot_tokens (id) on delete cascade,
  connection_id text references connections (id) on delete cascade,
  team_id text not null,
  enterprise_id text,
  is_org_wide integer not null check (is_org_wide in (0, 1)),
  user_id text not null,
  unique (team_id, user_id)
    ) strict, without rowid;
CREATE INDEX slack_logins_of_bot on slack_logins (bot_id);
CREATE INDEX slack_logins_of_connection on slack_logins (connection_id);
CREATE INDEX slack_logins_of_enterprise on slack_logins (enterprise_id);
CREATE TABLE teams_references (
  space_kind text not null check (space_kind in ('direct', 'channel')),
  space_id text not null,
  conversation_id text not null,
  service_url text not null,
  tenant_id text not null,
  primary key (space_kind, space_id)
    ) strict, without rowid;
CREATE TRIGGER teams_reference_unused after delete on connections when old.provider = 'teams'
  begin
    delete from teams_references
    where space_kind = old.space_kind and space_id = old.remote_id and not exists (
      select 1 from connections
      where provider = 'teams' and space_kind = old.space_kind and remote_id = old.remote_id
    );
  end;
CREATE TABLE teams_offers (
  offer_id text primary key,
  message_seq integer not null references messages (seq) on delete cascade,
  file_index integer not null,
  person_id text not null,
  conversation_id text not null
    ) strict, without rowid;
CREATE INDEX teams_offers_of_message on teams_offers (message_seq);
CREATE INDEX attempts_by_time on audit_log (created_at)
  where action in ('password.fail', 'bridge_key.fail', 'bridge_key.use');
insert into migrations (name, applied_at) values ('0001-main-job', '2026-11-27T12:00:00.000Z');
insert into migrations (name, applied_at) values ('0002-call-rate', '2026-11-27T12:00:00.000Z');
insert into migrations (name, applied_at) values ('0003-accounts', '2026-11-27T12:00:00.000Z');
insert into migrations (name, applied_at) values ('0004-messages', '2026-11-27T12:00:00.000Z');
insert into migrations (name, applied_at) values ('0005-event-platforms', '2026-11-27T12:00:00.000Z');
insert into migrations (name, applied_at) values ('0006-mcp-authorizations', '2026-11-27T12:00:00.000Z');
insert into migrations (name, applied_at) values ('0007-call-events', '2026-11-27T12:00:00.000Z');
insert into migrations (name, applied_at) values ('0008-owners', '2026-11-27T12:00:00.000Z');
insert into migrations (name, applied_at) values ('0009-trunk-tokens', '2026-11-27T12:00:00.000Z');
insert into migrations (name, applied_at) values ('0010-account-caps', '2026-11-27T12:00:00.000Z');
insert into migrations (name, applied_at) values ('0011-refresh-repeats', '2026-11-27T12:00:00.000Z');
insert into migrations (name, applied_at) values ('0012-bot-owners', '2026-11-27T12:00:00.000Z');
insert into migrations (name, applied_at) values ('0013-cursor-times', '2026-11-27T12:00:00.000Z');
insert into migrations (name, applied_at) values ('0014-background-messages', '2026-11-27T12:00:00.000Z');
insert into migrations (name, applied_at) values ('0015-call-capabilities', '2026-11-27T12:00:00.000Z');
insert into migrations (name, applied_at) values ('0016-spaces', '2026-11-27T12:00:00.000Z');
insert into migrations (name, applied_at) values ('0017-connections', '2026-11-27T12:00:00.000Z');
insert into migrations (name, applied_at) values ('0018-voice-configs', '2026-11-27T12:00:00.000Z');
insert into migrations (name, applied_at) values ('0019-transcripts', '2026-11-27T12:00:00.000Z');
insert into migrations (name, applied_at) values ('0020-speech-usage', '2026-11-27T12:00:00.000Z');
insert into migrations (name, applied_at) values ('0021-number-presets', '2026-11-27T12:00:00.000Z');
insert into migrations (name, applied_at) values ('0022-inline-models', '2026-11-27T12:00:00.000Z');
insert into migrations (name, applied_at) values ('0023-action-messages', '2026-11-27T12:00:00.000Z');
insert into migrations (name, applied_at) values ('0024-forgotten-at-providers', '2026-11-27T12:00:00.000Z');
insert into migrations (name, applied_at) values ('0025-discord', '2026-11-27T12:00:00.000Z');
insert into migrations (name, applied_at) values ('0026-slack', '2026-11-27T12:00:00.000Z');
insert into migrations (name, applied_at) values ('0027-slack-logins', '2026-11-27T12:00:00.000Z');
insert into migrations (name, applied_at) values ('0028-teams', '2026-11-27T12:00:00.000Z');
insert into migrations (name, applied_at) values ('0029-attempts-by-time', '2026-11-27T12:00:00.000Z');
insert into accounts (id, name, created_at, email) values ('acc_1', 'Ada', '2026-11-27T12:00:00.000Z', 'ada@example.com');
insert into agents (id, account_id, name, is_default, created_at) values ('agt_1', 'acc_1', 'Agent', 1, '2026-11-27T12:00:00.000Z');
insert into calls (call_id, account_id, agent_id, room_id, participant_id, platform, meeting_url, agent_name, direction, caller, state, created_at, ended_at, sample_rate_hz) values ('call_1', 'acc_1', 'agt_1', 'room_1', 'part_1', 'sip', 'sip:+1', 'Agent', 'outbound', '', 'ended', '2026-11-27T12:00:00.000Z', '2026-11-27T12:01:00.000Z', 16000);
