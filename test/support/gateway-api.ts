import type { AnyJson } from './any-json.ts';

/** One answer of the REST API. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed JSON; text when it is not JSON. */
  readonly body: AnyJson;
}

const REQUEST_DEADLINE_MS = 60_000;

/** The REST API with one key. */
export class GatewayApi {
  readonly #baseUrl: string;
  readonly #apiKey: string | null;

  constructor(baseUrl: string, apiKey: string | null) {
    this.#baseUrl = baseUrl;
    this.#apiKey = apiKey;
  }

  get(path: string): Promise<Answer> {
    return this.request('GET', path);
  }

  post(path: string, body?: unknown): Promise<Answer> {
    return this.request('POST', path, body);
  }

  put(path: string, body: unknown): Promise<Answer> {
    return this.request('PUT', path, body);
  }

  patch(path: string, body: unknown): Promise<Answer> {
    return this.request('PATCH', path, body);
  }

  delete(path: string): Promise<Answer> {
    return this.request('DELETE', path);
  }

  /** Strings go out as they are, anything else as JSON. */
  async request(method: string, path: string, body?: unknown): Promise<Answer> {
    const headers: Record<string, string> = {};
    if (this.#apiKey !== null) headers['x-api-key'] = this.#apiKey;
    if (body !== undefined) headers['content-type'] = 'application/json';
    const response = await fetch(`${this.#baseUrl}${path}`, {
      method,
      headers,
      signal: AbortSignal.timeout(REQUEST_DEADLINE_MS),
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: parse(text) };
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
