import { REST, type RequestData, type ResponseLike, type RouteLike } from '@discordjs/rest';
import type * as z from 'zod';
import { readAnswer } from '../../../base/answer-body.ts';
import type { Clock } from '../../../base/time.ts';
import { pause, withDeadline } from '../../../base/waits.ts';
import { DiscordFailure, failureOf } from './discord-failure.ts';

const MAX_ANSWER_BYTES = 8 * 1_024 * 1_024;
/** Above every deadline of ours: the library's own must never come first. */
const LIBRARY_DEADLINE_MS = 300_000;

export interface ClientOptions {
  /** Without the version, for example `https://discord.com/api`. */
  readonly apiUrl: string;
  readonly token: string;
  readonly clock: Clock;
}

export interface Request {
  readonly method: 'GET' | 'POST';
  readonly path: RouteLike;
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent instead of a body. */
  readonly upload?: Upload;
  readonly deadlineMs: number;
}

/** A multipart body that is streamed. */
export interface Upload {
  readonly contentType: string;
  readonly lengthBytes: number;
  /** Whether all of it was handed over. */
  readonly isWhole: boolean;
  body(): AsyncIterable<Uint8Array>;
}

/**
 * Requests of one bot. @discordjs/rest follows Discord's rate limits and sends the requests of a bucket one after the
 * other; what it would hold back is refused at once, as `later`, so nothing queues up in it.
 */
export class RestClient {
  readonly #rest: REST;
  readonly #token: string;
  readonly #clock: Clock;
  /** Discord's words once it has refused the token. Repeated 401 answers would get our address banned. */
  #refusal: DiscordFailure | null = null;

  readonly #onLoggedOut: (failure: DiscordFailure) => void;

  /** `onLoggedOut`: Discord has refused the token. */
  constructor(
    { apiUrl, token, clock }: ClientOptions,
    onLoggedOut: (failure: DiscordFailure) => void = () => undefined,
  ) {
    this.#token = token;
    this.#clock = clock;
    this.#onLoggedOut = onLoggedOut;
    this.#rest = new REST({
      api: apiUrl,
      version: '10',
      retries: 0,
      timeout: LIBRARY_DEADLINE_MS,
      rejectOnRateLimit: () => true,
      makeRequest,
    }).setToken(token);
  }

  /**
   * Sends a request and returns the answer as parsed by `schema`. Rejects with a DiscordFailure; an answer that cannot
   * be read is `unclear`.
   */
  async ask<Schema extends z.ZodType>(
    schema: Schema,
    request: Request,
    signal: AbortSignal,
  ): Promise<z.output<Schema>> {
    if (this.#refusal !== null) throw this.#refusal;
    if (signal.aborted)
      throw new DiscordFailure('unreachable', 'The deadline passed before Discord was asked');
    const answer = await this.#send(request, signal);
    const parsed = schema.safeParse(answer);
    if (!parsed.success) throw new DiscordFailure('unclear', "Discord's answer cannot be read");
    return parsed.data;
  }

  async pause(durationMs: number, signal: AbortSignal): Promise<void> {
    await pause(this.#clock, durationMs, signal);
  }

  /** Lets the token be tried again. */
  retryToken(): void {
    this.#refusal = null;
    this.#rest.setToken(this.#token);
  }

  close(): void {
    this.#rest.clearHashSweeper();
    this.#rest.clearHandlerSweeper();
  }

  #refuse(failure: DiscordFailure): void {
    this.#refusal = failure;
    this.#onLoggedOut(failure);
  }

  async #send({ path, method, query, body, upload, deadlineMs }: Request, outer: AbortSignal) {
    const data: RequestData = {
      ...(query === undefined ? {} : { query: new URLSearchParams(query) }),
      ...(body === undefined ? {} : { body }),
      ...(upload === undefined ? {} : uploaded(upload)),
    };
    try {
      return await withDeadline(this.#clock, deadlineMs, outer, async (signal) => {
        const options = { ...data, signal };
        return method === 'GET' ? await this.#rest.get(path, options) : await this.#rest.post(path, options);
      });
    } catch (error) {
      const failure = failureOf(error, upload?.isWhole ?? true).without(this.#token);
      if (failure.isLoggedOut) this.#refuse(failure);
      throw failure;
    }
  }
}

function uploaded(upload: Upload): RequestData {
  return {
    body: upload.body(),
    passThroughBody: true,
    headers: { 'Content-Type': upload.contentType, 'Content-Length': `${upload.lengthBytes}` },
  };
}

/** The library's way to the network: bodies are streamed, answers are bounded, redirects are errors. */
async function makeRequest(url: string, init: object): Promise<ResponseLike> {
  const answer = await fetch(url, { ...(init as RequestInit), redirect: 'error', duplex: 'half' });
  const { status, statusText, headers } = answer;
  const body = await readAnswer(answer, MAX_ANSWER_BYTES);
  // Statuses such as 204 allow no body.
  const whole = new Response(body.length === 0 ? null : Buffer.from(body), { status, statusText, headers });
  return whole as unknown as ResponseLike;
}
