import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { expect, test } from 'vitest';
import { COUNTED_BYTES } from '../../../src/store/schema/account-bytes.ts';
import { temporaryDir, temporaryStore } from './temporary.ts';

/** Rows of these soon expire, or are as many as others that are counted, or are limited to one. */
const UNCOUNTED = [
  ...['early_edits', 'held_messages'],
  ...[
    'account_bytes',
    'bot_owners',
    'budget_uses',
    // At most 500 of a call.
    'call_turns',
    'connection_states',
    'identities',
    'invite_links',
    'known_browsers',
  ],
  ...['mail_tokens', 'oauth_grants', 'oauth_tokens', 'owner_codes', 'sessions', 'sign_ins', 'sip_trunks'],
  'usage_days',
];

async function database(): Promise<SqliteDatabase.Database> {
  const dir = temporaryDir();
  await (await temporaryStore(dir)).close();
  const opened = new SqliteDatabase(join(dir, 'gateway.db'));
  opened.pragma('foreign_keys = on');
  // Any values will do.
  opened.pragma('ignore_check_constraints = on');
  return opened;
}

interface Column {
  readonly name: string;
  readonly type: string;
  readonly notnull: number;
}

/** Adds a row of a table to an account, with whatever rows it needs. Returns its values. */
function addRow(db: SqliteDatabase.Database, table: string): Record<string, unknown> {
  const sql = db.prepare('select sql from sqlite_master where name = ?').pluck().get(table) as string;
  const parents = db.pragma(`foreign_key_list(${table})`) as { table: string; from: string; to: string }[];
  const values: Record<string, unknown> = {};
  for (const { name, type, notnull } of db.pragma(`table_info(${table})`) as Column[]) {
    const parent = parents.find(({ from }) => from === name);
    if (sql.includes(`${name} integer primary key`)) continue;
    if (parent?.table === 'accounts') values[name] = 'acc_1';
    else if (parent === undefined) values[name] = type === 'INTEGER' ? 0 : `${name} ${randomUUID()}`;
    else if (notnull) values[name] = addRow(db, parent.table)[parent.to];
  }
  const names = Object.keys(values);
  const insert = `insert into ${table} (${names}) values (${names.map(() => '?')}) returning *`;
  return db.prepare(insert).get(...Object.values(values)) as Record<string, unknown>;
}

function namesOf(db: SqliteDatabase.Database, query: string): string[] {
  return db.prepare(`select name from ${query}`).pluck().all() as string[];
}

test('what an account stores is counted with each change of each table', async () => {
  const db = await database();
  db.exec("insert into accounts (id, name, created_at) values ('acc_1', 'Ada', '')");
  const bytesIn = (table: string) => db.prepare(`select coalesce(sum(bytes), 0) from ${table}`).pluck().get();
  const counted = namesOf(db, "sqlite_master where type = 'trigger' and name like '%_bytes_added'");
  const tables = counted.map((name) => name.replace('_bytes_added', ''));
  const owned = namesOf(db, "sqlite_master m where type = 'table' and sql like '%account_id text%'");
  expect([...tables, ...UNCOUNTED]).toEqual(expect.arrayContaining(owned));

  for (const table of tables) {
    addRow(db, table);
    const texts = namesOf(db, `pragma_table_info('${table}') where type = 'TEXT'`).filter((name) =>
      db
        .prepare('select sql like ? from sqlite_master where name = ?')
        .pluck()
        .get(`%new.${name},%`, `${table}_bytes_changed`),
    );
    const before = bytesIn('account_bytes') as number;
    for (const name of texts) db.exec(`update ${table} set ${name} = ${name} || 'longer'`);
    const rows = db.prepare(`select count(*) from ${table}`).pluck().get() as number;
    expect(bytesIn('account_bytes'), table).toBe(before + texts.length * rows * 'longer'.length);
    expect(bytesIn('account_bytes'), table).toBe(bytesIn(`(${COUNTED_BYTES})`));
  }
  // Rows that are deleted along with others count as well.
  for (const table of ['agents', ...tables]) {
    db.exec(`delete from ${table}`);
    expect(bytesIn('account_bytes'), table).toBe(bytesIn(`(${COUNTED_BYTES})`));
  }
  expect(bytesIn('account_bytes')).toBe(0);
  db.close();
});
