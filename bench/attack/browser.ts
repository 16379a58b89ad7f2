import { request } from 'node:http';
import type { AnyJson } from '../../test/support/any-json.ts';

/** An answer as a browser gets it. Redirects are not followed. */
export interface Seen {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly text: string;
  /** The parsed text; undefined if it is not JSON. */
  readonly json: AnyJson;
}

const DEADLINE_MS = 20_000;

/** A browser with its own address. It keeps every cookie for the gateway. */
export class Browser {
  readonly #port: number;
  readonly #address: string;
  readonly #cookies = new Map<string, string>();

  constructor(port: number, address: string) {
    this.#port = port;
    this.#address = address;
  }

  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Seen> {
    return this.#request('GET', path, undefined, headers);
  }

  head(path: string): Promise<Seen> {
    return this.#request('HEAD', path, undefined, {});
  }

  post(path: string, body: unknown = {}): Promise<Seen> {
    return this.#request('POST', path, JSON.stringify(body), { 'Content-Type': 'application/json' });
  }

  delete(path: string, body: unknown): Promise<Seen> {
    return this.#request('DELETE', path, JSON.stringify(body), { 'Content-Type': 'application/json' });
  }

  /** Submits a form of one of the gateway's pages. */
  submit(path: string, form: URLSearchParams): Promise<Seen> {
    return this.#request('POST', path, `${form}`, { 'Content-Type': 'application/x-www-form-urlencoded' });
  }

  /** Follows a link of a mail like a program that accepts JSON. */
  follow(link: string): Promise<Seen> {
    return this.get(pathOf(link), { Accept: 'application/json', 'Sec-Fetch-Site': 'none' });
  }

  #request(
    method: string,
    path: string,
    body: string | undefined,
    given: Readonly<Record<string, string>>,
  ): Promise<Seen> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = {
      'Sec-Fetch-Site': 'same-origin',
      ...(cookie === '' ? {} : { Cookie: cookie }),
      ...(body === undefined ? {} : { 'Content-Length': `${Buffer.byteLength(body)}` }),
      ...given,
    };
    const options = {
      host: '127.0.0.1',
      port: this.#port,
      localAddress: this.#address,
      method,
      path,
      headers,
    };
    return new Promise((resolve, reject) => {
      const asked = request({ ...options, agent: false, timeout: DEADLINE_MS }, (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part));
        answer.once('error', reject);
        answer.once('end', () => {
          this.#keep(answer.headers['set-cookie'] ?? []);
          const text = Buffer.concat(parts).toString('utf8');
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text, json: parsed(text) });
        });
      });
      asked.once('timeout', () => asked.destroy(new Error(`no answer to ${method} ${path}`)));
      asked.once('error', reject);
      asked.end(body);
    });
  }

  #keep(setCookies: readonly string[]): void {
    for (const each of setCookies) {
      const [pair = ''] = each.split(';');
      const at = pair.indexOf('=');
      const [name, value] = [pair.slice(0, at), pair.slice(at + 1)];
      if (value === '') this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
  }
}

export function pathOf(link: string): string {
  const { pathname, search } = new URL(link);
  return pathname + search;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
