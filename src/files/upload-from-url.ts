import { GatewayError } from '../base/errors.ts';
import { newId } from '../base/ids.ts';
import { TimeLimit } from '../base/time.ts';
import { abortable } from './abortable.ts';
import type { FileDomain } from './file-domain.ts';
import { tokenIn } from './file-url.ts';
import { openByToken } from './open-file.ts';
import { receiveBytes, tooLarge } from './receive-bytes.ts';
import { assertFileRoom, type FileFacts, keepUpload, type Upload } from './upload-file.ts';
import type { WebFile } from './web-files.ts';

/** From the first DNS lookup to the last byte. */
const FETCH_DEADLINE_MS = 60_000;

/** The account of the new file, and the facts already given. */
interface Wanted {
  readonly accountId: string;
  readonly facts: FileFacts;
}

interface WebSource {
  readonly url: string;
  readonly facts: FileFacts;
}

/**
 * Fetches a file for an account. Facts that are not given come from the response. Throws `url_blocked`, `url_failed`,
 * the errors of `receiveBytes`, the errors of `openByToken` for one of our own URLs, and the signal's reason when it
 * aborts.
 */
export async function uploadFromUrl(
  domain: FileDomain,
  accountId: string,
  { url, facts }: WebSource,
  client: AbortSignal,
): Promise<Upload> {
  await assertFileRoom(domain, accountId);
  const limit = new TimeLimit(domain.clock, FETCH_DEADLINE_MS, { reason: new GatewayError('url_failed') });
  const signal = AbortSignal.any([client, limit.signal]);
  const wanted = { accountId, facts };
  try {
    const token = tokenIn(domain.publicUrl(), url);
    if (token !== null) return await keepOurs(domain, wanted, token, signal);
    const found = await domain.transfers.during(accountId, (leaving) =>
      openUrl(domain, url, AbortSignal.any([signal, leaving])),
    );
    return await keepFound(domain, wanted, found);
  } finally {
    limit.close();
  }
}

/** Our own files are copied from disk, because our own address may be blocked for fetching. */
async function keepOurs(
  domain: FileDomain,
  { accountId, facts }: Wanted,
  token: string,
  signal: AbortSignal,
): Promise<Upload> {
  const file = await openByToken(domain, token);
  const bytes = abortable(file.read(0, file.sizeBytes - 1), signal);
  const received = await receiveBytes(domain, { fileId: newId('f'), accountId }, bytes);
  return await keepUpload(domain, accountId, received, completed(facts, file));
}

async function openUrl(domain: FileDomain, url: string, signal: AbortSignal): Promise<WebFile> {
  try {
    return await domain.web.open(url, signal);
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'url_blocked') domain.count('blocked_url');
    throw error;
  }
}

async function keepFound(domain: FileDomain, { accountId, facts }: Wanted, found: WebFile): Promise<Upload> {
  try {
    if ((found.lengthBytes ?? 0) > domain.maxBytes) throw tooLarge(domain);
    const received = await receiveBytes(domain, { fileId: newId('f'), accountId }, found.bytes);
    domain.count('fetched_url');
    return await keepUpload(domain, accountId, received, completed(facts, found));
  } finally {
    found.close();
  }
}

/** Given facts take precedence over those of the file. */
function completed({ name, mime }: FileFacts, found: FileFacts): FileFacts {
  return { name: name ?? found.name, mime: mime ?? found.mime };
}
