/** How long the far end of a call waited for each answer. A call has 500 at most. */
export const CALL_TURNS = `
create table call_turns (
  call_id text not null references calls (call_id) on delete cascade,
  position integer not null,
  account_id text not null references accounts (id) on delete cascade,
  metrics text not null,
  created_at text not null,
  primary key (call_id, position)
) strict, without rowid;
create index call_turns_of_account on call_turns (account_id);
`;

/** How long a call was answered, in milliseconds, until `end`. */
export const answeredMs = (call: 'new.' | '', end: string): string =>
  `cast(coalesce(unixepoch(${end}, 'subsec') - unixepoch(${call}answered_at, 'subsec'), 0) * 1000 as integer)`;

/** Counts an ended call for the day on which it began. What is counted stays when the call is deleted. */
export const CALLS_COUNTED = `
create trigger calls_counted after update of ended_at on calls
when old.ended_at is null and new.ended_at is not null begin
  insert into usage_days (account_id, platform, day, calls, call_ms)
  values (new.account_id, new.platform, substr(new.created_at, 1, 10), 1, ${answeredMs('new.', 'new.ended_at')})
  on conflict (account_id, platform, day)
  do update set calls = calls + 1, call_ms = call_ms + excluded.call_ms;
end;
`;

/** Calls, conversations, their messages and files, and the feed of events. */
export const MESSAGES_SCHEMA = `
create table calls (
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
  termination_reason text,
  sample_rate_hz integer not null default 8000,
  capabilities text
) strict;
create index calls_of_account on calls (account_id, created_at);
create index calls_of_agent on calls (agent_id);
create index live_calls on calls (account_id) where ended_at is null;
${CALLS_COUNTED}
create table transcript_lines (
  call_id text not null references calls (call_id) on delete cascade,
  position integer not null,
  account_id text not null references accounts (id) on delete cascade,
  speaker text not null,
  text text not null,
  created_at text not null,
  primary key (call_id, position)
) strict;
create index transcript_lines_of_account on transcript_lines (account_id);

${CALL_TURNS}
create table events (
  id integer primary key autoincrement,
  account_id text not null references accounts (id) on delete cascade,
  agent_id text references agents (id) on delete cascade,
  type text not null,
  payload text not null,
  created_at text not null,
  message_seq integer,
  platform text,
  cursor_time text
) strict;
create index events_of_account on events (account_id, id);
create index events_of_agent on events (agent_id);
create index events_of_messages on events (account_id, message_seq) where message_seq is not null;
create index events_by_cursor_time on events (account_id, cursor_time) where cursor_time is not null;

create table conversations (
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
  last_seq integer not null default 0,
  space_kind text not null default 'direct' check (space_kind in ('direct', 'channel')),
  thread text not null default '',
  check ((platform = 'agent') = (member_id is null)),
  check ((platform = 'agent') = (agent_id is not null and peer_agent_id is not null))
) strict;
create unique index conversation_of_agents on conversations (agent_id, peer_agent_id, task)
  where agent_id is not null;
create index conversations_of_account on conversations (account_id, status, last_seq);
create index conversations_of_alias on conversations (member_type, member_id, alias) where alias is not null;
create index conversations_of_remote on conversations (platform, remote_id);
create index conversations_of_peer on conversations (peer_agent_id) where peer_agent_id is not null;
create unique index conversation_of_place on conversations (member_type, member_id, remote_id, space_kind, thread)
  where member_id is not null;

create table messages (
  seq integer primary key autoincrement,
  id text not null unique,
  account_id text not null references accounts (id) on delete cascade,
  conversation_id text not null references conversations (id) on delete cascade,
  direction text not null check (direction in ('inbound', 'outbound')),
  sender_agent_id text references agents (id) on delete set null,
  text text not null,
  status text not null check (status in ('received', 'sending', 'pending', 'delivered', 'failed', 'unknown', 'dropped')),
  error text,
  created_at text not null,
  changed_at text not null,
  expires_at text,
  background text check (background in ('waiting', 'begun')),
  sender_id text,
  sender_name text,
  reply_to text,
  choices text,
  choice text,
  part_of text,
  shown_id text
) strict;
create index messages_of_conversation on messages (conversation_id, seq);
create index messages_of_account on messages (account_id, created_at, seq);
create index messages_under_way on messages (status, seq) where status in ('sending', 'pending');
create index messages_by_part on messages (part_of) where part_of is not null;
create index messages_that_wait on messages (conversation_id, seq) where expires_at is not null;

create table live_messages (
  key text primary key,
  conversation_id text not null references conversations (id) on delete cascade,
  shown_id text,
  begun_at text not null default '1970-01-01T00:00:00.000Z'
) strict, without rowid;

create table early_edits (
  id text primary key,
  account_id text not null references accounts (id) on delete cascade,
  text text,
  expires_at text not null
) strict, without rowid;
create index early_edits_of_account on early_edits (account_id, expires_at);

create table held_messages (
  seq integer primary key,
  id text not null unique,
  account_id text not null references accounts (id) on delete cascade,
  platform text not null,
  place text not null,
  inbound text not null
) strict;
create index held_messages_of_place on held_messages (platform, place, seq);
create index held_messages_of_account on held_messages (account_id);

create table platform_messages (
  platform_message_id text not null,
  conversation_id text not null references conversations (id) on delete cascade,
  message_seq integer not null references messages (seq) on delete cascade,
  primary key (platform_message_id, conversation_id)
) strict, without rowid;
create index platform_messages_of_message on platform_messages (message_seq);
create index platform_messages_of_conversation on platform_messages (conversation_id);

create table files (
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
create index files_of_account on files (account_id);
create index files_by_end on files (expires_at);
create index files_by_cache on files (cached_until) where cached_until is not null;
create index held_files on files (account_id, state, slot_expires_at) where state in ('reserved', 'stored');

create table attachments (
  message_seq integer not null references messages (seq) on delete cascade,
  position integer not null,
  file_id text not null references files (id) on delete cascade,
  primary key (message_seq, position)
) strict, without rowid;
create index attachments_of_file on attachments (file_id);

create table idempotent_requests (
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
create index idempotent_requests_of_account on idempotent_requests (account_id);
create index idempotent_requests_by_age on idempotent_requests (created_at);
`;
