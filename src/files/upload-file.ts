import { GatewayError } from '../base/errors.ts';
import { newId } from '../base/ids.ts';
import { isoAfter } from '../base/time.ts';
import { hashToken, newToken } from '../base/tokens.ts';
import { insertFile, type StoredFile } from '../store/messages/files.ts';
import { countHeldFiles } from '../store/people/account-counts.ts';
import { type FileDomain, UPLOAD_LIFE_MS } from './file-domain.ts';
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
  return await receiveBytes(domain, newId('f'), accountId, bytes);
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
