import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { insertAgent } from '../../../src/store/agents/agents.ts';
import { insertRow } from '../../../src/store/database/rows.ts';
import { insertAccount } from '../../../src/store/people/accounts.ts';
import { hasSession } from '../../../src/store/people/sessions.ts';
import { openStore, type Store } from '../../../src/store/store.ts';

export const NOW = '2026-01-02T03:04:05.678Z';

/** A directory that is deleted with the test. */
export function temporaryDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'gateway-test-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** The files of a new store, by name: a database with the current schema, and its key. */
type NewFiles = ReadonlyMap<string, Buffer>;

let newFiles: Promise<NewFiles> | null = null;

/** Lets the store itself make them, once per process: copying them takes a tenth of the time. */
async function makeNewFiles(): Promise<NewFiles> {
  const dataDir = mkdtempSync(join(tmpdir(), 'gateway-test-'));
  try {
    const store = await openStore({ dataDir, masterKey: null });
    await store.close();
    return new Map(
      ['gateway.db', 'master.key'].map((name) => [name, readFileSync(join(dataDir, name))] as const),
    );
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** The store of a directory. It is closed with the test. */
export async function temporaryStore(dataDir = temporaryDir()): Promise<Store> {
  mkdirSync(dataDir, { recursive: true });
  if (readdirSync(dataDir).length === 0) {
    newFiles ??= makeNewFiles();
    for (const [name, bytes] of await newFiles) writeFileSync(join(dataDir, name), bytes, { mode: 0o600 });
  }
  const store = await openStore({ dataDir, masterKey: null });
  onTestFinished(() => store.close());
  return store;
}

/** An account with its default agent. */
export async function seedAccount(
  store: Store,
  name: string,
): Promise<{ accountId: string; agentId: string }> {
  const accountId = `acc_${name}`;
  const agentId = `agt_${name}`;
  await insertAccount(store.db, { id: accountId, name, createdAt: NOW });
  await insertAgent(store.db, {
    id: agentId,
    accountId,
    name: 'Default agent',
    isDefault: true,
    createdAt: NOW,
  });
  return { accountId, agentId };
}

/** A session of an account, as stored: `ses_` and the account's id. */
export async function seedSession({ db }: Store, accountId: string): Promise<void> {
  const id = `ses_${accountId}`;
  if (await hasSession(db, id)) return;
  await insertRow(db, 'sessions', {
    id,
    accountId,
    tokenHash: `hash of ${id}`,
    userAgent: '',
    address: '127.0.0.1',
    createdAt: NOW,
    lastUsedAt: NOW,
    expiresAt: '2999-01-01T00:00:00.000Z',
  });
}
