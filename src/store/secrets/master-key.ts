import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs';
import type { Database } from 'better-sqlite3';
import { describeFailure, StoreError } from '../database/store-error.ts';
import { MASTER_KEY_BYTES, SecretBox } from './secret-box.ts';

/** Permission bits of the group and of others. */
const OTHERS_BITS = 0o077;

/** Source of the master key and related options. */
export interface MasterKeyOptions {
  readonly keyPath: string;
  /** Null: the key is in the file. */
  readonly configuredKey: Buffer | null;
  /** Allows a new database next to an existing key file. */
  readonly allowsNewDatabase: boolean;
  /** Called with problems that an operator should check but that do not prevent the start. */
  readonly onWarning: (text: string) => void;
}

/**
 * Throws `new_database` when the database is missing or empty although a key file exists: the database was lost, or the
 * data directory is wrong. Only reads. Call it before the database is opened, which would create it.
 */
export function assertNoLostDatabase(databasePath: string, options: MasterKeyOptions): void {
  // After a crash, all data of a new database may still be in its log.
  const isEmpty = [databasePath, `${databasePath}-wal`].every(
    (path) => !existsSync(path) || statSync(path).size === 0,
  );
  if (isEmpty) assertMayBegin(databasePath, options);
}

function assertMayBegin(databasePath: string, { keyPath, allowsNewDatabase }: MasterKeyOptions): void {
  if (allowsNewDatabase || !existsSync(keyPath)) return;
  throw new StoreError(
    'new_database',
    `${databasePath} is empty, but ${keyPath} exists: restore the database, ` +
      'or set SVC_NEW_DATABASE=1 to begin a new one with this key',
  );
}

/**
 * Opens the box for this database's secrets with the configured key, or else with the key file, which is created once.
 * The database stores the id of its key, so that a lost or wrong key is detected at start and not at the first call.
 */
export function openSecretBox(database: Database, options: MasterKeyOptions): SecretBox {
  const { keyPath, configuredKey } = options;
  const storedKeyId = database
    .prepare<[], string>("select value from facts where name = 'master_key_id'")
    .pluck()
    .get() as string | undefined;
  if (storedKeyId === undefined) return beginWithKey(database, options);
  const box = new SecretBox(configuredKey ?? readKeyFile(options) ?? unfinishedKey(keyPath, storedKeyId));
  if (storedKeyId !== box.keyId) {
    throw new StoreError(
      'wrong_master_key',
      `the secrets in the database were sealed with the master key ${storedKeyId}, ` +
        `but ${configuredKey ? 'SVC_MASTER_KEY' : keyPath} is the key ${box.keyId}`,
    );
  }
  return box;
}

/**
 * Records the key in the database, then renames the key file to its final name. A crash in between leaves a file that
 * the next start adopts or overwrites, but never a key next to an empty database.
 */
function beginWithKey(database: Database, options: MasterKeyOptions): SecretBox {
  const { keyPath, configuredKey } = options;
  assertMayBegin(database.name, options);
  const known = configuredKey ?? readKeyFile(options);
  const box = new SecretBox(known ?? writeKeyFile(unfinishedPath(keyPath)));
  database.prepare("insert into facts (name, value) values ('master_key_id', ?)").run(box.keyId);
  if (known === null) renameSync(unfinishedPath(keyPath), keyPath);
  return box;
}

function readKeyFile({ keyPath, onWarning }: MasterKeyOptions): Buffer | null {
  if (!existsSync(keyPath)) return null;
  if ((statSync(keyPath).mode & OTHERS_BITS) !== 0)
    onWarning(`${keyPath} can be read by other users of this machine: run chmod 600 on it`);
  return keyIn(keyPath);
}

function keyIn(path: string): Buffer {
  try {
    const key = Buffer.from(readFileSync(path, 'utf8').trim(), 'base64');
    if (key.length === MASTER_KEY_BYTES) return key;
  } catch (error) {
    throw describeFailure(path, error);
  }
  throw new StoreError(
    'wrong_master_key',
    `${path} does not contain a key of ${MASTER_KEY_BYTES} bytes in base64`,
  );
}

/** Adopts a key file that was not renamed because of a crash. */
function unfinishedKey(keyPath: string, storedKeyId: string): Buffer {
  const path = unfinishedPath(keyPath);
  if (existsSync(path)) {
    const key = keyIn(path);
    if (new SecretBox(key).keyId === storedKeyId) {
      renameSync(path, keyPath);
      return key;
    }
  }
  throw new StoreError(
    'wrong_master_key',
    `${keyPath} is missing; without it (or SVC_MASTER_KEY) the secrets in the database cannot be read`,
  );
}

function unfinishedPath(keyPath: string): string {
  return `${keyPath}.new`;
}

function writeKeyFile(path: string): Buffer {
  const key = randomBytes(MASTER_KEY_BYTES);
  const file = openSync(path, 'w', 0o600);
  try {
    writeSync(file, `${key.toString('base64')}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  return key;
}
