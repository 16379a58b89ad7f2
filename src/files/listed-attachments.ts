import { listAttachments } from '../store/messages/files.ts';
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
  const listed = Array.from(stored, ([seq, files]): [number, ListedAttachment[]] => [
    seq,
    files.map(({ name, mime, sizeBytes, token }) => ({
      name,
      mime,
      sizeBytes,
      url: fileUrl(publicUrl, token),
    })),
  ]);
  return new Map(listed);
}
