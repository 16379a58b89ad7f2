import * as z from 'zod';

/** When the vendor does not say. */
const RETRY_MS = 1_000;

const ERROR = z.object({ error: z.object({ code: z.string(), message: z.string() }) });

/** Where the tokens of a login come from. */
export interface TokenSource {
  token(): Promise<string>;
  /** The vendor refused this token. Returns another one to try once; null when there is none. */
  refused(token: string): Promise<string | null>;
}

/** A refusal of the vendor, in its own words. */
export class LoopbackRefusal extends Error {
  readonly status: number;
  readonly code: string;
  /** Null: trying again does not help. */
  readonly retryAfterMs: number | null;

  constructor(
    status: number,
    { code, message }: z.output<typeof ERROR>['error'],
    retryAfterMs: number | null,
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }
}

export interface LoopbackRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below the API's root, without a leading slash. */
  readonly path: string;
  /** Sent as JSON, or as they are when they are bytes. */
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The vendor's REST API with the token of one login. */
export class LoopbackApi {
  readonly #baseUrl: string;
  readonly #tokens: TokenSource;

  constructor(baseUrl: string, tokens: TokenSource) {
    this.#baseUrl = baseUrl;
    this.#tokens = tokens;
  }

  /** Rejects with LoopbackRefusal, or with the error of the network or of the tokens. */
  async call<T>(request: LoopbackRequest, answer: z.ZodType<T>, signal: AbortSignal): Promise<T> {
    const response = await this.#fetch(request, signal);
    return answer.parse(await response.json());
  }

  /** Downloads a file. Rejects as `call` does. */
  async download(path: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    const { body } = await this.#fetch({ method: 'GET', path }, signal);
    if (body === null) throw new Error('The answer has no body');
    return body;
  }

  async #fetch(request: LoopbackRequest, signal: AbortSignal): Promise<Response> {
    const token = await this.#tokens.token();
    const response = await this.#send(request, token, signal);
    const other = response.status === 401 ? await this.#tokens.refused(token) : null;
    if (other === null) return await accepted(response);
    await response.body?.cancel();
    return await accepted(await this.#send(request, other, signal));
  }

  async #send(
    { method, path, body, headers }: LoopbackRequest,
    token: string,
    signal: AbortSignal,
  ): Promise<Response> {
    const isBytes = body instanceof Uint8Array;
    return await fetch(`${this.#baseUrl}/v1/${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...headers, authorization: `Bearer ${token}` },
      signal,
      redirect: 'error',
      ...(body === undefined ? {} : { body: isBytes ? body.slice() : JSON.stringify(body) }),
    });
  }
}

async function accepted(response: Response): Promise<Response> {
  const { ok, status, headers } = response;
  if (ok) return response;
  const read = ERROR.safeParse(await response.json().catch(() => null));
  // Something before the vendor has answered for it.
  if (!read.success) throw new Error(`The vendor answered ${status}`);
  const isPassing = status === 429 || status === 503;
  const retryAfterMs = isPassing ? Number(headers.get('retry-after')) * 1000 || RETRY_MS : null;
  throw new LoopbackRefusal(status, read.data.error, retryAfterMs);
}
