import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import { MASTER_KEY_BYTES, SecretBox } from './secret-box.ts';
import { describeFailure, StoreError } from './store-error.ts';

/**
 * The box for this database's secrets: under the configured key, else under the key file, which is made once.
 * A database remembers the id of its key, so that a lost or wrong key is noticed at start and not at the first call.
 */
export function openSecretBox(database: Database, keyPath: string, configuredKey: Buffer | null): SecretBox {
  const rememberedId = database
    .prepare<[], string>("select value from facts where name = 'master_key_id'")
    .pluck()
    .get() as string | undefined;
  const key = configuredKey ?? readKeyFile(keyPath) ?? createKeyFile(keyPath, rememberedId);
  const box = new SecretBox(key);
  if (rememberedId === undefined) {
    database.prepare("insert into facts (name, value) values ('master_key_id', ?)").run(box.keyId);
  } else if (rememberedId !== box.keyId) {
    throw new StoreError(
      'wrong_master_key',
      `the secrets in the database were sealed with the master key ${rememberedId}, ` +
        `but ${configuredKey ? 'SVC_MASTER_KEY' : keyPath} is the key ${box.keyId}`,
    );
  }
  return box;
}

function readKeyFile(path: string): Buffer | null {
  if (!existsSync(path)) return null;
  try {
    const key = Buffer.from(readFileSync(path, 'utf8').trim(), 'base64');
    if (key.length === MASTER_KEY_BYTES) return key;
  } catch (error) {
    throw describeFailure(path, error);
  }
  throw new StoreError(
    'wrong_master_key',
    `${path} does not hold a key of ${MASTER_KEY_BYTES} bytes in base64`,
  );
}

function createKeyFile(path: string, rememberedId: string | undefined): Buffer {
  if (rememberedId !== undefined) {
    throw new StoreError(
      'wrong_master_key',
      `${path} is missing; without it (or SVC_MASTER_KEY) the secrets in the database cannot be read`,
    );
  }
  const key = randomBytes(MASTER_KEY_BYTES);
  const file = openSync(path, 'wx', 0o600);
  try {
    writeSync(file, `${key.toString('base64')}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  return key;
}
