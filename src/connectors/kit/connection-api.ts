import type * as z from 'zod';
import { readAnswer } from '../../base/answer-body.ts';
import { cutText } from '../../base/cut-text.ts';
import { GatewayError } from '../../base/errors.ts';
import { platformJson } from '../../base/platform-json.ts';
import { retryAfterMs } from '../../base/retry-after.ts';
import type { Clock } from '../../base/time.ts';
import { pause, withDeadline } from '../../base/waits.ts';
import type { ConnectionTokens } from '../contract/oauth.ts';

export interface ApiOptions {
  /** The platform's name, for errors that have no words of its own. */
  readonly title: string;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly clock: Clock;
  /** Returns the platform's words in an error body; '' when there are none. */
  readonly wordsOf: (body: unknown) => string;
}

export interface ConnectionRequest {
  readonly method: 'GET' | 'POST';
  /** Behind the base, with its leading slash; ids in it are encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
}

/** The platform refused a request. The message has its words. */
export class ApiRefusal extends GatewayError {
  /** HTTP status of the platform's answer. */
  readonly answered: number;

  constructor(answered: number, words: string) {
    super('platform_failed', words);
    this.answered = answered;
  }
}

const DEADLINE_MS = 15_000;
const MAX_ANSWER_BYTES = 1_048_576;
/** Longer, and a call does not wait: a daily limit puts requests off until midnight. */
const MAX_PAUSE_MS = 10_000;
const TRIES = 3;
/** Of a platform's words, in characters: they become the reason of a call. */
const MAX_WORDS = 300;

/** A platform's REST API, asked with the access tokens of connections. Redirects would take the token along: they fail. */
export class ConnectionApi {
  readonly #options: ApiOptions;
  #tokens: ConnectionTokens | null = null;

  constructor(options: ApiOptions) {
    this.#options = options;
  }

  onConnections(tokens: ConnectionTokens): void {
    this.#tokens = tokens;
  }

  /**
   * Resolves with the body of the answer. Asks again with another token after a 401, and soon after a 429 or 503. Rejects
   * with an ApiRefusal, or a GatewayError `platform_failed`, `connection_lost` or `connection_not_found`.
   */
  async ask<Schema extends z.ZodType>(
    connectionId: string,
    schema: Schema,
    request: ConnectionRequest,
    signal: AbortSignal,
  ): Promise<z.output<Schema>> {
    const body = await withDeadline(this.#options.clock, DEADLINE_MS, signal, (limit) =>
      this.#answerTo(connectionId, request, limit),
    );
    const { data } = schema.safeParse(body);
    if (data === undefined)
      throw new GatewayError('platform_failed', `${this.#options.title} answered with something else`);
    return data;
  }

  async #answerTo(connectionId: string, request: ConnectionRequest, signal: AbortSignal): Promise<unknown> {
    if (this.#tokens === null) throw new GatewayError('platform_not_connected');
    let token = await this.#tokens.accessToken(connectionId);
    let isRenewed = false;
    for (let tries = 1; ; tries++) {
      const answer = await this.#send(request, token, signal);
      const { status } = answer;
      const body = platformJson(await this.#read(answer));
      if (answer.ok) return body;
      if (status === 401 && !isRenewed) {
        isRenewed = true;
        token = await this.#tokens.refused(connectionId, token);
        continue;
      }
      const pauseMs = this.#pauseMsAfter(answer);
      if (pauseMs === null || tries >= TRIES) {
        const words = cutText(this.#options.wordsOf(body), MAX_WORDS);
        throw new ApiRefusal(status, words || this.#plainWords(status));
      }
      await pause(this.#options.clock, pauseMs, signal);
    }
  }

  /** Null: asking again is no use. `Retry-After` has seconds or a date; without it, a second. */
  #pauseMsAfter({ status, headers }: Response): number | null {
    if (status !== 429 && status !== 503) return null;
    const pauseMs = retryAfterMs(headers.get('retry-after') ?? '1', this.#options.clock.nowIso());
    return pauseMs !== null && pauseMs <= MAX_PAUSE_MS ? pauseMs : null;
  }

  async #send(
    { method, path, query, body }: ConnectionRequest,
    token: string,
    signal: AbortSignal,
  ): Promise<Response> {
    const url = new URL(`${this.#options.baseUrl}${path}`);
    for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value);
    // In a filter of Microsoft Graph a plus is no space.
    url.search = url.search.replaceAll('+', '%20');
    const headers = {
      authorization: `Bearer ${token}`,
      accept: 'application/json',
      ...(body && { 'content-type': 'application/json' }),
    };
    const sent = { method, headers, redirect: 'error', signal, ...(body && { body: JSON.stringify(body) }) };
    try {
      return await fetch(url, sent as RequestInit);
    } catch (error) {
      throw this.#unreachable(error);
    }
  }

  async #read(answer: Response): Promise<Uint8Array> {
    try {
      return await readAnswer(answer, MAX_ANSWER_BYTES);
    } catch (error) {
      throw this.#unreachable(error);
    }
  }

  #unreachable(cause: unknown): GatewayError {
    return new GatewayError('platform_failed', `${this.#options.title} cannot be reached`, { cause });
  }

  #plainWords(status: number): string {
    return `${this.#options.title} answered HTTP status ${status}`;
  }
}
