import { parseJson } from '../../base/json.ts';
import type { OutboundFile } from '../contract/messenger.ts';
import { Multipart } from '../contract/multipart.ts';
import { type GraphError, readGraphError } from './graph-error.ts';

/** Where the Graph API is, and as whom we speak to it. */
export interface GraphOptions {
  /** Without a slash at the end, such as `https://graph.facebook.com`. */
  readonly apiUrl: string;
  /** Such as `v25.0`. */
  readonly apiVersion: string;
  /** Origin of the host that serves media; it gets our token, no other but the API does. */
  readonly mediaUrl: string;
  readonly phoneNumberId: string;
  readonly accessToken: string;
}

/** What became of a request. */
export type GraphAnswer =
  | { readonly kind: 'ok'; readonly body: unknown }
  /** The API understood, and did not do it. */
  | { readonly kind: 'error'; readonly error: GraphError }
  /** It never got there. */
  | { readonly kind: 'unsent'; readonly reason: string }
  /** It may have got there or not. */
  | { readonly kind: 'unclear'; readonly reason: string };

interface Asked {
  readonly method: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | ReadableStream<Uint8Array>;
  /** A body that is streamed needs it. */
  readonly duplex?: 'half';
  readonly signal: AbortSignal;
}

/** Media hosts refuse whoever does not say what they are. */
const USER_AGENT = 'voice-chat-gateway';
const ANSWER_LIMIT_BYTES = 1_048_576;

/** Failures of which nothing reached the other side. */
const NEVER_SENT: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'EAI_AGAIN',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** The Graph API over HTTPS, as one phone number of a business. */
export class GraphClient {
  readonly phoneNumberId: string;
  readonly #options: GraphOptions;

  constructor(options: GraphOptions) {
    this.#options = options;
    this.phoneNumberId = options.phoneNumberId;
  }

  /** `path`: below the version, such as `1234/messages`. */
  async get(path: string, signal: AbortSignal): Promise<GraphAnswer> {
    return await this.#ask(path, { method: 'GET', signal });
  }

  async post(path: string, body: object, signal: AbortSignal): Promise<GraphAnswer> {
    return await this.#ask(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal,
    });
  }

  /** Streams a file to the number's media. */
  async upload(file: OutboundFile, signal: AbortSignal): Promise<GraphAnswer> {
    const fields = { messaging_product: 'whatsapp', type: file.mime };
    const upload = new Multipart(fields, new Map([['file', file]]));
    return await this.#ask(`${this.phoneNumberId}/media`, {
      method: 'POST',
      headers: { 'content-type': upload.contentType, 'content-length': `${upload.lengthBytes}` },
      body: ReadableStream.from(upload.body()),
      duplex: 'half',
      signal,
    });
  }

  /** Whether a media address that the API named may be given our token. */
  isMediaAddress(href: string): boolean {
    if (!URL.canParse(href)) return false;
    const { origin } = new URL(href);
    return (
      origin === new URL(this.#options.mediaUrl).origin || origin === new URL(this.#options.apiUrl).origin
    );
  }

  /** Asks a media host; rejects when it cannot be reached. */
  async download(href: string, signal: AbortSignal): Promise<Response> {
    return await fetch(href, { headers: this.#headers(), redirect: 'error', signal });
  }

  async #ask(path: string, init: Asked): Promise<GraphAnswer> {
    const { apiUrl, apiVersion } = this.#options;
    if (init.signal.aborted) return { kind: 'unsent', reason: 'no time was left' };
    try {
      const answer = await fetch(`${apiUrl}/${apiVersion}/${path}`, {
        ...init,
        headers: { ...this.#headers(), ...init.headers },
        redirect: 'error',
      });
      return read(answer, await bodyOf(answer));
    } catch (error) {
      return failureOf(error);
    }
  }

  #headers(): Record<string, string> {
    return { authorization: `Bearer ${this.#options.accessToken}`, 'user-agent': USER_AGENT };
  }
}

function read(answer: Response, body: unknown): GraphAnswer {
  if (answer.ok && body !== undefined) return { kind: 'ok', body };
  const error = readGraphError(answer.status, answer.headers.get('retry-after'), body);
  return error
    ? { kind: 'error', error }
    : { kind: 'unclear', reason: `HTTP ${answer.status} without a reason that could be read` };
}

/** Undefined: it is no JSON, or too much of it. */
async function bodyOf(answer: Response): Promise<unknown> {
  const parts: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const part of answer.body ?? []) {
    sizeBytes += part.length;
    if (sizeBytes > ANSWER_LIMIT_BYTES) return undefined;
    parts.push(part);
  }
  try {
    return parseJson(Buffer.concat(parts).toString('utf8'));
  } catch {
    return undefined;
  }
}

/** `fetch` says only that it failed; why is in the cause. */
function failureOf(error: unknown): GraphAnswer {
  const { message, cause } = error as { message?: unknown; cause?: { code?: unknown; message?: unknown } };
  const code = typeof cause?.code === 'string' ? cause.code : '';
  const reason = `${code || cause?.message || message || 'no answer'}`;
  return { kind: NEVER_SENT.has(code) ? 'unsent' : 'unclear', reason };
}
