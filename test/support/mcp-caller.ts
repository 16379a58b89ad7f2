import type { AnyJson } from './any-json.ts';
import { waitFor } from './wait-for.ts';

const BOTH = 'application/json, text/event-stream';

export interface Told {
  readonly id?: string;
  readonly data: AnyJson;
}

export interface Heard {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** A client that sends anything, valid or not. */
export class McpCaller {
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;

  /** With the key of the tests' agent, unless the headers have another. */
  constructor(url: string, headers: Readonly<Record<string, string>> = {}) {
    this.#url = url;
    this.#headers = { authorization: 'Bearer svc_agent', ...headers };
  }

  with(headers: Readonly<Record<string, string>>): McpCaller {
    return new McpCaller(this.#url, { ...this.#headers, ...headers });
  }

  /** Strings go out as they are, anything else as JSON. */
  async post(
    body: unknown,
    headers: Readonly<Record<string, string>> = {},
    signal?: AbortSignal,
  ): Promise<Heard> {
    const response = await fetch(this.#url, {
      method: 'POST',
      headers: { accept: BOTH, 'content-type': 'application/json', ...this.#headers, ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
      ...(signal && { signal }),
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  async request(method: string, headers: Readonly<Record<string, string>> = {}): Promise<Heard> {
    const response = await fetch(this.#url, { method, headers: { ...this.#headers, ...headers } });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  /** The result of a request of the older generation. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  async ask(method: string, params?: unknown): Promise<any> {
    const { text } = await this.post({ jsonrpc: '2.0', id: 1, method, params });
    return JSON.parse(/^\{/.test(text) ? text : (eventsOf(text).at(-1)?.data ?? 'null'));
  }

  // biome-ignore lint/suspicious/noExplicitAny: as above
  call(name: string, args: Record<string, unknown> = {}): Promise<any> {
    return this.ask('tools/call', { name, arguments: args });
  }

  /** Opens a session; the caller that speaks in it. */
  async open(): Promise<McpCaller> {
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    };
    const { status, headers, text } = await this.post({
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params,
    });
    const sessionId = headers.get('mcp-session-id');
    if (sessionId === null) throw new Error(`${status} ${text}`);
    const session = this.with({ 'mcp-session-id': sessionId, 'mcp-protocol-version': '2025-11-25' });
    await session.post({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return session;
  }

  /** Posts something whose answer comes bit by bit. */
  async stream(body: unknown, signal: AbortSignal): Promise<McpListener> {
    const headers = { accept: BOTH, 'content-type': 'application/json', ...this.#headers };
    return await McpListener.open(this.#url, { method: 'POST', headers, body: JSON.stringify(body), signal });
  }

  /** Listens to notifications. */
  async listen(headers: Readonly<Record<string, string>> = {}): Promise<McpListener> {
    return await McpListener.open(this.#url, {
      headers: { accept: 'text/event-stream', ...this.#headers, ...headers },
    });
  }
}

function eventsOf(text: string): { id?: string; data: string }[] {
  return text
    .split('\n\n')
    .map((frame) => {
      const id = /^id: (.*)$/m.exec(frame)?.[1];
      return { ...(id !== undefined && { id }), data: /^data: (.*)$/m.exec(frame)?.[1] ?? '' };
    })
    .filter(({ data }) => data !== '');
}

/** An answer that comes bit by bit. */
export class McpListener {
  readonly #aborter = new AbortController();
  #text = '';
  isOver = false;

  static async open(url: string, asked: RequestInit): Promise<McpListener> {
    const listener = new McpListener();
    const { signal } = listener.#aborter;
    asked.signal?.addEventListener('abort', () => listener.close());
    const response = await fetch(url, { ...asked, signal });
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
    void listener.#read(response);
    return listener;
  }

  /** Events with something in them. */
  get told(): Told[] {
    return eventsOf(this.#text).map(({ data, ...event }) => ({ ...event, data: JSON.parse(data) }));
  }

  /** Everything that came, comments too. */
  get text(): string {
    return this.#text;
  }

  /** All events, once there are at least so many. */
  async heard(count: number): Promise<Told[]> {
    return await waitFor(`${count} events`, () => this.told.length >= count && this.told);
  }

  async until(test: (text: string) => boolean): Promise<string> {
    return await waitFor('a text', () => test(this.#text) && this.#text);
  }

  close(): void {
    this.#aborter.abort();
  }

  async #read(response: Response): Promise<void> {
    const decoder = new TextDecoder();
    try {
      for await (const piece of response.body!) this.#text += decoder.decode(piece, { stream: true });
    } catch {
      // It was cut.
    }
    this.isOver = true;
  }
}
