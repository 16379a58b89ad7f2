import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { expect, test } from 'vitest';
import { findRow } from '../../../src/store/database/rows.ts';
import { openStore } from '../../../src/store/store.ts';
import { temporaryDir, temporaryStore } from './temporary.ts';

/** A dump of a gateway's database from before there was a baseline. */
const FORMER_DUMP = join(import.meta.dirname, 'before-baseline.sql');

function dataDirOf(sql: string): { dataDir: string; file: string } {
  const dataDir = temporaryDir();
  const file = join(dataDir, 'gateway.db');
  const database = new SqliteDatabase(file);
  database.pragma('journal_mode = wal');
  database.exec(sql);
  database.close();
  return { dataDir, file };
}

function reading<T>(file: string, read: (database: SqliteDatabase.Database) => T): T {
  const database = new SqliteDatabase(file, { readonly: true });
  try {
    return read(database);
  } finally {
    database.close();
  }
}

const appliedIn = (file: string) =>
  reading(file, (database) => database.prepare('select name from migrations').pluck().all());

/** Everything about tables, indexes and triggers but the order of columns and the white space. */
function shapeOf(file: string): unknown {
  return reading(file, (database) => {
    const all = database.prepare('select type, name, sql from sqlite_master order by name').all();
    return (all as { type: string; name: string; sql: string | null }[]).map(({ type, name, sql }) => {
      const plain = (sql ?? '').toLowerCase().replace(/\s+/g, '');
      if (type !== 'table') return [type, name, plain];
      const columns = database.prepare(
        'select name, type, "notnull", dflt_value, pk from pragma_table_info(?) order by name',
      );
      const keys = database.prepare(
        'select "table", "from", on_delete from pragma_foreign_key_list(?) order by "from"',
      );
      const checks = plain.match(/check\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)/g) ?? [];
      return [type, name, columns.all(name), keys.all(name), checks.toSorted(), plain.split(')').at(-1)];
    });
  });
}

test('a database from before the baseline is carried over once, with what is in it', async () => {
  const { dataDir, file } = dataDirOf(readFileSync(FORMER_DUMP, 'utf8'));
  for (let start = 0; start < 2; start++) {
    const store = await temporaryStore(dataDir);
    expect(await findRow(store.db, 'calls', { callId: 'call_1' })).toMatchObject({
      accountId: 'acc_1',
      sampleRateHz: 16_000,
    });
    await store.close();
    expect(appliedIn(file)).toEqual(['0001-baseline']);
  }
  const fresh = temporaryDir();
  await (await openStore({ dataDir: fresh, masterKey: null })).close();
  expect(shapeOf(file)).toEqual(shapeOf(join(fresh, 'gateway.db')));
});

test('one that is older still is refused with what to do', async () => {
  const { dataDir, file } = dataDirOf(readFileSync(FORMER_DUMP, 'utf8'));
  const database = new SqliteDatabase(file);
  database.exec("delete from migrations where name = '0029-attempts-by-time'");
  database.close();
  await expect(openStore({ dataDir, masterKey: null })).rejects.toMatchObject({
    code: 'older_schema',
    message: expect.stringContaining('late November 2026'),
  });
  expect(appliedIn(file)).toHaveLength(28);
});

test('a failed migration leaves the database unchanged', async () => {
  const { dataDir, file } = dataDirOf(`
    create table migrations (name text primary key, applied_at text not null) strict;
    create table voice_configs (somebody_elses text)`);
  await expect(openStore({ dataDir, masterKey: null })).rejects.toThrow('voice_configs');
  const tables = reading(file, (database) =>
    database.prepare("select name from sqlite_master where type = 'table' order by name").pluck().all(),
  );
  expect(tables).toEqual(['migrations', 'voice_configs']);
});
