import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { insertAccount } from '../../src/store/people/accounts.ts';
import { openStore } from '../../src/store/store.ts';
import { spawnGateway } from '../support/gateway-process.ts';
import { within } from '../support/wait-for.ts';

/** sysexits.h: EX_UNAVAILABLE. */
const EXIT_UNAVAILABLE = 69;
const ACCOUNTS = 500;

/** A closed database with something in it. */
async function usedData(): Promise<{ dataDir: string; file: string }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'gateway-data-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const store = await openStore({ dataDir, masterKey: null });
  const createdAt = '2026-01-02T03:04:05.678Z';
  for (let n = 0; n < ACCOUNTS; n++)
    await insertAccount(store.db, { id: `acc_${n}`, name: `${n}`, createdAt });
  await store.close();
  return { dataDir, file: join(dataDir, 'gateway.db') };
}

/** The message of a gateway that does not start; the database file must stay unchanged. */
async function complaintAbout({ dataDir, file }: { dataDir: string; file: string }): Promise<string> {
  const [bytes, { mtimeMs, mode }] = [readFileSync(file), statSync(file)];
  const gateway = spawnGateway({
    SVC_DATA_DIR: dataDir,
    SVC_PORT: '0',
    SVC_SIP_HOST: '127.0.0.1',
    SVC_SIP_PORT: '0',
  });
  onTestFinished(() => void gateway.stop());
  expect(await within('the gateway to give up', gateway.exited)).toBe(EXIT_UNAVAILABLE);
  expect(readFileSync(file).equals(bytes)).toBe(true);
  expect(statSync(file)).toMatchObject({ mtimeMs, mode });
  const [, complaint, ...others] = gateway.output
    .slice(gateway.output.indexOf('The gateway cannot start:'))
    .split('\n');
  expect(others).toEqual(['']);
  return complaint!;
}

test('A gateway does not start on a database of a newer version', async () => {
  const data = await usedData();
  const database = new SqliteDatabase(data.file);
  database.exec("insert into migrations values ('0999-from-the-future', '2030-01-01T00:00:00.000Z')");
  database.close();
  const complaint = await complaintAbout(data);
  expect(complaint).toContain(
    `${data.file} was written by a newer version of the gateway (it has 0999-from-the-future)`,
  );
});

test('A gateway does not start on a truncated database', async () => {
  const data = await usedData();
  truncateSync(data.file, Math.floor(statSync(data.file).size / 2));
  expect(await complaintAbout(data)).toMatch(/gateway\.db is damaged.*was not changed: restore a backup/);
});

test('A gateway does not start on an empty database beside an existing master key', async () => {
  const data = await usedData();
  writeFileSync(data.file, '');
  expect(await complaintAbout(data)).toMatch(
    /gateway\.db is empty, but .*master\.key exists.*SVC_NEW_DATABASE=1/,
  );
});

test('A gateway does not start on a read-only database', async () => {
  const data = await usedData();
  chmodSync(data.file, 0o444);
  expect(await complaintAbout(data)).toContain('is read-only; make it writable or use another SVC_DATA_DIR');
});

test('A gateway does not start on a file that is not a database', async () => {
  const data = await usedData();
  writeFileSync(data.file, 'dear diary, '.repeat(1_000));
  expect(await complaintAbout(data)).toContain('is not a SQLite database; it was not changed');
});

/** Mounts a disk of a few pages; null where this is not allowed. */
function smallDisk(): string | null {
  const dir = mkdtempSync(join(tmpdir(), 'gateway-disk-'));
  const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', dir]).status === 0;
  onTestFinished(() => {
    if (isMounted) spawnSync('umount', [dir]);
    rmSync(dir, { recursive: true, force: true });
  });
  return isMounted ? dir : null;
}

test('A gateway says that there is no space left', async ({ skip }) => {
  const dir = smallDisk();
  if (dir === null) return skip('only root may mount a small disk');
  const gateway = spawnGateway({
    SVC_DATA_DIR: dir,
    SVC_PORT: '0',
    SVC_SIP_HOST: '127.0.0.1',
    SVC_SIP_PORT: '0',
  });
  onTestFinished(() => void gateway.stop());
  expect(await within('the gateway to give up', gateway.exited)).toBe(EXIT_UNAVAILABLE);
  expect(gateway.output).toContain(`There is no space left in ${dir}: free some`);
  expect(gateway.output).not.toContain('SQLITE');
});
