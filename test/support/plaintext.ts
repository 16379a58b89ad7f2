import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';

/**
 * All that a gateway's database holds, as text: every row of every table, and the bytes of the files, where deleted
 * rows may still lie.
 */
export function storedText(dataFolder: string): string {
  const path = join(dataFolder, 'gateway.db');
  if (!existsSync(path)) return '';
  const files = [path, `${path}-wal`].filter(existsSync);
  return [dumpOf(path), ...files.map((file) => readFileSync(file, 'latin1'))].join('\n');
}

function dumpOf(path: string): string {
  const database = new SqliteDatabase(path, { readonly: true });
  try {
    const tables = database
      .prepare("select name from sqlite_master where type = 'table'")
      .pluck()
      .all() as string[];
    return tables.map((table) => `${table}\n${rowsOf(database, table)}`).join('\n');
  } finally {
    database.close();
  }
}

function rowsOf(database: SqliteDatabase.Database, table: string): string {
  const rows = database.prepare(`select * from "${table}"`).raw().all() as unknown[][];
  const text = (value: unknown) => (Buffer.isBuffer(value) ? value.toString('hex') : `${value}`);
  return rows.map((row) => row.map(text).join('|')).join('\n');
}

/** The secrets that a text contains, and in which encoding. */
export function plaintextsIn(text: string, secrets: Iterable<string>): string[] {
  const lower = text.toLowerCase();
  return [...secrets].flatMap((secret) =>
    spellings(secret)
      .filter(([, spelt]) => lower.includes(spelt.toLowerCase()))
      .map(([name]) => `${secret} (${name})`),
  );
}

function spellings(secret: string): [string, string][] {
  const bytes = Buffer.from(secret);
  return [
    ['plain', secret],
    ['JSON', JSON.stringify(secret).slice(1, -1)],
    ['hex', bytes.toString('hex')],
    ['base64', bytes.toString('base64').replace(/=+$/, '')],
    ['base64url', bytes.toString('base64url')],
    ['URL', encodeURIComponent(secret)],
  ];
}
