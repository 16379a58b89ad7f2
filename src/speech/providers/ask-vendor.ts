import { readAnswer } from '../../base/answer-body.ts';
import { isRecord } from '../../base/json.ts';
import { networkCode } from '../../base/network-error.ts';
import { foreignJson } from '../../base/platform-json.ts';
import { type Clock, TimeLimit } from '../../base/time.ts';
import type { KeyStatus } from '../../store/speech/speech-tables.ts';
import type { VendorMessage } from '../vendor-message.ts';
import type { VendorManners } from '../vendors/vendor-manners.ts';

/** Deadline of everything that is asked of a provider for one request of ours, answers included. */
export const VENDOR_DEADLINE_MS = 5_000;
const MAX_ANSWER_BYTES = 4 * 1_048_576;

export type RefusedKey = Exclude<KeyStatus, 'valid' | 'not_needed'>;

/** What a provider says of a key, with its own words where it has any. */
export interface KeyVerdict {
  readonly status: KeyStatus;
  readonly detail: string | null;
}

/** How a provider is asked about a key, and how its answers are read. */
export interface KeyQuestion {
  readonly manners: VendorManners;
  /** Something cheap that needs the key. */
  readonly path: string;
  /** What codes of errors mean for a key, whatever the status. */
  readonly codes: Readonly<Record<string, RefusedKey>>;
}

const BY_STATUS: Readonly<Record<number, RefusedKey>> = {
  401: 'invalid',
  402: 'out_of_funds',
  403: 'limited_scope',
};

/**
 * Sends a GET with the key to a path of the provider, and returns the body of its answer. Rejects with VendorRefused when
 * it refuses the key, otherwise with VendorFailed.
 */
export type AskVendor = (path: string) => Promise<VendorMessage>;

/** A provider that could not be asked, or whose answer says nothing. Asking again may help. */
export class VendorFailed extends Error {
  override readonly name = 'VendorFailed';
}

/** A provider that refuses to do something with this key. The message quotes it. */
export class VendorRefused extends Error {
  override readonly name = 'VendorRefused';
  readonly keyStatus: RefusedKey;

  constructor(keyStatus: RefusedKey, message: string) {
    super(message);
    this.keyStatus = keyStatus;
  }
}

/** A provider and a key for it. */
export interface VendorAccess {
  readonly keys: KeyQuestion;
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
  { keys, baseUrl, key }: VendorAccess,
  action: (ask: AskVendor) => Promise<T>,
): Promise<T> {
  const limit = new TimeLimit(clock, VENDOR_DEADLINE_MS);
  const headers = { Accept: 'application/json', ...keys.manners.headers(key) };
  try {
    return await action(async (path) => {
      const answer = await get(`${baseUrl}${path}`, headers, limit.signal).catch((error: unknown) => {
        throw limit.signal.aborted ? new VendorFailed('it did not answer in time') : failureOf(error);
      });
      return bodyOf(answer, keys);
    });
  } finally {
    limit.close();
  }
}

/** Asks about the key. Rejects with VendorFailed when nothing is learned of it. */
export async function keyVerdict(ask: AskVendor, { path }: KeyQuestion): Promise<KeyVerdict> {
  try {
    await ask(path);
    return { status: 'valid', detail: null };
  } catch (error) {
    if (!(error instanceof VendorRefused)) throw error;
    return { status: error.keyStatus, detail: error.message };
  }
}

/** A provider's answer. `body`: parsed JSON; undefined if it is none. */
interface VendorAnswer {
  readonly status: number;
  readonly body: unknown;
}

async function get(url: string, headers: Record<string, string>, signal: AbortSignal): Promise<VendorAnswer> {
  const answer = await fetch(url, { headers, redirect: 'manual', signal });
  return { status: answer.status, body: foreignJson(await readAnswer(answer, MAX_ANSWER_BYTES)) };
}

/**
 * An answer says nothing of the key when it is a rate limit, a fault, a redirect, or a page of something in front of the
 * provider, which may also answer 403.
 */
function bodyOf({ status, body }: VendorAnswer, { manners, codes }: KeyQuestion): VendorMessage {
  if (status === 200 && typeof body === 'object' && body !== null) return body as VendorMessage;
  const { code, words } = manners.errorIn(isRecord(body) ? body : {});
  const meaning = Object.hasOwn(codes, code) ? codes[code] : BY_STATUS[status];
  const isUnderstood = words !== '' && status >= 400 && status < 500;
  if (meaning !== undefined && isUnderstood) throw new VendorRefused(meaning, words);
  throw new VendorFailed(`it answered HTTP status ${status}${words === '' ? '' : `: ${words}`}`);
}

/** Takes the code of a network error and no text, which may contain the request. */
function failureOf(error: unknown): VendorFailed {
  const code = networkCode(error);
  return new VendorFailed(code === '' ? 'its answer is unusable' : `it cannot be reached (${code})`);
}
