import type * as z from 'zod';
import { type JsonAnswer, readJson, readJsonInTurn } from '../../base/answer-body.ts';
import { GatewayError } from '../../base/errors.ts';
import { hasEnded, networkCode } from '../../base/network-error.ts';
import { type Reader, ReadingRefused } from '../../base/reading-time.ts';
import { retryAfterMs } from '../../base/retry-after.ts';
import { type Clock, TimeLimit, withDeadline } from '../../base/time.ts';
import type { OutboundFile } from '../contract/messenger.ts';
import { PlatformFailure, platformFailure } from './platform-failure.ts';

/** A body that is streamed. */
export interface Upload {
  readonly contentType: string;
  readonly lengthBytes: number;
  /** Whether all of it was handed over. Until then, no server can have acted on it. */
  readonly isWhole: boolean;
  body(): AsyncIterable<Uint8Array>;
}

export interface CallOptions {
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
}

export interface HttpRequest extends Partial<CallOptions> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'MKCOL' | 'PROPFIND';
  readonly url: string | URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | URLSearchParams | undefined;
  /** Sent in place of `body`, as its type says. */
  readonly json?: object | undefined;
  readonly upload?: Upload | undefined;
}

/** How servers are asked whose answers may be anything: those of people, or what people send over a platform. */
export interface Foreign {
  /** Default: the system's. */
  readonly fetches?: typeof fetch;
  /** In whose time answers of this origin are read. */
  readerOf(origin: string): Reader;
}

type Sent = Omit<HttpRequest, keyof CallOptions>;

export interface HttpAnswer extends JsonAnswer {
  /** What `Retry-After` asks for; null: nothing that can be read. */
  readonly retryAfterMs: number | null;
}

export interface FileRequest {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Statuses of files that are no longer there. */
  readonly gone?: ReadonlySet<number>;
  /** Says what an answer of this Content-Type is in place of the file; null: it is the file. */
  readonly instead?: (type: string) => string | null;
}

/** Media hosts reject requests without a user agent. */
const USER_AGENT = { 'user-agent': 'voice-chat-gateway' };
/** Deadline for the head of a download. The rest is limited only by the caller's signal. */
const OPEN_DEADLINE_MS = 20_000;
const NEVER = new AbortController().signal;
const GONE: ReadonlySet<number> = new Set([404, 410]);
/** Requests that may be repeated where a connection ended before the answer (RFC 9110, 9.2.2). */
const IDEMPOTENT: ReadonlySet<string> = new Set(['GET', 'PUT', 'DELETE', 'PROPFIND']);

/** The way to one platform's hosts. Redirects would take the token along: they fail. */
export class PlatformHttp {
  readonly #platform: string;
  readonly #clock: Clock;
  readonly #maxBytes: number;
  readonly #foreign: Foreign | null;

  /** `platform`: its name, for people. `maxBytes`: of an answer. `foreign`: where those may be anything. */
  constructor(platform: string, clock: Clock, maxBytes = 1_048_576, foreign: Foreign | null = null) {
    this.#platform = platform;
    this.#clock = clock;
    this.#maxBytes = maxBytes;
    this.#foreign = foreign;
  }

  /** Makes a request and reads its whole answer, whatever its status. Rejects with a PlatformFailure. */
  async ask({ deadlineMs, signal = NEVER, ...request }: HttpRequest): Promise<HttpAnswer> {
    if (signal.aborted)
      throw new PlatformFailure('unreachable', `The deadline passed before ${this.#platform} was asked`);
    const ask = async (limit: AbortSignal) => await this.#ask(request, limit);
    return deadlineMs === undefined
      ? await ask(signal)
      : await withDeadline(this.#clock, deadlineMs, signal, ask);
  }

  /** Opens the bytes of a file. Rejects with GatewayError `file_gone` or `platform_failed`. */
  async openFile(request: FileRequest): Promise<AsyncIterable<Uint8Array>> {
    const { url, headers = {}, signal, gone = GONE, instead } = request;
    const limit = new TimeLimit(this.#clock, OPEN_DEADLINE_MS, { outer: signal });
    try {
      const answer = await this.#send({ method: 'GET', url, headers }, limit.signal);
      limit.lift();
      const { ok, status, body } = answer;
      const other = ok
        ? (instead?.(answer.headers.get('content-type') ?? '') ?? null)
        : `HTTP status ${status}`;
      if (other === null) return closing(body ?? [], limit);
      await body?.cancel();
      throw gone.has(status)
        ? new GatewayError('file_gone')
        : new GatewayError('platform_failed', `${this.#platform} answered with ${other}`);
    } catch (error) {
      limit.close();
      if (error instanceof GatewayError) throw error;
      throw new GatewayError('platform_failed', platformFailure(this.#platform, error).message, {
        cause: error,
      });
    }
  }

  async #ask(request: Sent, signal: AbortSignal): Promise<HttpAnswer> {
    try {
      const sent = await this.#send(request, signal);
      const reader = this.#foreign?.readerOf(new URL(request.url).origin) ?? null;
      const answer = reader
        ? await readJsonInTurn(sent, this.#maxBytes, reader, signal)
        : await readJson(sent, this.#maxBytes);
      const waitMs = retryAfterMs(answer.headers.get('retry-after') ?? '', this.#clock.nowIso());
      return { ...answer, retryAfterMs: waitMs };
    } catch (error) {
      if (error instanceof ReadingRefused)
        throw new PlatformFailure('unclear', `${this.#platform}: ${error.message}`);
      throw platformFailure(this.#platform, error, request.upload?.isWhole);
    }
  }

  async #send(request: Sent, signal: AbortSignal): Promise<Response> {
    try {
      return await this.#fetch(request, signal);
    } catch (error) {
      const isRepeatable = IDEMPOTENT.has(request.method) && request.upload === undefined;
      if (!isRepeatable || !hasEnded(networkCode(error))) throw error;
      return await this.#fetch(request, signal);
    }
  }

  async #fetch({ method, url, headers, body, json, upload }: Sent, signal: AbortSignal): Promise<Response> {
    const sent = {
      ...USER_AGENT,
      ...(json && { 'content-type': 'application/json' }),
      ...(upload && { 'content-type': upload.contentType, 'content-length': `${upload.lengthBytes}` }),
      ...headers,
    };
    const stream = upload && { body: ReadableStream.from(upload.body()), duplex: 'half' };
    const whole = json ? JSON.stringify(json) : body;
    const init = {
      method,
      headers: sent,
      redirect: 'error',
      signal,
      ...(stream ?? (whole && { body: whole })),
    };
    return await (this.#foreign?.fetches ?? fetch)(url, init as RequestInit);
  }
}

/** Whether an address has the origin of one of these: no other host may get a token, or a file. */
export function hasOrigin(href: string, ...roots: readonly string[]): boolean {
  return URL.canParse(href) && roots.some((root) => new URL(root).origin === new URL(href).origin);
}

/** Returns a platform's answer as parsed by `schema`. One that cannot be read is `unclear`: the request may have worked. */
export function parsed<Schema extends z.ZodType>(
  schema: Schema,
  answer: unknown,
  words: string,
): z.output<Schema> {
  const { data, success } = schema.safeParse(answer);
  if (!success) throw new PlatformFailure('unclear', words);
  return data;
}

/** A file as the whole body of a request. */
export function fileUpload(file: OutboundFile): Upload {
  let isWhole = false;
  return {
    contentType: 'application/octet-stream',
    lengthBytes: file.sizeBytes,
    get isWhole() {
      return isWhole;
    },
    async *body() {
      yield* file.open();
      isWhole = true;
    },
  };
}

/** The caller reads the body to its end, or ends it. */
async function* closing(body: AsyncIterable<Uint8Array> | [], limit: TimeLimit): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } finally {
    limit.close();
  }
}
