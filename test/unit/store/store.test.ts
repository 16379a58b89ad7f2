import { createHook } from 'node:async_hooks';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import SqliteDatabase from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { describeFailure } from '../../../src/store/database/store-error.ts';
import { appendEvent } from '../../../src/store/messages/events.ts';
import { openStore } from '../../../src/store/store.ts';
import { NOW, seedAccount, temporaryDir, temporaryStore } from './temporary.ts';

/** A data directory with a closed database that has some content. */
async function usedDataDir(): Promise<{ dataDir: string; file: string }> {
  const dataDir = temporaryDir();
  const store = await openStore({ dataDir, masterKey: null });
  const { accountId, agentId } = await seedAccount(store, 'a');
  for (let n = 0; n < 200; n++) {
    const payload = { text: 'x'.repeat(100), n };
    await appendEvent(store.db, { accountId, agentId, type: 'test', payload, createdAt: NOW });
  }
  await store.close();
  return { dataDir, file: join(dataDir, 'gateway.db') };
}

/** Opening fails with `code`, changes no byte of the file, and leaves no lock behind. */
async function expectRefusal(dataDir: string, code: string): Promise<Error> {
  const file = join(dataDir, 'gateway.db');
  const [bytes, changedAt] = [readFileSync(file), statSync(file).mtimeMs];
  const failure = await openStore({ dataDir, masterKey: null }).catch((error: Error) => error);
  expect(failure).toMatchObject({ name: 'StoreError', code });
  expect(readFileSync(file).equals(bytes)).toBe(true);
  expect(statSync(file).mtimeMs).toBe(changedAt);
  expect(await openStore({ dataDir, masterKey: null }).catch((error: Error) => error)).toMatchObject({
    code,
  });
  return failure as Error;
}

test('an empty directory becomes a database that survives a restart', async () => {
  const dataDir = join(temporaryDir(), 'made', 'on', 'demand');
  const first = await openStore({ dataDir, masterKey: null });
  await seedAccount(first, 'a');
  for (const file of ['gateway.db', 'gateway.db-wal', 'master.key']) {
    expect([file, statSync(join(dataDir, file)).mode & 0o777]).toEqual([file, 0o600]);
  }
  await first.close();
  await first.close();
  expect(statSync(dataDir).mode & 0o777).toBe(0o700);
  const second = await temporaryStore(dataDir);
  expect(await second.db.selectFrom('accounts').select('name').execute()).toEqual([{ name: 'a' }]);
});

test('the database allows one default agent per account, and only of an existing account', async () => {
  const store = await temporaryStore();
  await seedAccount(store, 'a');
  const second = {
    id: 'agt_2',
    accountId: 'acc_a',
    name: 'Second',
    isDefault: true,
    createdAt: NOW,
  } as const;
  await expect(store.db.insertInto('agents').values(second).execute()).rejects.toThrow('UNIQUE');
  await expect(
    store.db
      .insertInto('agents')
      .values({ ...second, accountId: 'acc_x' })
      .execute(),
  ).rejects.toThrow('FOREIGN KEY');
});

test('a second gateway on the same data is refused, until the first one has closed', async () => {
  const dataDir = temporaryDir();
  const first = await openStore({ dataDir, masterKey: null });
  await expect(openStore({ dataDir, masterKey: null })).rejects.toMatchObject({
    name: 'StoreError',
    code: 'locked',
    message: expect.stringContaining('another gateway is running'),
  });
  await seedAccount(first, 'a');
  await first.close();
  await temporaryStore(dataDir);
});

test('a database of a newer version is refused', async () => {
  const { dataDir, file } = await usedDataDir();
  const database = new SqliteDatabase(file);
  database.prepare('insert into migrations values (?, ?)').run('0999-from-the-future', NOW);
  database.close();
  expect((await expectRefusal(dataDir, 'newer_schema')).message).toContain('0999-from-the-future');
});

test('a foreign database is refused', async () => {
  const dataDir = temporaryDir();
  const database = new SqliteDatabase(join(dataDir, 'gateway.db'));
  database.exec('create table recipes (name text)');
  database.close();
  await expectRefusal(dataDir, 'not_a_database');
});

test('a file that is not a database is refused', async () => {
  const dataDir = temporaryDir();
  writeFileSync(join(dataDir, 'gateway.db'), 'dear diary, '.repeat(1000));
  await expectRefusal(dataDir, 'not_a_database');
});

test('a file cut in half is refused', async () => {
  const { dataDir, file } = await usedDataDir();
  truncateSync(file, Math.floor(statSync(file).size / 2));
  await expectRefusal(dataDir, 'damaged');
});

test('a file cut anywhere is refused', async () => {
  const { dataDir, file } = await usedDataDir();
  const whole = readFileSync(file);
  const fractions = Array.from({ length: 16 }, (_, n) => Math.floor((whole.length * n) / 16) + (n % 3) - 1);
  const cuts = [1, 16, 99, 100, 511, 512, 4_095, 4_096, whole.length - 1, ...fractions.slice(1)];
  for (const length of cuts) {
    const cut = whole.subarray(0, length);
    writeFileSync(file, cut);
    const failure = await openStore({ dataDir, masterKey: null }).catch((error: Error) => error);
    expect([length, (failure as Error).name]).toEqual([length, 'StoreError']);
    expect(readFileSync(file).equals(cut)).toBe(true);
  }
  writeFileSync(file, whole);
  await temporaryStore(dataDir);
});

test('a file with a corrupt page is refused', async () => {
  const { dataDir, file } = await usedDataDir();
  const bytes = readFileSync(file);
  bytes.fill(0xee, bytes.length - 8192, bytes.length - 4096);
  writeFileSync(file, bytes);
  await expectRefusal(dataDir, 'damaged');
});

test('a read-only file is refused', async () => {
  const { dataDir, file } = await usedDataDir();
  chmodSync(file, 0o444);
  expect((await expectRefusal(dataDir, 'not_writable')).message).toContain('read-only');
});

test('a directory of another user is named with both users', () => {
  const own = process.geteuid!();
  const dir = temporaryDir();
  if (own === 0) chownSync(dir, 12_345, 12_345);
  const [owner, place] = own === 0 ? [12_345, dir] : [0, '/'];
  expect(describeFailure(join(place, 'gateway.lock'), { code: 'SQLITE_CANTOPEN' })).toMatchObject({
    message: expect.stringContaining(
      `: ${place} belongs to user ${owner}, and the gateway runs as user ${own}`,
    ),
  });
});

test('a data directory that is a file is refused', async () => {
  const path = join(temporaryDir(), 'data');
  writeFileSync(path, '');
  await expect(openStore({ dataDir: path, masterKey: null })).rejects.toMatchObject({ code: 'not_writable' });
});

test('the master key is created once, readable by its owner only', async () => {
  const dataDir = temporaryDir();
  const place = { table: 't', column: 'c', row: 'r' };
  const first = await openStore({ dataDir, masterKey: null });
  const sealed = first.secrets.seal('secret', place);
  await first.close();
  expect(statSync(join(dataDir, 'master.key')).mode & 0o777).toBe(0o600);
  const second = await temporaryStore(dataDir);
  expect(second.secrets.open(sealed, place)).toBe('secret');
});

test('a lost or different master key is detected at start', async () => {
  const { dataDir } = await usedDataDir();
  const keyPath = join(dataDir, 'master.key');
  await expect(openStore({ dataDir, masterKey: Buffer.alloc(32, 1) })).rejects.toMatchObject({
    code: 'wrong_master_key',
  });
  const key = readFileSync(keyPath);
  writeFileSync(keyPath, 'too short');
  await expect(openStore({ dataDir, masterKey: null })).rejects.toMatchObject({ code: 'wrong_master_key' });
  rmSync(keyPath);
  await expect(openStore({ dataDir, masterKey: null })).rejects.toMatchObject({ code: 'wrong_master_key' });
  expect(existsSync(keyPath)).toBe(false);
  writeFileSync(keyPath, key);
  await temporaryStore(dataDir);
});

test('an empty database beside an existing master key is refused unless the operator wants a new one', async () => {
  const { dataDir } = await usedDataDir();
  const file = join(dataDir, 'gateway.db');
  const kept = readFileSync(join(dataDir, 'master.key'));
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true });
  for (const masterKey of [null, Buffer.alloc(32, 1)]) {
    await expect(openStore({ dataDir, masterKey })).rejects.toMatchObject({
      code: 'new_database',
      message: expect.stringContaining('SVC_NEW_DATABASE=1'),
    });
    expect(existsSync(file)).toBe(false);
  }
  writeFileSync(file, '');
  await expect(openStore({ dataDir, masterKey: null })).rejects.toMatchObject({ code: 'new_database' });
  expect(statSync(file).size).toBe(0);
  await (await openStore({ dataDir, masterKey: null, allowsNewDatabase: true })).close();
  expect(readFileSync(join(dataDir, 'master.key'))).toEqual(kept);
  await temporaryStore(dataDir);
});

test('a first start that was interrupted while creating the master key continues with that key', async () => {
  const { dataDir } = await usedDataDir();
  const keyPath = join(dataDir, 'master.key');
  const key = readFileSync(keyPath, 'utf8');
  renameSync(keyPath, `${keyPath}.new`);
  await (await openStore({ dataDir, masterKey: null })).close();
  expect([readFileSync(keyPath, 'utf8'), existsSync(`${keyPath}.new`)]).toEqual([key, false]);
});

test('a master key that other users can read causes a warning', async () => {
  const { dataDir } = await usedDataDir();
  const keyPath = join(dataDir, 'master.key');
  const warnings: string[] = [];
  const open = async () => {
    const onWarning = (text: string) => warnings.push(text);
    await (await openStore({ dataDir, masterKey: null, onWarning })).close();
    return warnings.splice(0);
  };
  expect(await open()).toEqual([]);
  for (const mode of [0o640, 0o604]) {
    chmodSync(keyPath, mode);
    expect(await open()).toEqual([expect.stringContaining('chmod 600')]);
  }
});

test('concurrent transactions are isolated', async () => {
  const store = await temporaryStore();
  const { accountId, agentId } = await seedAccount(store, 'a');
  const event = (type: string) => ({ accountId, agentId, type, payload: {}, createdAt: NOW });
  const outcomes = await Promise.allSettled(
    Array.from({ length: 50 }, (_, n) =>
      store.db.transaction().execute(async (trx) => {
        await appendEvent(trx, event(`first ${n}`));
        await Promise.resolve();
        await appendEvent(trx, event(`second ${n}`));
        if (n % 2 === 1) throw new Error('changed my mind');
      }),
    ),
  );
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(25);
  const types = (await store.db.selectFrom('events').select('type').orderBy('id').execute()).map(
    ({ type }) => type,
  );
  expect(types).toEqual(Array.from({ length: 25 }, (_, n) => [`first ${n * 2}`, `second ${n * 2}`]).flat());
});

test('the log is checkpointed into the file while the store is in use, and removed on close', async () => {
  const dataDir = temporaryDir();
  const file = join(dataDir, 'gateway.db');
  const store = await openStore({ dataDir, masterKey: null });
  onTestFinished(() => store.close());
  const [before, log] = [statSync(file).size, statSync(`${file}-wal`).size];
  expect(log).toBeGreaterThan(before);
  await expect.poll(() => statSync(file).size).toBeGreaterThan(before);
  await seedAccount(store, 'a');
  await store.close();
  expect(existsSync(`${file}-wal`)).toBe(false);
  const again = await temporaryStore(dataDir);
  expect(await again.db.selectFrom('accounts').select('id').execute()).toEqual([{ id: 'acc_a' }]);
});

test('after kill -9 all acknowledged data is there, and can be opened at once', async () => {
  const dataDir = temporaryDir();
  const child = spawn(process.execPath, [fileURLToPath(new URL('./writer.ts', import.meta.url)), dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let acknowledged = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    acknowledged = Number(line);
    if (acknowledged === 100) {
      await expect(openStore({ dataDir, masterKey: null })).rejects.toMatchObject({ code: 'locked' });
    }
    if (acknowledged >= 500 && !child.killed) child.kill('SIGKILL');
  }
  if (child.signalCode === null) await once(child, 'exit');
  expect(child.signalCode).toBe('SIGKILL');

  const store = await temporaryStore(dataDir);
  const stored = await store.db.selectFrom('events').select('id').orderBy('id').execute();
  expect(acknowledged).toBeGreaterThanOrEqual(500);
  expect(stored.length).toBeGreaterThanOrEqual(acknowledged);
  expect(stored.slice(0, acknowledged).map(({ id }) => id)).toEqual(
    Array.from({ length: acknowledged }, (_, n) => n + 1),
  );
});

test('thousands of concurrent queries are answered in order, each with constant work', async () => {
  const { db } = await temporaryStore();
  let promises = 0;
  const counting = createHook({
    init: (_id, type) => {
      if (type === 'PROMISE') promises++;
    },
  });
  onTestFinished(() => void counting.disable());
  const promisesPerQuery = async (count: number) => {
    const answered: number[] = [];
    promises = 0;
    counting.enable();
    const asked = Array.from({ length: count }, async (_, n) => {
      await db.selectFrom('accounts').select('id').executeTakeFirst();
      answered.push(n);
    });
    await Promise.all(asked);
    counting.disable();
    expect(answered).toEqual([...answered].sort((a, b) => a - b));
    return promises / count;
  };
  const amongFew = await promisesPerQuery(20);
  expect(amongFew).toBeGreaterThan(0);
  // A lock that wakes all waiting queries makes each of them wait again, a promise each, for every query that ends.
  expect(await promisesPerQuery(4_000)).toBeLessThan(2 * amongFew);
});

test('a query that fails, in a transaction or not, does not block the waiting ones', async () => {
  const { db } = await temporaryStore();
  const fails = () =>
    db
      .selectFrom('nowhere' as 'accounts')
      .selectAll()
      .execute();
  const rollsBack = () =>
    db.transaction().execute(async () => {
      throw new Error('rolled back');
    });
  const outcomes = await Promise.allSettled([
    fails(),
    rollsBack(),
    db.selectFrom('accounts').selectAll().execute(),
    db.transaction().execute((trx) => trx.selectFrom('accounts').selectAll().execute()),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled', 'fulfilled']);
});
