import * as z from 'zod';
import { cutText } from '../../base/cut-text.ts';
import { GatewayError } from '../../base/errors.ts';
import { field } from '../../base/platform-json.ts';
import { type Clock, pause, withDeadline } from '../../base/time.ts';
import type { ConnectionTokens } from '../contract/oauth.ts';
import { type HttpAnswer, PlatformHttp } from './platform-http.ts';

export interface ApiOptions {
  /** The platform's name, for errors that have no words of its own. */
  readonly title: string;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly clock: Clock;
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

/** Where the APIs have their words. */
const ErrorBody = z.object({
  message: field(z.string()),
  error: field(z.object({ message: field(z.string()) })),
});

const DEADLINE_MS = 15_000;
/** Where the platform does not say how long to wait. */
const DEFAULT_PAUSE_MS = 1_000;
/** Longer, and a call does not wait: a daily limit puts requests off until midnight. */
const MAX_PAUSE_MS = 10_000;
const TRIES = 3;
/** Of a platform's words, in characters: they become the reason of a call. */
const MAX_WORDS = 300;

/** A platform's REST API, asked with the access tokens of connections. */
export class ConnectionApi {
  readonly #options: ApiOptions;
  readonly #http: PlatformHttp;
  #tokens: ConnectionTokens | null = null;

  constructor(options: ApiOptions) {
    this.#options = options;
    this.#http = new PlatformHttp(options.title, options.clock);
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
    const { title, clock } = this.#options;
    let token = await this.#tokens.accessToken(connectionId);
    let isRenewed = false;
    for (let tries = 1; ; tries++) {
      const { isOk, status, json, retryAfterMs } = await this.#send(request, token, signal);
      if (isOk) return json;
      if (status === 401 && !isRenewed) {
        isRenewed = true;
        token = await this.#tokens.refused(connectionId, token);
        continue;
      }
      const pauseMs = retryAfterMs ?? DEFAULT_PAUSE_MS;
      const mayPass = (status === 429 || status === 503) && pauseMs <= MAX_PAUSE_MS;
      if (!mayPass || tries >= TRIES) {
        const { message = '', error } = ErrorBody.safeParse(json).data ?? {};
        throw new ApiRefusal(
          status,
          cutText(error?.message ?? message, MAX_WORDS) || `${title} answered HTTP status ${status}`,
        );
      }
      await pause(clock, pauseMs, signal);
    }
  }

  async #send(
    { method, path, query, body: json }: ConnectionRequest,
    token: string,
    signal: AbortSignal,
  ): Promise<HttpAnswer> {
    const url = new URL(`${this.#options.baseUrl}${path}`);
    for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value);
    // In a filter of Microsoft Graph a plus is no space.
    url.search = url.search.replaceAll('+', '%20');
    const headers = { authorization: `Bearer ${token}`, accept: 'application/json' };
    try {
      return await this.#http.ask({ method, url, headers, json, signal });
    } catch (cause) {
      throw new GatewayError('platform_failed', (cause as Error).message, { cause });
    }
  }
}
