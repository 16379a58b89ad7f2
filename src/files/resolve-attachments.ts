import { GatewayError } from '../base/errors.ts';
import type { OutboundFile } from '../connectors/contract/messenger.ts';
import { findRow } from '../store/database/rows.ts';
import { filesOfMessage, type StoredFile } from '../store/messages/files.ts';
import type { FileDomain } from './file-domain.ts';
import { openFile } from './open-file.ts';
import { type FileFacts, uploadInline } from './upload-file.ts';
import { uploadFromUrl } from './upload-from-url.ts';

/** An attachment as specified by the message's sender. */
export type AttachmentSource =
  | { readonly fileId: string }
  | (FileFacts & { readonly url: string })
  | (FileFacts & { readonly bytes: Uint8Array });

/** A file to be sent with a message. */
export interface ResolvedFile extends OutboundFile {
  readonly fileId: string;
}

/**
 * Resolves an account's attachments to files, in order. New content becomes a file of the account for 24 h. Throws
 * `file_not_found`, `file_not_yours` or `file_gone` for an id, and the errors of uploads.
 */
export async function resolveAttachments(
  domain: FileDomain,
  accountId: string,
  sources: readonly AttachmentSource[],
  signal: AbortSignal,
): Promise<ResolvedFile[]> {
  const resolved: ResolvedFile[] = [];
  for (const source of sources) {
    resolved.push(await outbound(domain, await fileOf(domain, accountId, source, signal)));
  }
  return resolved;
}

/** Returns the files of a stored message, in order. Throws `file_gone` when one no longer exists. */
export async function attachedFiles(domain: FileDomain, messageSeq: number): Promise<ResolvedFile[]> {
  const files = await filesOfMessage(domain.store.db, messageSeq);
  return await Promise.all(files.map((file) => outbound(domain, file)));
}

/** Opens one file of a stored message, by the message's id and the file's position. Null: it no longer exists. */
export async function sentFile(
  domain: FileDomain,
  messageId: string,
  index: number,
): Promise<ResolvedFile | null> {
  const { db } = domain.store;
  const message = await findRow(db, 'messages', { id: messageId });
  const file = message && (await filesOfMessage(db, message.seq))[index];
  return file ? await outbound(domain, file).catch(() => null) : null;
}

async function fileOf(
  domain: FileDomain,
  accountId: string,
  source: AttachmentSource,
  signal: AbortSignal,
): Promise<StoredFile> {
  if ('fileId' in source) return await ownFile(domain, accountId, source.fileId);
  const upload =
    'url' in source
      ? await uploadFromUrl(domain, accountId, { url: source.url, facts: source }, signal)
      : await uploadInline(domain, accountId, source.bytes, source);
  return upload.file;
}

async function ownFile({ store, clock }: FileDomain, accountId: string, id: string): Promise<StoredFile> {
  const file = await findRow(store.db, 'files', { id });
  if (!file) throw new GatewayError('file_not_found');
  if (file.accountId !== accountId) throw new GatewayError('file_not_yours');
  const isOver = file.expiresAt <= clock.nowIso() || (file.state === 'gone' && file.origin === 'upload');
  if (isOver || file.state === 'reserved') throw new GatewayError('file_not_found');
  return file;
}

/** Platforms need the size in advance, so a file that only a platform has is fetched now. */
async function outbound(domain: FileDomain, file: StoredFile): Promise<ResolvedFile> {
  const { id: fileId, name, mime, sizeBytes } = await openFile(domain, file);
  return { fileId, name, mime, sizeBytes, open: () => wholeFile(domain, file) };
}

/** The cache may have been emptied before a retry. */
async function* wholeFile(domain: FileDomain, file: StoredFile): AsyncGenerator<Uint8Array> {
  const { sizeBytes, read } = await openFile(
    domain,
    (await findRow(domain.store.db, 'files', { id: file.id })) ?? file,
  );
  yield* read(0, sizeBytes - 1);
}
