import type { IncomingHttpHeaders } from 'node:http';
import type * as z from 'zod';
import type { Clock } from '../../base/time.ts';
import { kindOfStatus, strangerKind } from '../fault-table.ts';
import { ModelFault, type ModelFaultKind } from '../model-fault.ts';
import { providerWords } from '../provider-words.ts';
import type { ModelAnswer, StreamedEvent } from './model-answer.ts';
import type { AccountHttp } from './model-http.ts';
import { type Patience, VENDOR } from './patience.ts';
import { requestedWaitMs } from './retry-after.ts';

type Texts = Readonly<Record<string, string>>;

/** What proves that requests are allowed. */
export interface Credentials {
  /** Returns the headers for one request. `body` is empty without one. Rejects with a ModelFault. */
  headers(request: UnsignedRequest, signal: AbortSignal): Texts | Promise<Texts>;
  /** What must not be in the words of a fault. */
  readonly secrets: readonly string[];
  /** The provider took them for wrong. */
  rejected?(): void;
}

export interface UnsignedRequest {
  readonly method: string;
  readonly url: URL;
  readonly body: string;
}

/** A key that is in the same headers of each request. */
export function keyIn(headers: Texts, ...secrets: readonly string[]): Credentials {
  return { headers: () => headers, secrets };
}

/** An error as a provider words it. `kind` is set where the error says more than the status. */
export interface ProviderError {
  readonly words: string;
  readonly kind?: ModelFaultKind | undefined;
  /** How long it asks to wait; absent: the headers may say. */
  readonly retryAfterMs?: number | null;
}

/** An answer that is no success, and the request that it belongs to. */
export interface Refusal {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly request: ApiRequest;
}

export interface JsonApiOptions {
  readonly http: AccountHttp;
  readonly clock: Clock;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** Of every request. */
  readonly query?: Texts;
  readonly credentials: Credentials;
  /** Reads the body of an error. Null: it is not in the provider's format. */
  readonly readError: (body: unknown, refusal: Refusal) => ProviderError | null;
  /** Default: that for a vendor. */
  readonly patience?: Patience;
  /** Nothing follows a turn that got lost, so no fault of an answer is doubtful. */
  readonly isRepeatable?: true;
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

/** A list in pages: where the next one is, and how many are read at most. */
export interface Paging<Page> {
  /** Returns what the query for the next page adds. Null: this was the last one. */
  readonly next: (page: Page) => ApiRequest['query'] | null;
  readonly maxPages: number;
}

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
    const answer = await this.open(request);
    const { data, success } = schema.safeParse(await answer.json());
    if (!success) throw new ModelFault('bad_endpoint', { words: 'the answer is not the expected JSON' });
    return data;
  }

  /** For requests whose answer says nothing. */
  async tell(request: ApiRequest): Promise<void> {
    const answer = await this.open(request);
    await answer.json();
  }

  /** Yields the pages of a list. */
  async *pages<Schema extends z.ZodType>(
    schema: Schema,
    request: Omit<ApiRequest, 'method'>,
    { next, maxPages }: Paging<z.output<Schema>>,
  ): AsyncGenerator<z.output<Schema>, void> {
    let more: ApiRequest['query'] | null = {};
    for (let count = 0; more && count < maxPages; count++) {
      const query: ApiRequest['query'] = { ...request.query, ...more };
      const page: z.output<Schema> = await this.ask(schema, { ...request, method: 'GET', query });
      yield page;
      more = next(page);
    }
  }

  /** Resolves once the stream is open. An answer that is plain JSON becomes its only event. */
  async stream(request: ApiRequest): Promise<AsyncGenerator<StreamedEvent, void>> {
    const answer = await this.open(request, 'text/event-stream');
    const isJson = answer.headers['content-type']?.startsWith('application/json') === true;
    return isJson ? onlyEvent(answer) : answer.events();
  }

  /** The fault for an error that ended a stream. `secrets`: of the request, besides the credentials. */
  brokenStream(error: ProviderError | null, ...secrets: readonly string[]): ModelFault {
    const kind = error?.kind ?? 'overloaded';
    const { credentials, isRepeatable = false } = this.#options;
    const words = providerWords(error?.words ?? '', [...credentials.secrets, ...secrets]);
    return new ModelFault(kind, {
      words: words || 'the provider broke off the answer',
      retryAfterMs: error?.retryAfterMs ?? null,
      isDoubtful: !isRepeatable && (kind === 'overloaded' || kind === 'rate_limited'),
    });
  }

  /** Resolves with an answer that is a success. The caller reads its body. */
  async open(request: ApiRequest, accept = 'application/json'): Promise<ModelAnswer> {
    const { baseUrl, credentials, http, query, patience = VENDOR } = this.#options;
    const { method, path, signal } = request;
    const url = new URL(`${baseUrl}${path}`);
    for (const [name, value] of Object.entries({ ...query, ...request.query }))
      url.searchParams.set(name, String(value));
    const body = request.body === undefined ? '' : JSON.stringify(request.body);
    const headers = { accept, ...(await credentials.headers({ method, url, body }, signal)) };
    const answer = await http.send({ method, url, headers, patience, signal, ...(body && { body }) });
    const { status } = answer;
    if (status >= 200 && status < 300) return answer;
    const fault = this.#refused({ status, headers: answer.headers, request }, url, await answer.json());
    if (fault.kind === 'key_rejected') credentials.rejected?.();
    throw fault;
  }

  #refused(refusal: Refusal, { pathname }: URL, body: unknown): ModelFault {
    const { clock, credentials, readError, isRepeatable = false } = this.#options;
    const { status, headers, request } = refusal;
    const error = readError(body, refusal);
    // With the path, because what most often is wrong is the base: `http://localhost:11434` without its `/v1`.
    const words =
      error?.words || `the endpoint answered HTTP status ${status} to ${request.method} ${pathname}`;
    return new ModelFault(error?.kind ?? (error === null ? strangerKind : kindOfStatus)(status), {
      words: providerWords(words, [...credentials.secrets, request.secret ?? '']),
      status,
      retryAfterMs: error?.retryAfterMs ?? requestedWaitMs(headers, clock.nowIso()),
      isDoubtful: !isRepeatable && DOUBTFUL.has(status),
    });
  }
}

async function* onlyEvent(answer: ModelAnswer): AsyncGenerator<StreamedEvent, void> {
  yield { name: '', data: await answer.json() };
}
