/** Long texts of the rows that count for an account. Sessions, tokens and other rows that soon expire do not count. */
const TEXTS: Readonly<Record<string, readonly string[]>> = {
  agents: ['name', 'timeout_text'],
  agent_providers: ['config', 'sealed_secrets', 'system_prompt', 'event_filter', 'greeting'],
  api_keys: ['name'],
  audit_log: ['detail'],
  bot_tokens: ['sealed_token'],
  calls: ['meeting_url', 'caller', 'capabilities'],
  connections: ['label', 'sealed_credentials'],
  conversations: ['task', 'remote_id', 'remote_name'],
  deliveries: ['payload', 'response_body', 'error'],
  delivery_actions: ['detail', 'reason'],
  events: ['payload'],
  feedback: ['message', 'error_detail', 'suggestion_shown'],
  files: ['name', 'remote_ref'],
  idempotent_requests: ['sealed_request', 'sealed_answer'],
  mcp_authorizations: ['redirect_uri'],
  messages: ['text', 'error'],
  model_conversations: ['memory'],
  model_turns: ['text'],
  sip_dids: ['label'],
  transcript_lines: ['speaker', 'text'],
  voice_configs: ['name', 'options', 'sealed_key'],
};

/** What a row takes beside these texts: keys, times, and its entries in indexes. */
const ROW_BYTES = 400;

/** How the columns of a row are named in a trigger, or in a query of its table. */
type Prefix = 'new.' | 'old.' | '';

function bytesOf(table: string, row: Prefix): string {
  const lengths = TEXTS[table]!.map((name) => `coalesce(octet_length(${row}${name}), 0)`);
  return `(${[ROW_BYTES, ...lengths].join(' + ')})`;
}

/** The provider of an agent names no account. */
function accountOf(table: string, row: Prefix): string {
  if (table !== 'agent_providers') return `${row}account_id`;
  return `(select account_id from agents where id = ${row}agent_id)`;
}

function triggersOf(table: string): string {
  const texts = TEXTS[table]!.join(', ');
  const [added, deleted] = [bytesOf(table, 'new.'), bytesOf(table, 'old.')];
  return `
create trigger ${table}_bytes_added after insert on ${table} begin
  update account_bytes set bytes = bytes + ${added} where account_id = ${accountOf(table, 'new.')};
end;
create trigger ${table}_bytes_changed after update of ${texts} on ${table} begin
  update account_bytes set bytes = bytes + ${added} - ${deleted} where account_id = ${accountOf(table, 'new.')};
end;
create trigger ${table}_bytes_deleted after delete on ${table} begin
  update account_bytes set bytes = bytes - ${deleted} where account_id = ${accountOf(table, 'old.')};
end;`;
}

const TABLES = Object.keys(TEXTS);

/** What each account with rows stores, by a count of all its rows, which takes long. */
export const COUNTED_BYTES = `select account_id, sum(bytes) as bytes from (
  ${TABLES.map(
    (table) => `select ${accountOf(table, '')} as account_id, ${bytesOf(table, '')} as bytes from ${table}`,
  ).join('\n  union all\n  ')})
  group by account_id`;

/**
 * How many bytes each account stores, about. Triggers count in the transaction of each change, whoever makes it, also
 * for rows that are deleted along with others.
 */
export const ACCOUNT_BYTES_SCHEMA = `
create table account_bytes (
  account_id text primary key references accounts (id) on delete cascade,
  bytes integer not null default 0,
  told_at text
) strict, without rowid;
create trigger account_bytes_begin after insert on accounts begin
  insert into account_bytes (account_id) values (new.id);
end;
-- While its account can still be found.
create trigger agent_provider_leaves before delete on agents begin
  delete from agent_providers where agent_id = old.id;
end;
${TABLES.map(triggersOf).join('')}
`;
