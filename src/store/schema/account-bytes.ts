/** Columns by table. */
type TextColumns = Readonly<Record<string, readonly string[]>>;

/** Long texts of the rows that count for an account. Sessions, tokens and other rows that soon expire do not count. */
export const COUNTED_TEXTS: TextColumns = {
  agents: ['name', 'timeout_text'],
  agent_providers: ['config', 'sealed_secrets', 'system_prompt', 'event_filter', 'greeting'],
  api_keys: ['name'],
  audit_log: ['detail'],
  bot_tokens: ['sealed_token'],
  call_turns: ['metrics'],
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
  messages: ['text', 'error', 'reply_to', 'choices', 'choice'],
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

function bytesOf(texts: readonly string[], row: Prefix): string {
  const lengths = texts.map((name) => `coalesce(octet_length(${row}${name}), 0)`);
  return `(${[ROW_BYTES, ...lengths].join(' + ')})`;
}

/** The provider of an agent names no account. */
function accountOf(table: string, row: Prefix): string {
  if (table !== 'agent_providers') return `${row}account_id`;
  return `(select account_id from agents where id = ${row}agent_id)`;
}

/** The triggers of one table. */
export function bytesTriggers(table: string, texts: readonly string[]): string {
  const [added, deleted] = [bytesOf(texts, 'new.'), bytesOf(texts, 'old.')];
  return `
create trigger ${table}_bytes_added after insert on ${table} begin
  update account_bytes set bytes = bytes + ${added} where account_id = ${accountOf(table, 'new.')};
end;
create trigger ${table}_bytes_changed after update of ${texts.join(', ')} on ${table} begin
  update account_bytes set bytes = bytes + ${added} - ${deleted} where account_id = ${accountOf(table, 'new.')};
end;
create trigger ${table}_bytes_deleted after delete on ${table} begin
  update account_bytes set bytes = bytes - ${deleted} where account_id = ${accountOf(table, 'old.')};
end;`;
}

/** A query of what each account with rows stores, by a count of all its rows, which takes long. */
export function countedBytes(texts: TextColumns): string {
  const counts = Object.entries(texts).map(
    ([table, columns]) =>
      `select ${accountOf(table, '')} as account_id, ${bytesOf(columns, '')} as bytes from ${table}`,
  );
  return `select account_id, sum(bytes) as bytes from (
  ${counts.join('\n  union all\n  ')})
  group by account_id`;
}

/** See `countedBytes`, of the tables of today. */
export const COUNTED_BYTES = countedBytes(COUNTED_TEXTS);

/**
 * How many bytes each account stores, about. Triggers count in the transaction of each change, whoever makes it, also
 * for rows that are deleted along with others.
 */
export function accountBytesSchema(texts: TextColumns): string {
  return `
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
${Object.entries(texts)
  .map(([table, columns]) => bytesTriggers(table, columns))
  .join('')}
`;
}
