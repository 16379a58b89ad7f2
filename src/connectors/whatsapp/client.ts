import { createHash } from 'node:crypto';
import * as z from 'zod';
import { GatewayError } from '../../base/errors.ts';
import { field } from '../../base/platform-json.ts';
import type { Clock } from '../../base/time.ts';
import type { OutboundFile } from '../contract/messenger.ts';
import { Multipart } from '../kit/multipart.ts';
import { fileFound, PlatformFailure } from '../kit/platform-failure.ts';
import {
  type CallOptions,
  type HttpAnswer,
  type HttpRequest,
  hasOrigin,
  PlatformHttp,
  parsed,
} from '../kit/platform-http.ts';

/** Address of the Graph API and our credentials. */
export interface GraphOptions {
  /** Without a trailing slash, for example `https://graph.facebook.com`. */
  readonly apiUrl: string;
  /** For example `v25.0`. */
  readonly apiVersion: string;
  /** Origin of the media host. Only this host and the API receive our token. */
  readonly mediaUrl: string;
  readonly phoneNumberId: string;
  readonly accessToken: string;
}

/** Meta's error codes: https://developers.facebook.com/documentation/business-messaging/whatsapp/support/error-codes */
const WINDOW_CLOSED = 131_047;

/** Temporary errors by code, with the delay before a retry. */
const PASSING_MS: ReadonlyMap<number, number> = new Map([
  // API-wide: unknown error or overload.
  [1, 2_000],
  [2, 2_000],
  [131_000, 2_000],
  [131_016, 2_000],
  // Maintenance.
  [131_057, 10_000],
  [133_004, 10_000],
  // Too many requests by the app or the business account, or too many messages from the number.
  [4, 60_000],
  [80_007, 60_000],
  [130_429, 1_000],
  // Too many messages to one person: the long-term limit is one per six seconds.
  [131_056, 6_000],
]);
/** Codes for an unusable access token. */
const LOGIN_CODES: ReadonlySet<number> = new Set([0, 3, 10, 190]);
/** Meta's codes for a media id that does not exist, or no longer exists. */
const GONE_CODES: ReadonlySet<string> = new Set(['100', '131052']);

const LOGIN_DEADLINE_MS = 15_000;
/** Short, because Meta waits for the webhook's answer meanwhile. */
const SIZE_DEADLINE_MS = 2_000;

/** Error object in both answers and statuses. */
const WireError = z.object({
  code: z.int(),
  message: z.string().optional(),
  title: z.string().optional(),
  error_data: field(z.object({ details: z.string().optional() })),
});

export const WireErrors = z.array(WireError);

const ErrorAnswer = z.object({ error: WireError });
const PhoneNumber = z.object({ display_phone_number: z.string() });
const Sent = z.object({ messages: z.tuple([z.object({ id: z.string() })], z.unknown()) });
const Uploaded = z.object({ id: z.string() });

/** Media metadata. Its URL is valid for five minutes. */
const MediaInfo = z.object({
  url: z.string(),
  sha256: z.string().default(''),
  file_size: field(z.union([z.string(), z.int()]).transform(Number)),
});

/**
 * Graph API client of one business phone number, over HTTPS. Rejections are PlatformFailures, with Meta's error code where
 * it has answered with an error, and done nothing.
 */
export class GraphClient {
  readonly #options: GraphOptions;
  readonly #http: PlatformHttp;

  constructor(options: GraphOptions, clock: Clock) {
    this.#options = options;
    this.#http = new PlatformHttp('WhatsApp', clock);
  }

  /** The phone number as Meta displays it, for example `+1 555-0100`. */
  async displayedNumber(signal: AbortSignal): Promise<string> {
    const path = `${this.#options.phoneNumberId}?fields=display_phone_number`;
    const answer = await this.#ask(path, { method: 'GET', deadlineMs: LOGIN_DEADLINE_MS, signal });
    return parsed(PhoneNumber, answer, 'the response contains no phone number').display_phone_number;
  }

  /** Sends a message and returns its id. */
  async send(message: object, signal: AbortSignal): Promise<string> {
    const path = `${this.#options.phoneNumberId}/messages`;
    const answer = await this.#ask(path, { method: 'POST', json: message, signal });
    return parsed(Sent, answer, 'the response contains no message id').messages[0].id;
  }

  /** Streams a file to the phone number's media and returns its id. */
  async upload(file: OutboundFile, signal: AbortSignal): Promise<string> {
    const fields = { messaging_product: 'whatsapp', type: file.mime };
    const upload = new Multipart(fields, new Map([['file', file]]));
    const path = `${this.#options.phoneNumberId}/media`;
    const answer = await this.#ask(path, { method: 'POST', upload, signal });
    return parsed(Uploaded, answer, 'the response contains no media id').id;
  }

  /**
   * Opens the bytes of received media. The stream fails at its end when the hash does not match. Rejects with GatewayError
   * `file_gone` or `platform_failed`.
   */
  async openMedia(mediaId: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    const isGone = ({ status, code }: PlatformFailure) => status === 404 || GONE_CODES.has(code);
    const { url, sha256 } = await fileFound(this.#mediaInfo(mediaId, { signal }), isGone);
    const { mediaUrl, apiUrl } = this.#options;
    // Anyone with our token could send in our name.
    if (!hasOrigin(url, mediaUrl, apiUrl)) throw new GatewayError('platform_failed');
    return checked(await this.#http.openFile({ url, headers: this.#headers, signal }), sha256);
  }

  /** Returns the size of media in bytes, or null when the platform does not report it now. Never rejects. */
  async mediaSize(mediaId: string, signal: AbortSignal): Promise<number | null> {
    const options = { deadlineMs: SIZE_DEADLINE_MS, signal };
    const sizeBytes = (await this.#mediaInfo(mediaId, options).catch(() => null))?.file_size;
    return sizeBytes !== undefined && Number.isSafeInteger(sizeBytes) ? sizeBytes : null;
  }

  async #mediaInfo(mediaId: string, options: Partial<CallOptions>): Promise<z.output<typeof MediaInfo>> {
    const number = encodeURIComponent(this.#options.phoneNumberId);
    const path = `${encodeURIComponent(mediaId)}?phone_number_id=${number}`;
    const answer = await this.#ask(path, { method: 'GET', ...options });
    return parsed(MediaInfo, answer, 'the response does not describe the file');
  }

  /** `path` is relative to the version. */
  async #ask(path: string, request: Omit<HttpRequest, 'url' | 'headers'>): Promise<unknown> {
    const { apiUrl, apiVersion } = this.#options;
    const url = `${apiUrl}/${apiVersion}/${path}`;
    const answer = await this.#http.ask({ ...request, url, headers: this.#headers });
    if (answer.isOk && answer.json !== undefined) return answer.json;
    throw failureIn(answer);
  }

  get #headers(): Record<string, string> {
    return { authorization: `Bearer ${this.#options.accessToken}` };
  }
}

/** Returns the most specific text of an error, with its code for reference. */
export function errorText({ code, message, title, error_data: data }: z.output<typeof WireError>): string {
  const text = data?.details || message || title || 'no reason given';
  return text.includes(`${code}`) ? text : `${text} (${code})`;
}

/** Whether a code in a status or an answer means that the person must write first. */
export function isWindowClosed(code: number | string): boolean {
  return Number(code) === WINDOW_CLOSED;
}

function failureIn({ status, retryAfterMs, json }: HttpAnswer): PlatformFailure {
  const { data } = ErrorAnswer.safeParse(json);
  if (!data) return new PlatformFailure('unclear', `HTTP ${status} without a readable error`);
  const { code } = data.error;
  const isLoggedOut = LOGIN_CODES.has(code) || (code >= 200 && code < 300) || status === 401;
  const facts = { status, code: `${code}`, isLoggedOut };
  const passesMs = PASSING_MS.get(code) ?? (status === 429 ? 1_000 : undefined);
  return passesMs === undefined
    ? new PlatformFailure('refused', errorText(data.error), facts)
    : new PlatformFailure('later', errorText(data.error), { ...facts, afterMs: retryAfterMs ?? passesMs });
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
