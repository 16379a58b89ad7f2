import type { IncomingMessage } from 'node:http';
import type * as z from 'zod';
import type { Clock } from '../../base/time.ts';
import { ModelFault, type ModelFaultKind } from '../model-fault.ts';
import { providerWords } from '../provider-words.ts';
import { readJson, type StreamedEvent, streamedEvents } from './model-answer.ts';
import type { ModelHttp } from './model-http.ts';
import { requestedWaitMs } from './retry-after.ts';

/** An error as a provider words it. `kind` is set where the words say more than the status. */
export interface ProviderError {
  readonly words: string;
  readonly kind?: ModelFaultKind | undefined;
}

export interface JsonApiOptions {
  readonly http: ModelHttp;
  readonly clock: Clock;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** They carry the key. */
  readonly headers: Readonly<Record<string, string>>;
  /** What must not be in the words of a fault. */
  readonly secrets: readonly string[];
  /** Reads the body of an error. Null: it is not in the provider's format. */
  readonly readError: (body: unknown, status: number) => ProviderError | null;
}

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Its variable segments are percent-encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly body?: object;
  /** A secret of the body, which must not be in the words of a fault. */
  readonly secret?: string;
  readonly signal: AbortSignal;
}

const KINDS: Readonly<Record<number, ModelFaultKind>> = {
  401: 'key_rejected',
  402: 'quota',
  403: 'no_access',
  404: 'not_found',
  408: 'overloaded',
  413: 'too_long',
  429: 'rate_limited',
};

/** Statuses after which the provider may have carried out the request all the same. */
const DOUBTFUL: ReadonlySet<number> = new Set([408, 500, 502, 504]);

/** The JSON API of a provider. Methods reject with a ModelFault, and with the signal's reason once it aborts. */
export class JsonApi {
  readonly #options: JsonApiOptions;

  constructor(options: JsonApiOptions) {
    this.#options = options;
  }

  /** Resolves with the body of the answer. */
  async ask<Schema extends z.ZodType>(schema: Schema, request: ApiRequest): Promise<z.output<Schema>> {
    const answer = await this.#send(request, 'application/json');
    const { data, success } = schema.safeParse(await readJson(answer, request.signal));
    if (!success) throw new ModelFault('bad_endpoint', { words: 'the answer is not the expected JSON' });
    return data;
  }

  /** For requests whose answer says nothing. */
  async tell(request: ApiRequest): Promise<void> {
    await readJson(await this.#send(request, 'application/json'), request.signal);
  }

  /** Resolves once the stream is open. An answer that is plain JSON becomes its only event. */
  async stream(request: ApiRequest): Promise<AsyncGenerator<StreamedEvent, void>> {
    const answer = await this.#send(request, 'text/event-stream');
    const isJson = answer.headers['content-type']?.startsWith('application/json') === true;
    return isJson ? onlyEvent(answer, request.signal) : streamedEvents(answer, request.signal);
  }

  /** The fault for an error that ended a stream. Null: it is not in the provider's format. */
  brokenStream(error: ProviderError | null): ModelFault {
    const kind = error?.kind ?? 'overloaded';
    const words =
      providerWords(error?.words ?? '', this.#options.secrets) || 'the provider broke off the answer';
    return new ModelFault(kind, { words, isDoubtful: kind === 'overloaded' || kind === 'rate_limited' });
  }

  async #send(request: ApiRequest, accept: string): Promise<IncomingMessage> {
    const { method, path, query, body, signal } = request;
    const url = new URL(`${this.#options.baseUrl}${path}`);
    for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, String(value));
    const headers = { accept, ...this.#options.headers };
    const sent = { method, url, headers, signal, ...(body && { body: JSON.stringify(body) }) };
    const answer = await this.#options.http.send(sent);
    const { statusCode: status = 0 } = answer;
    if (status >= 200 && status < 300) return answer;
    throw this.#refusal(request, answer, await readJson(answer, signal));
  }

  #refusal({ secret = '', method, path }: ApiRequest, answer: IncomingMessage, body: unknown): ModelFault {
    const { baseUrl, clock, readError, secrets } = this.#options;
    const { statusCode: status = 0, headers } = answer;
    const error = readError(body, status);
    const kind = error?.kind ?? (error === null ? strangerKind(status) : kindOf(status));
    // With the path, because what most often is wrong is the base: `http://localhost:11434` without its `/v1`.
    const { pathname } = new URL(`${baseUrl}${path}`);
    const words = error?.words || `the endpoint answered HTTP status ${status} to ${method} ${pathname}`;
    return new ModelFault(kind, {
      words: providerWords(words, [...secrets, secret]),
      status,
      retryAfterMs: requestedWaitMs(headers, clock.nowIso()),
      isDoubtful: DOUBTFUL.has(status),
    });
  }
}

/** What a status of 400 or more says when the words say nothing. */
export function kindOf(status: number): ModelFaultKind {
  return KINDS[status] ?? (status >= 500 ? 'overloaded' : 'bad_request');
}

/** What does not answer in the provider's format is a proxy, or no provider at all. */
export function strangerKind(status: number): ModelFaultKind {
  const kind = kindOf(status);
  return kind === 'bad_request' || kind === 'not_found' ? 'bad_endpoint' : kind;
}

async function* onlyEvent(answer: IncomingMessage, signal: AbortSignal): AsyncGenerator<StreamedEvent, void> {
  yield { name: '', data: await readJson(answer, signal) };
}
