import { GatewayError } from '../base/errors.ts';
import { newId } from '../base/ids.ts';
import { deadlineSignal } from './deadline-signal.ts';
import type { FileDomain } from './file-domain.ts';
import { receiveBytes, tooLarge } from './receive-bytes.ts';
import { type FileFacts, keepUpload, type Upload } from './upload-file.ts';
import type { WebFile } from './web-files.ts';

/** From the first look-up to the last byte. */
const FETCH_DEADLINE_MS = 60_000;

/**
 * Fetches a file for an account; what `facts` leave open is taken from the answer. Throws `url_blocked`, `url_failed`, or
 * what `receiveBytes` throws; the signal's reason when it aborts.
 */
export async function uploadFromUrl(
  domain: FileDomain,
  accountId: string,
  url: string,
  facts: FileFacts,
  client: AbortSignal,
): Promise<Upload> {
  const deadline = deadlineSignal(domain.clock, FETCH_DEADLINE_MS, new GatewayError('url_failed'));
  const signal = AbortSignal.any([client, deadline.signal]);
  try {
    const found = await domain.transfers.during(accountId, () => openUrl(domain, url, signal));
    return await keepFound(domain, accountId, found, facts);
  } finally {
    deadline.end();
  }
}

async function openUrl(domain: FileDomain, url: string, signal: AbortSignal): Promise<WebFile> {
  try {
    return await domain.web.open(url, signal);
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'url_blocked') domain.count('blocked_url');
    throw error;
  }
}

async function keepFound(
  domain: FileDomain,
  accountId: string,
  found: WebFile,
  { name, mime }: FileFacts,
): Promise<Upload> {
  try {
    if ((found.lengthBytes ?? 0) > domain.maxBytes) throw tooLarge(domain);
    const received = await receiveBytes(domain, newId('f'), accountId, found.bytes);
    domain.count('fetched_url');
    const facts = { name: name ?? found.name, mime: mime ?? found.mime };
    return await keepUpload(domain, accountId, received, facts);
  } finally {
    found.close();
  }
}
