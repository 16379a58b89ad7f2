import type { Answer } from './gateway-api.ts';

/** A person at a browser: keeps the session cookie and sends it, as browsers do. */
export class Person {
  readonly email: string;
  password: string;
  /** `svc_session=…`; null while signed out. */
  cookie: string | null = null;
  readonly #baseUrl: string;

  constructor(baseUrl: string, email: string, password = 'correct horse battery') {
    this.#baseUrl = baseUrl;
    this.email = email;
    this.password = password;
  }

  /** Creates an account; the gateway must have open sign-up. */
  async signUp(fields: Record<string, unknown> = {}): Promise<Answer> {
    const { email, password } = this;
    return await this.request('POST', '/auth/signup', { email, password, ...fields });
  }

  async signIn(): Promise<Answer> {
    const { email, password } = this;
    return await this.request('POST', '/auth/login', { email, password });
  }

  /** As a page of the gateway itself would ask. */
  async request(method: string, path: string, body?: unknown): Promise<Answer> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    return await this.#fetch(
      method,
      path,
      text,
      text === undefined ? {} : { 'Content-Type': 'application/json' },
    );
  }

  /** Comes by a link from elsewhere; follows nothing. */
  async visit(path: string): Promise<Answer> {
    return await this.#fetch('GET', path, undefined, { 'Sec-Fetch-Site': 'cross-site' });
  }

  /** Sends a form of a page of the gateway, or of whatever `site` says; follows nothing. */
  async submit(path: string, form: URLSearchParams, site = 'same-origin'): Promise<Answer> {
    return await this.#fetch('POST', path, form, { 'Sec-Fetch-Site': site });
  }

  async #fetch(
    method: string,
    path: string,
    body: string | URLSearchParams | undefined,
    headers: Readonly<Record<string, string>>,
  ): Promise<Answer> {
    const answer = await fetch(`${this.#baseUrl}${path}`, {
      method,
      redirect: 'manual',
      headers: {
        'Sec-Fetch-Site': 'same-origin',
        ...(this.cookie === null ? {} : { Cookie: this.cookie }),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
    });
    this.#keep(answer.headers.get('set-cookie'));
    const text = await answer.text();
    const isJson = answer.headers.get('content-type') === 'application/json';
    return { status: answer.status, headers: answer.headers, body: isJson ? JSON.parse(text) : text };
  }

  #keep(setCookie: string | null): void {
    const pair = setCookie?.split(';')[0];
    if (pair?.startsWith('svc_session=')) this.cookie = pair === 'svc_session=' ? null : pair;
  }
}
