import { createHash } from 'node:crypto';
import * as z from 'zod';
import { GatewayError } from '../../base/errors.ts';
import { field } from '../../base/platform-json.ts';
import type { GraphClient } from './graph-client.ts';
import { isMediaGone } from './graph-error.ts';

/** Media metadata. Its URL is valid for five minutes. */
const MediaInfo = z.object({
  url: z.string(),
  sha256: z.string().default(''),
  file_size: field(z.union([z.string(), z.int()]).transform(Number)),
});

/** Opens the bytes of received media. The stream fails at its end when the hash does not match. */
export async function downloadMedia(
  graph: GraphClient,
  mediaId: string,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  const { url, sha256 } = await mediaInfo(graph, mediaId, signal);
  // Anyone with our token could send in our name.
  if (!graph.isMediaAddress(url)) throw new GatewayError('platform_failed');
  const answer = await graph.download(url, signal).catch((error: unknown) => {
    throw new GatewayError('platform_failed', undefined, { cause: error });
  });
  if (answer.ok && answer.body) return checked(answer.body, sha256);
  await answer.body?.cancel();
  throw new GatewayError(answer.status === 404 || answer.status === 410 ? 'file_gone' : 'platform_failed');
}

/** Returns the size in bytes, or null when the platform does not report it now. Never rejects. */
export async function mediaSize(
  graph: GraphClient,
  mediaId: string,
  signal: AbortSignal,
): Promise<number | null> {
  try {
    const { file_size: sizeBytes } = await mediaInfo(graph, mediaId, signal);
    return sizeBytes !== undefined && Number.isSafeInteger(sizeBytes) ? sizeBytes : null;
  } catch {
    return null;
  }
}

async function mediaInfo(
  graph: GraphClient,
  mediaId: string,
  signal: AbortSignal,
): Promise<z.output<typeof MediaInfo>> {
  const path = `${encodeURIComponent(mediaId)}?phone_number_id=${encodeURIComponent(graph.phoneNumberId)}`;
  const answer = await graph.get(path, signal);
  if (answer.kind === 'error' && isMediaGone(answer.error)) throw new GatewayError('file_gone');
  const info = answer.kind === 'ok' ? MediaInfo.safeParse(answer.body) : undefined;
  if (!info?.success) throw new GatewayError('platform_failed');
  return info.data;
}

/** Checks the hash, which Meta sends as hex in some places and base64 in others. */
async function* checked(body: AsyncIterable<Uint8Array>, sha256: string): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  for await (const part of body) {
    hash.update(part);
    yield part;
  }
  const digest = hash.digest();
  const isSame = sha256 === '' || digest.toString('hex') === sha256.toLowerCase();
  if (!isSame && digest.toString('base64') !== sha256) throw new GatewayError('platform_failed');
}
