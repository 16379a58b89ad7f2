import { buffer } from 'node:stream/consumers';
import type * as z from 'zod';
import type { InboundFile, OutboundFile } from '../../../src/connectors/contract/messenger.ts';
import type { LoopbackApi } from './loopback-api.ts';
import { StoredFile } from './vendor-messages.ts';

/** Uploads the files of a message. Returns their ids at the vendor. Rejects as LoopbackApi.call does. */
export async function uploadFiles(
  api: LoopbackApi,
  files: readonly OutboundFile[],
  signal: AbortSignal,
): Promise<string[]> {
  const ids: string[] = [];
  for (const file of files) {
    const { name, mime } = file;
    const request = {
      method: 'POST',
      path: 'files',
      body: await buffer(file.open()),
      headers: { 'content-type': mime, 'x-file-name': encodeURIComponent(name) },
    } as const;
    ids.push((await api.call(request, StoredFile, signal)).id);
  }
  return ids;
}

export function inboundFile({ id, name, mime, size }: z.output<typeof StoredFile>): InboundFile {
  return { name, mime, sizeBytes: size, ref: id };
}
