import { listRows, type Row } from '../store/database/rows.ts';
import { listAttachments, tokenOf } from '../store/messages/files.ts';
import type { SecretBox } from '../store/secrets/secret-box.ts';
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
  const stored = await listAttachments(store.db, messageSeqs);
  return new Map(
    [...stored].map(([seq, files]) => [seq, files.map((file) => listed(store.secrets, file, publicUrl))]),
  );
}

/** Returns files by id. Files that no longer exist have no entry. */
export async function listedFiles(
  { store }: Pick<FileDomain, 'store'>,
  publicUrl: string,
  fileIds: readonly string[],
): Promise<Map<string, ListedAttachment>> {
  const stored = await listRows(store.db, 'files', { id: fileIds });
  return new Map(stored.map((file) => [file.id, listed(store.secrets, file, publicUrl)]));
}

function listed(secrets: SecretBox, file: Row<'files'>, publicUrl: string): ListedAttachment {
  const { name, mime, sizeBytes } = file;
  return { name, mime, sizeBytes, url: fileUrl(publicUrl, tokenOf(secrets, file)) };
}
