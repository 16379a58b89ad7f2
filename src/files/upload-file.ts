import { GatewayError } from '../base/errors.ts';
import { hashToken, newId, newToken } from '../base/ids.ts';
import { isoAfter } from '../base/time.ts';
import { findRow } from '../store/database/rows.ts';
import { fillSlot, findFileBySlot, insertFile, type StoredFile, tokenOf } from '../store/messages/files.ts';
import { countHeldFiles, countOpenSlots } from '../store/people/account-counts.ts';
import { type FileDomain, SLOT_GRACE_MS, SLOT_LIFE_MS, UPLOAD_LIFE_MS } from './file-domain.ts';
import { cleanFileName } from './file-name.ts';
import { mimeOf } from './mime-type.ts';
import { dropBytes, type Received, receiveBytes } from './receive-bytes.ts';

/** Specification, "File endpoints". */
const TOKEN_BYTES = 24;
/** Applies whatever the files' sizes: each has a record and a directory entry. */
const MAX_FILES = 10_000;

/** What an uploader states about a file. */
export interface FileFacts {
  readonly name: string | null;
  readonly mime: string | null;
}

/** An uploaded file and the token of its URL. */
export interface Upload {
  readonly file: StoredFile;
  readonly token: string;
}

/** Throws `storage_full`, with the limit, when the account has reached its number of files. */
export async function assertFileRoom({ store, count }: FileDomain, accountId: string): Promise<void> {
  if ((await countHeldFiles(store.db, accountId)) < MAX_FILES) return;
  count('storage_full');
  throw new GatewayError('storage_full', `An account may have at most ${MAX_FILES} files`);
}

/** Receives an account's bytes under a new id. Throws `storage_full` and the errors of `receiveBytes`. */
export async function receiveUpload(
  domain: FileDomain,
  accountId: string,
  bytes: AsyncIterable<Uint8Array>,
): Promise<Received> {
  await assertFileRoom(domain, accountId);
  return await receiveBytes(domain, { fileId: newId('f'), accountId }, bytes);
}

/** Stores received bytes as a file of the account for 24 h. */
export async function keepUpload(
  domain: FileDomain,
  accountId: string,
  received: Received,
  facts: FileFacts,
): Promise<Upload> {
  const upload = newUpload(domain, accountId, received.fileId, {
    name: cleanFileName(facts.name),
    mime: mimeOf(facts.mime, received.head),
    sizeBytes: received.sizeBytes,
    state: 'stored',
  });
  const { file, token } = upload;
  try {
    const hashes = { tokenHash: hashToken(token), slotHash: null };
    await insertFile(domain.store.db, domain.store.secrets, { ...file, ...hashes, token });
  } catch (error) {
    await dropBytes(domain, received);
    throw error;
  }
  domain.count('stored');
  return upload;
}

/** Creates the record of an uploaded file, without storing it, and a new token for its URL. */
export function newUpload(
  { clock }: Pick<FileDomain, 'clock'>,
  accountId: string,
  id: string,
  facts: Pick<StoredFile, 'name' | 'mime' | 'sizeBytes' | 'state'>,
): Upload {
  const createdAt = clock.nowIso();
  const file: StoredFile = {
    ...facts,
    id,
    accountId,
    origin: 'upload',
    slotExpiresAt: null,
    platform: null,
    loginKey: null,
    remoteRef: null,
    createdAt,
    cachedUntil: null,
    expiresAt: isoAfter(createdAt, UPLOAD_LIFE_MS),
  };
  return { file, token: newFileToken() };
}

export function newFileToken(): string {
  return newToken(TOKEN_BYTES);
}

/** Uploads a file whose bytes are already in memory. */
export async function uploadInline(
  domain: FileDomain,
  accountId: string,
  bytes: Uint8Array,
  facts: FileFacts,
): Promise<Upload> {
  return await keepUpload(
    domain,
    accountId,
    await receiveUpload(domain, accountId, inOnePiece(bytes)),
    facts,
  );
}

async function* inOnePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

const MAX_OPEN_SLOTS = 100;

/** A reserved upload, which can be filled without an API key. */
export interface Slot {
  readonly fileId: string;
  /** The slot's only credential; works once. */
  readonly secret: string;
  readonly expiresAt: string;
}

/** Reserves one upload for 5 minutes. Throws `storage_full`, `too_many_slots`. */
export async function reserveFile(domain: FileDomain, accountId: string, facts: FileFacts): Promise<Slot> {
  await assertFileRoom(domain, accountId);
  await assertSlotRoom(domain, accountId);
  const { file, token } = newUpload(domain, accountId, newId('f'), {
    name: cleanFileName(facts.name),
    // The type cannot be detected before there are bytes.
    mime: mimeOf(facts.mime, new Uint8Array()),
    sizeBytes: null,
    state: 'reserved',
  });
  const secret = newToken();
  const expiresAt = isoAfter(file.createdAt, SLOT_LIFE_MS);
  await insertFile(domain.store.db, domain.store.secrets, {
    ...file,
    token,
    tokenHash: hashToken(token),
    slotHash: hashToken(secret),
    slotExpiresAt: expiresAt,
    // A slot that is never filled is removed.
    expiresAt: isoAfter(expiresAt, SLOT_GRACE_MS),
  });
  return { fileId: file.id, secret, expiresAt };
}

/** Throws `too_many_slots`, with the limit, when the account has reached its number of reserved uploads. */
async function assertSlotRoom({ store, clock }: FileDomain, accountId: string): Promise<void> {
  if ((await countOpenSlots(store.db, accountId, clock.nowIso())) < MAX_OPEN_SLOTS) return;
  throw new GatewayError('too_many_slots', `An account may have at most ${MAX_OPEN_SLOTS} reserved uploads`);
}

/**
 * Fills a slot with the bytes that `receive` returns for its file. No other request can fill it meanwhile. On failure the
 * slot stays open. Throws `file_not_found` when it is used up, in use, expired or unknown.
 */
export async function fillReserved(
  domain: FileDomain,
  secret: string,
  receive: (file: StoredFile) => Promise<AsyncIterable<Uint8Array>>,
): Promise<Upload> {
  const slotHash = hashToken(secret);
  const { db } = domain.store;
  if (domain.slotsInUse.has(slotHash)) throw new GatewayError('file_not_found');
  domain.slotsInUse.add(slotHash);
  try {
    const file = await findFileBySlot(db, slotHash, domain.clock.nowIso());
    if (!file) throw new GatewayError('file_not_found');
    const incoming = { fileId: file.id, accountId: file.accountId };
    const received = await receiveBytes(domain, incoming, await receive(file));
    return await keepFilled(domain, file, received);
  } finally {
    domain.slotsInUse.delete(slotHash);
  }
}

async function keepFilled(domain: FileDomain, file: StoredFile, received: Received): Promise<Upload> {
  const { db, secrets } = domain.store;
  const { sizeBytes, head } = received;
  const isFilled = await fillSlot(db, file.id, {
    sizeBytes,
    mime: mimeOf(file.mime, head),
    expiresAt: isoAfter(domain.clock.nowIso(), UPLOAD_LIFE_MS),
  });
  const filled = await findRow(db, 'files', { id: file.id });
  if (!isFilled || !filled) {
    await dropBytes(domain, received);
    throw new GatewayError('file_not_found');
  }
  domain.count('stored');
  return { file: filled, token: tokenOf(secrets, filled) };
}
