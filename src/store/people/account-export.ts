import { type RawBuilder, sql } from 'kysely';
import { JSON_COLUMNS } from '../database/columns.ts';
import type { Db } from '../database/rows.ts';
import type { Tables } from '../database/tables.ts';

/** One row with its database column names, without secrets. */
export type ExportedRow = Readonly<Record<string, unknown>>;

/** Rows read at a time. With the longest texts, a page takes a millisecond of the main thread. */
const PAGE_SIZE = 20;

/** How a table's rows are assigned to an account, and the columns that order them. */
interface Owned {
  readonly by: 'id' | 'account_id' | 'agent_id' | 'message_seq';
  readonly order: readonly [string, ...string[]];
}

const BY_ID: Owned = { by: 'account_id', order: ['id'] };

/** Lists every table, so that a new one does not compile until it is considered here. Null: the gateway's own. */
const OWNED: Readonly<Record<keyof Tables, Owned | null>> = {
  accounts: { by: 'id', order: ['id'] },
  identities: BY_ID,
  sessions: BY_ID,
  mailTokens: { by: 'account_id', order: ['token_hash'] },
  signIns: { by: 'account_id', order: ['state_hash'] },
  agents: BY_ID,
  agentKeys: { by: 'agent_id', order: ['agent_id', 'key_id'] },
  agentAccounts: { by: 'agent_id', order: ['agent_id', 'member_type', 'member_id'] },
  agentBudgets: { by: 'agent_id', order: ['agent_id'] },
  agentProviders: { by: 'agent_id', order: ['agent_id'] },
  agentPolicies: { by: 'agent_id', order: ['agent_id'] },
  internalBearers: { by: 'agent_id', order: ['agent_id'] },
  knownBrowsers: { by: 'account_id', order: ['token_hash'] },
  oauthClients: null,
  mcpAuthorizations: BY_ID,
  agentAuthorizations: { by: 'agent_id', order: ['agent_id', 'authorization_id'] },
  oauthGrants: BY_ID,
  oauthTokens: { by: 'account_id', order: ['token_hash'] },
  apiKeys: BY_ID,
  connections: BY_ID,
  connectionStates: { by: 'account_id', order: ['state_hash'] },
  botTokens: BY_ID,
  botOwners: { by: 'account_id', order: ['bot_id'] },
  ownerCodes: { by: 'account_id', order: ['bot_id'] },
  sipTrunks: { by: 'account_id', order: ['account_id'] },
  sipDids: BY_ID,
  voiceConfigs: BY_ID,
  calls: { by: 'account_id', order: ['call_id'] },
  callTurns: { by: 'account_id', order: ['call_id', 'position'] },
  transcriptLines: { by: 'account_id', order: ['call_id', 'position'] },
  deliveries: { by: 'account_id', order: ['seq'] },
  deliveryActions: { by: 'account_id', order: ['delivery_id', 'position'] },
  modelConversations: BY_ID,
  modelTurns: BY_ID,
  forgottenAtProviders: null,
  events: BY_ID,
  accountBytes: { by: 'account_id', order: ['account_id'] },
  budgetUses: { by: 'account_id', order: ['agent_id', 'period'] },
  usageDays: { by: 'account_id', order: ['platform', 'day'] },
  inviteLinks: { by: 'account_id', order: ['account_id'] },
  conversations: BY_ID,
  messages: { by: 'account_id', order: ['created_at', 'seq'] },
  platformMessages: { by: 'message_seq', order: ['message_seq', 'platform_message_id'] },
  attachments: { by: 'message_seq', order: ['message_seq', 'position'] },
  files: BY_ID,
  idempotentRequests: { by: 'account_id', order: ['credential_id', 'key'] },
  feedback: BY_ID,
  auditLog: BY_ID,
  facts: null,
  // What belongs to an account there is in its bots and conversations.
  platformRecords: null,
  // What is being written, for seconds.
  liveMessages: null,
  // For seconds, until they are messages.
  heldMessages: null,
  // Of messages that are not there.
  earlyEdits: null,
};

/** The tables with account data, in export order. */
export const EXPORTED_TABLES = (Object.keys(OWNED) as (keyof Tables)[]).filter(
  (name) => OWNED[name] !== null,
);

/** Secrets, sealed or hashed, are useless to their owner and too useful to others. */
const SECRET_COLUMN = /^sealed_|hash$/;

/** Returns a table's name in the database. */
export function exportedName(table: keyof Tables): string {
  return table.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Yields the account's rows of one table in pages. */
export async function* exportedPages(
  db: Db,
  accountId: string,
  table: keyof Tables,
): AsyncGenerator<readonly ExportedRow[]> {
  const owned = OWNED[table];
  if (owned === null) return;
  let last: readonly unknown[] | null = null;
  do {
    const rows: ExportedRow[] = await readPage(db, accountId, {
      table: exportedName(table),
      owned,
      after: last,
    });
    last = rows.length === PAGE_SIZE ? owned.order.map((column) => rows.at(-1)![column]) : null;
    if (rows.length > 0) yield rows.map(withoutSecrets);
  } while (last !== null);
}

interface Page {
  readonly table: string;
  readonly owned: Owned;
  readonly after: readonly unknown[] | null;
}

async function readPage(
  db: Db,
  accountId: string,
  { table, owned: { by, order }, after }: Page,
): Promise<ExportedRow[]> {
  const columns = sql.join(order.map((column) => sql.ref(column)));
  const rest = after === null ? sql`` : sql`and (${columns}) > (${sql.join(after)})`;
  const query = sql<ExportedRow>`
    select * from ${sql.table(table)} where ${isOwned(by, accountId)} ${rest} order by ${columns} limit ${PAGE_SIZE}`;
  // Keeps the database's column names.
  const { rows } = await query.execute(db.withoutPlugins());
  return rows;
}

function isOwned(by: Owned['by'], accountId: string): RawBuilder<unknown> {
  if (by === 'agent_id') return sql`agent_id in (select id from agents where account_id = ${accountId})`;
  if (by === 'message_seq')
    return sql`message_seq in (select seq from messages where account_id = ${accountId})`;
  return sql`${sql.ref(by)} = ${accountId}`;
}

function withoutSecrets(row: ExportedRow): ExportedRow {
  const shown = Object.entries(row).filter(([column]) => !SECRET_COLUMN.test(column));
  return Object.fromEntries(
    shown.map(([column, value]) => [column, JSON_COLUMNS.has(column) ? parsed(value) : value]),
  );
}

/** Invalid JSON is exported as text, so that the export does not fail. */
function parsed(value: unknown): unknown {
  try {
    return typeof value === 'string' ? JSON.parse(value) : value;
  } catch {
    return value;
  }
}
