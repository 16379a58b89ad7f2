import { readAnswer } from '../../base/answer-body.ts';
import { platformJson } from '../../base/platform-json.ts';
import type { OutboundFile } from '../contract/messenger.ts';
import { Multipart } from '../kit/multipart.ts';
import { unanswered } from '../kit/unanswered.ts';
import { type GraphError, readGraphError } from './graph-error.ts';

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

/** Result of a request. */
export type GraphAnswer =
  | { readonly kind: 'ok'; readonly body: unknown }
  /** The API answered with an error and did nothing. */
  | { readonly kind: 'error'; readonly error: GraphError }
  /** A file of the request cannot be read. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** The request never reached the API. */
  | { readonly kind: 'unsent'; readonly reason: string }
  /** The request may or may not have reached the API. */
  | { readonly kind: 'unclear'; readonly reason: string };

interface Asked {
  readonly method: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | ReadableStream<Uint8Array>;
  /** Required for streamed bodies. */
  readonly duplex?: 'half';
  readonly signal: AbortSignal;
}

/** Media hosts reject requests without a user agent. */
const USER_AGENT = 'voice-chat-gateway';
const ANSWER_LIMIT_BYTES = 1_048_576;

/** Graph API client of one business phone number, over HTTPS. */
export class GraphClient {
  readonly phoneNumberId: string;
  readonly #options: GraphOptions;

  constructor(options: GraphOptions) {
    this.#options = options;
    this.phoneNumberId = options.phoneNumberId;
  }

  /** `path` is relative to the version, for example `1234/messages`. */
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

  /** Streams a file to the phone number's media. */
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

  /** Whether our token may be sent to a media URL returned by the API. */
  isMediaAddress(href: string): boolean {
    if (!URL.canParse(href)) return false;
    const { origin } = new URL(href);
    return (
      origin === new URL(this.#options.mediaUrl).origin || origin === new URL(this.#options.apiUrl).origin
    );
  }

  /** Sends a request to a media host. Rejects when the host is unreachable. */
  async download(href: string, signal: AbortSignal): Promise<Response> {
    return await fetch(href, { headers: this.#headers(), redirect: 'error', signal });
  }

  async #ask(path: string, init: Asked): Promise<GraphAnswer> {
    const { apiUrl, apiVersion } = this.#options;
    if (init.signal.aborted)
      return { kind: 'unsent', reason: 'the deadline passed before the request was sent' };
    try {
      const answer = await fetch(`${apiUrl}/${apiVersion}/${path}`, {
        ...init,
        headers: { ...this.#headers(), ...init.headers },
        redirect: 'error',
      });
      return read(answer, platformJson(await readAnswer(answer, ANSWER_LIMIT_BYTES)));
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
    : { kind: 'unclear', reason: `HTTP ${answer.status} without a readable error` };
}

function failureOf(error: unknown): GraphAnswer {
  const { kind, words } = unanswered('WhatsApp', error);
  return { kind: kind === 'unreachable' ? 'unsent' : kind, reason: words };
}
