import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { expect, test } from 'vitest';
import { loadSipAccounts } from '../../../src/accounts/logins/sip-accounts.ts';
import { systemClock } from '../../../src/base/time.ts';
import { findKeyByHash } from '../../../src/store/keys/keys.ts';
import { findTrunk } from '../../../src/store/logins/sip-trunks.ts';
import { openStore } from '../../../src/store/store.ts';
import { FakeDirectory } from '../accounts/fake-directory.ts';
import { temporaryDir, temporaryStore } from './temporary.ts';

type Rows = Record<string, Record<string, unknown>[]>;

/** `sqlite3 gateway.db .dump` of a gateway from before people could sign in, and the master key of its secrets. */
const FORMER_DUMP = join(import.meta.dirname, 'before-accounts.sql');
const FORMER_KEY = Buffer.alloc(32, 7);

/** A data directory as left by the gateway with the migrations 0001 and 0002. */
function formerDataDir(): { dataDir: string; file: string } {
  const dataDir = temporaryDir();
  const file = join(dataDir, 'gateway.db');
  const database = new SqliteDatabase(file);
  database.pragma('journal_mode = wal');
  database.exec(readFileSync(FORMER_DUMP, 'utf8'));
  database.close();
  writeFileSync(join(dataDir, 'master.key'), `${FORMER_KEY.toString('base64')}\n`);
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

function rowsOf(file: string): Rows {
  return reading(file, (database) => {
    const tables = database.prepare("select name from sqlite_master where type = 'table'").pluck().all();
    const names = (tables as string[]).filter((name) => name !== 'migrations' && name !== 'sqlite_sequence');
    return Object.fromEntries(
      names.map((name) => [name, database.prepare(`select * from "${name}"`).all()]),
    ) as Rows;
  });
}

test('the old schema has rows in each of its tables, which the other tests rely on', () => {
  const rows = rowsOf(formerDataDir().file);
  expect(Object.keys(rows)).toHaveLength(10);
  for (const [table, found] of Object.entries(rows)) expect([table, found.length > 0]).toEqual([table, true]);
});

test('a database from before people could sign in opens with all its data', async () => {
  const { dataDir, file } = formerDataDir();
  const before = rowsOf(file);
  const store = await openStore({ dataDir, masterKey: null });
  const trunk = await findTrunk(store.db, store.secrets, before.accounts![0]!.id as string);
  expect(trunk?.password).toBe('the password of before');
  const [key] = before.api_keys!;
  expect(await findKeyByHash(store.db, key!.hash as string)).toMatchObject({ id: key!.id, kind: key!.kind });
  await store.close();

  const after = rowsOf(file);
  for (const [table, rows] of Object.entries(before)) {
    // There may be new columns; existing data is unchanged, row by row.
    expect(after[table]!.map((row, n) => ({ ...row, ...rows[n] }))).toEqual(after[table]);
    expect([table, after[table]!.length]).toEqual([table, rows.length]);
  }
  // Two events in the same millisecond; cursors tell them apart.
  expect(after.events!.map((row) => row.cursor_time)).toEqual([
    '2026-11-20T12:00:00.000Z',
    '2026-11-20T12:00:00.001Z',
  ]);
  for (const account of after.accounts!) {
    expect(account).toMatchObject({ email: null, email_verified_at: null, password_hash: null });
  }
});

test('an upgraded database is intact, has the schema of a new one, and opens again', async () => {
  const { dataDir, file } = formerDataDir();
  await (await openStore({ dataDir, masterKey: null })).close();
  const freshDir = temporaryDir();
  await (await openStore({ dataDir: freshDir, masterKey: null })).close();
  const schemaOf = (path: string) =>
    reading(path, (database) =>
      database.prepare('select name, sql from sqlite_master where sql is not null order by name').all(),
    );
  expect(schemaOf(file)).toEqual(schemaOf(join(freshDir, 'gateway.db')));
  reading(file, (database) => {
    expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(database.pragma('foreign_key_check')).toEqual([]);
  });
  const bytes = rowsOf(file);
  await temporaryStore(dataDir);
  expect(rowsOf(file)).toEqual(bytes);
});

test('a failed migration leaves the database unchanged', async () => {
  const { dataDir, file } = formerDataDir();
  const database = new SqliteDatabase(file);
  // The last table that the step creates exists already.
  database.exec('create table audit_log (somebody_elses text)');
  database.close();
  const before = rowsOf(file);
  await expect(openStore({ dataDir, masterKey: null })).rejects.toThrow('audit_log');
  expect(rowsOf(file)).toEqual(before);
  reading(file, (reader) => {
    const applied = reader.prepare('select name from migrations order by name').pluck().all();
    expect(applied).toEqual(['0001-main-job', '0002-call-rate']);
  });
});

test('a trunk from before inbound tokens gets one, which stays', async () => {
  const { dataDir } = formerDataDir();
  const store = await openStore({ dataDir, masterKey: null });
  const loaded = async () => {
    const directory = new FakeDirectory();
    await loadSipAccounts({ store, directory, clock: systemClock });
    return [...directory.trunks.values()];
  };
  const [trunk] = await loaded();
  expect(trunk).toMatchObject({ inboundToken: expect.stringMatching(/^[0-9a-f]{32}$/), behindNat: false });
  expect(await loaded()).toEqual([trunk]);
  await store.close();
});
