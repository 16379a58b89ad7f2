import { readAnswer } from '../../base/answer-body.ts';
import { networkCode } from '../../base/network-error.ts';
import { platformJson } from '../../base/platform-json.ts';
import type { Clock } from '../../base/time.ts';
import { TimeLimit } from '../../base/time-limit.ts';

/** Deadline of everything that is asked of a provider for one request of ours, answers included. */
export const VENDOR_DEADLINE_MS = 5_000;
const MAX_ANSWER_BYTES = 4 * 1_048_576;

/** A provider's answer. `body`: parsed JSON, or the text if it is none. */
export interface VendorAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** How a provider authenticates a request. */
export type VendorHeaders = (key: string) => Readonly<Record<string, string>>;

/** Sends a GET with the key to a path of the provider. Rejects with VendorFailed when there is no usable answer. */
export type AskVendor = (path: string, headers: VendorHeaders) => Promise<VendorAnswer>;

/** A provider that could not be asked, or whose answer says nothing. Asking again may help. */
export class VendorFailed extends Error {
  override readonly name = 'VendorFailed';
}

/** A provider that refuses to do something with this key. The message quotes it. */
export class VendorRefused extends Error {
  override readonly name = 'VendorRefused';
}

/** A provider and a key for it. */
export interface VendorAccess {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly key: string;
}

/**
 * Runs some requests to a provider within VENDOR_DEADLINE_MS. Redirects are not followed: they would take the key
 * along.
 */
export async function askWithin<T>(
  clock: Clock,
  { baseUrl, key }: VendorAccess,
  action: (ask: AskVendor) => Promise<T>,
): Promise<T> {
  const limit = new TimeLimit(clock, VENDOR_DEADLINE_MS);
  try {
    return await action(async (path, headers) => {
      const sent = { Accept: 'application/json', ...headers(key) };
      try {
        return await get(`${baseUrl}${path}`, sent, limit.signal);
      } catch (error) {
        throw limit.signal.aborted ? new VendorFailed('it did not answer in time') : failureOf(error);
      }
    });
  } finally {
    limit.close();
  }
}

async function get(
  url: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<VendorAnswer> {
  const answer = await fetch(url, { headers, redirect: 'manual', signal });
  const body = await readAnswer(answer, MAX_ANSWER_BYTES);
  const json = platformJson(body);
  return { status: answer.status, body: json === undefined ? Buffer.from(body).toString('utf8') : json };
}

/** Takes the code of a network error and no text, which may contain the request. */
function failureOf(error: unknown): VendorFailed {
  const code = networkCode(error);
  return new VendorFailed(code === '' ? 'its answer is unusable' : `it cannot be reached (${code})`);
}
