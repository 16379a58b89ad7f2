import { GatewayError } from '../base/errors.ts';
import type { Clock } from '../base/time.ts';
import { TimeLimit } from '../base/time-limit.ts';
import type { WebFiles } from '../files/web-files.ts';

const DEADLINE_MS = 5_000;
const MAX_BYTES = 32_768;

/**
 * Reads the metadata document that a client gave as its id, from public hosts only and without following redirects.
 * Throws `url_failed` when it takes more than 5 s or exceeds 32 KiB.
 */
export async function readSmallDocument(web: WebFiles, clock: Clock, url: string): Promise<string> {
  const limit = new TimeLimit(clock, DEADLINE_MS, { reason: new GatewayError('url_failed') });
  try {
    const { bytes } = await web.open(url, limit.signal, 0);
    const parts: Uint8Array[] = [];
    let lengthBytes = 0;
    for await (const part of bytes) {
      lengthBytes += part.byteLength;
      if (lengthBytes > MAX_BYTES) throw new GatewayError('url_failed');
      parts.push(part);
    }
    return Buffer.concat(parts).toString('utf8');
  } finally {
    limit.close();
  }
}
