import { listAttachments, listFiles, type StoredAttachment } from '../store/messages/files.ts';
import type { FileDomain } from './file-domain.ts';
import { fileUrl } from './file-url.ts';

/** A file as listed in a message. */
export interface ListedAttachment {
  readonly name: string;
  readonly mime: string;
  /** Null: unknown until the file is fetched. */
  readonly sizeBytes: number | null;
  readonly url: string;
}

/** Returns the files of messages in order, by the messages' `seq`. Messages without files have no entry. */
export async function listedAttachments(
  { store }: Pick<FileDomain, 'store'>,
  publicUrl: string,
  messageSeqs: readonly number[],
): Promise<Map<number, ListedAttachment[]>> {
  const stored = await listAttachments(store.db, store.secrets, messageSeqs);
  return new Map([...stored].map(([seq, files]) => [seq, files.map((file) => listed(file, publicUrl))]));
}

/** Returns files by id. Files that no longer exist have no entry. */
export async function listedFiles(
  { store }: Pick<FileDomain, 'store'>,
  publicUrl: string,
  fileIds: readonly string[],
): Promise<Map<string, ListedAttachment>> {
  const stored = await listFiles(store.db, store.secrets, fileIds);
  return new Map([...stored].map(([id, file]) => [id, listed(file, publicUrl)]));
}

function listed({ name, mime, sizeBytes, token }: StoredAttachment, publicUrl: string): ListedAttachment {
  return { name, mime, sizeBytes, url: fileUrl(publicUrl, token) };
}
