/** Speech and model providers, and the turns of models. */
export const MODELS_SCHEMA = `
create table voice_configs (
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
create index voice_configs_of_account on voice_configs (account_id);
create unique index enabled_voice_config on voice_configs (account_id, kind) where enabled = 1;

create table agent_providers (
  agent_id text primary key references agents (id) on delete cascade,
  provider text not null,
  config text not null,
  sealed_secrets text,
  system_prompt text,
  event_filter text not null,
  updated_at text not null,
  feed_position integer not null default 0,
  key_refusals integer not null default 0,
  greeting text,
  live_replies integer not null default 1 check (live_replies in (0, 1))
) strict, without rowid;

create table agent_policies (
  agent_id text primary key references agents (id) on delete cascade,
  calls_to text not null,
  new_conversations integer not null check (new_conversations in (0, 1)),
  actions_per_turn integer not null check (actions_per_turn between 0 and 20),
  reading_tools text,
  updated_at text not null
) strict, without rowid;

create table agent_budgets (
  agent_id text primary key references agents (id) on delete cascade,
  limits text not null
) strict, without rowid;

create table internal_bearers (
  agent_id text primary key references agents (id) on delete cascade,
  key_id text not null unique references api_keys (id) on delete cascade,
  sealed_key text not null
) strict, without rowid;

create table deliveries (
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
  updated_at text not null,
  turn_metrics text
) strict;
create unique index deliveries_of_event on deliveries (agent_id, event_id)
  where event_id is not null and replay_of is null;
create index deliveries_of_agent on deliveries (agent_id, created_at, id);
create index deliveries_of_account on deliveries (account_id);
create index deliveries_of_turn on deliveries (turn_id) where turn_id is not null;
create index deliveries_by_status on deliveries (agent_id, status, lane, seq);

create table delivery_actions (
  delivery_id text not null references deliveries (id) on delete cascade,
  position integer not null,
  account_id text not null references accounts (id) on delete cascade,
  kind text not null,
  detail text not null,
  status text not null check (status in ('planned', 'claimed', 'done', 'refused', 'failed', 'unknown')),
  reason text,
  created_at text not null,
  updated_at text not null,
  message_id text,
  primary key (delivery_id, position)
) strict;
create index delivery_actions_of_account on delivery_actions (account_id);

create table model_conversations (
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
create index model_conversations_of_account on model_conversations (account_id);

create table model_turns (
  id integer primary key autoincrement,
  account_id text not null references accounts (id) on delete cascade,
  conversation_id integer not null references model_conversations (id) on delete cascade,
  delivery_id text,
  role text not null check (role in ('user', 'assistant')),
  text text not null,
  created_at text not null
) strict;
create index model_turns_of_conversation on model_turns (conversation_id, id);
create index model_turns_of_account on model_turns (account_id);

create table forgotten_at_providers (
  id text primary key not null,
  agent_id text not null,
  provider text not null,
  config text not null,
  sealed_secrets text not null,
  kept text not null,
  attempts integer not null default 0,
  due_at text not null,
  updated_at text not null,
  owner text not null default '',
  unique (agent_id, kept)
) strict;
create index forgotten_at_providers_due on forgotten_at_providers (due_at);
`;
