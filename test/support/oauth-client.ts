import { createHash, randomBytes } from 'node:crypto';
import type { Gateway } from './gateway.ts';
import type { Answer } from './gateway-api.ts';
import type { Person } from './person.ts';

/** Where the client's codes are sent; nothing listens there, the test reads the address. */
export const REDIRECT = 'http://127.0.0.1:33418/callback';

/** Parameters of the authorization request beside the usual ones. */
export type Asked = Readonly<Record<string, string>>;

/** What a person ticks and presses on a consent page. */
export interface Answered {
  readonly decision?: 'allow' | 'deny';
  /** All that are offered unless told otherwise. */
  readonly platforms?: readonly string[];
  readonly agents?: readonly string[];
}

/** Tokens as they came. */
export interface Tokens {
  readonly access: string;
  readonly refresh: string;
  readonly scope: string;
}

/** An MCP client that knows OAuth only as far as a test wants it to; no library helps or corrects it. */
export class OAuthClient {
  readonly id: string;
  readonly secret: string | null;
  readonly verifier = randomBytes(32).toString('base64url');
  readonly #gateway: Gateway;

  private constructor(gateway: Gateway, id: string, secret: string | null) {
    this.#gateway = gateway;
    this.id = id;
    this.secret = secret;
    if (secret !== null) gateway.secrets.add(secret);
  }

  static async register(
    gateway: Gateway,
    metadata: Readonly<Record<string, unknown>> = {},
  ): Promise<OAuthClient> {
    const { status, body } = await register(gateway, metadata);
    if (status !== 201) throw new Error(`registering: ${status} ${JSON.stringify(body)}`);
    return new OAuthClient(gateway, body.client_id, body.client_secret ?? null);
  }

  get challenge(): string {
    return createHash('sha256').update(this.verifier).digest('base64url');
  }

  /** The address that the client opens in a person's browser. '' leaves a parameter out. */
  authorizeUrl(asked: Asked = {}): string {
    const query = {
      client_id: this.id,
      redirect_uri: REDIRECT,
      response_type: 'code',
      state: 'st4te',
      code_challenge: this.challenge,
      code_challenge_method: 'S256',
      ...asked,
    };
    const given = Object.entries(query).filter(([, value]) => value !== '');
    return `/oauth/authorize?${new URLSearchParams(given)}`;
  }

  /** A person opens that address: where they are sent, or the page that they see. */
  async ask(person: Person, asked: Asked = {}): Promise<Seen> {
    return seen(await person.visit(this.authorizeUrl(asked)));
  }

  /** A person opens that address and answers: the query of the redirect. */
  async askAndAnswer(person: Person, asked: Asked = {}, answered: Answered = {}): Promise<URLSearchParams> {
    const page = await this.ask(person, asked);
    if (page.sentTo !== null) return page.sentTo.searchParams;
    const after = await answer(person, page.html, answered);
    if (after.sentTo === null) throw new Error(`not sent back: ${after.status} ${after.html}`);
    return after.sentTo.searchParams;
  }

  /** Asks the token endpoint. '' leaves a field out. */
  async token(fields: Asked, headers: Asked = {}): Promise<Answer> {
    return await this.post('/oauth/token', fields, headers);
  }

  /** Asks for the tokens of a code. */
  async redeem(code: string, fields: Asked = {}): Promise<Answer> {
    return await this.token({
      grant_type: 'authorization_code',
      code,
      redirect_uri: REDIRECT,
      client_id: this.id,
      code_verifier: this.verifier,
      ...fields,
    });
  }

  async refresh(refreshToken: string, fields: Asked = {}): Promise<Answer> {
    return await this.token({
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
      client_id: this.id,
      ...fields,
    });
  }

  /** The whole authorization flow. */
  async connect(person: Person, asked: Asked = {}, answered: Answered = {}): Promise<Tokens> {
    const code = (await this.askAndAnswer(person, asked, answered)).get('code');
    if (code === null) throw new Error('there is no code');
    this.#gateway.secrets.add(code);
    return this.tokensIn(await this.redeem(code));
  }

  /** Tokens that an answer holds; the database must not. */
  tokensIn({ status, body }: Answer): Tokens {
    if (status !== 200) throw new Error(`no tokens: ${status} ${JSON.stringify(body)}`);
    const { access_token: access, refresh_token: refresh, scope } = body;
    this.#gateway.secrets.add(access).add(refresh);
    return { access, refresh, scope };
  }

  async post(path: string, fields: Asked, headers: Asked = {}): Promise<Answer> {
    const given = Object.entries(fields).filter(([, value]) => value !== '');
    return await posted(`${this.#gateway.baseUrl}${path}`, new URLSearchParams(given), headers);
  }
}

/** Where a person was sent, or what they saw. */
export interface Seen {
  readonly status: number;
  readonly sentTo: URL | null;
  readonly html: string;
}

/** Sends a registration as it is. */
export async function register(
  gateway: Gateway,
  metadata: Readonly<Record<string, unknown>> = {},
): Promise<Answer> {
  const whole = {
    client_name: 'Test client',
    redirect_uris: [REDIRECT],
    token_endpoint_auth_method: 'none',
    ...metadata,
  };
  return await posted(`${gateway.baseUrl}/oauth/register`, JSON.stringify(whole), {});
}

/** Sends the form of a consent page, as the browser would that shows it. */
export async function answer(
  person: Person,
  html: string,
  { decision = 'allow', platforms, agents }: Answered = {},
): Promise<Seen> {
  const form = new URLSearchParams();
  for (const name of ['request', 'ticket']) form.set(name, fieldIn(html, name));
  for (const platform of platforms ?? ticksIn(html, 'platform')) form.append('platform', platform);
  for (const agent of agents ?? checkedIn(html, 'agent')) form.append('agent', agent);
  form.set('decision', decision);
  return seen(await person.submit('/oauth/authorize', form));
}

/** All that can be ticked. */
export function ticksIn(html: string, name: string): string[] {
  return [...html.matchAll(new RegExp(`name="${name}" value="([^"]*)"`, 'g'))].map((match) => match[1]!);
}

/** All that is ticked. */
export function checkedIn(html: string, name: string): string[] {
  return [...html.matchAll(new RegExp(`name="${name}" value="([^"]*)" checked`, 'g'))].map(
    (match) => match[1]!,
  );
}

/** The value of a hidden field. */
export function fieldIn(html: string, name: string): string {
  const value = ticksIn(html, name)[0];
  if (value === undefined) throw new Error(`no field ${name} in ${html}`);
  return value.replaceAll('&amp;', '&').replaceAll('&#39;', "'").replaceAll('&quot;', '"');
}

function seen({ status, headers, body }: Answer): Seen {
  const location = headers.get('location');
  return { status, sentTo: location === null ? null : new URL(location), html: `${body}` };
}

async function posted(url: string, body: string | URLSearchParams, headers: Asked): Promise<Answer> {
  const response = await fetch(url, { method: 'POST', body, headers });
  const text = await response.text();
  const isJson = response.headers.get('content-type') === 'application/json';
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
}

/** A request with an access token. */
export async function fetchWithToken(gateway: Gateway, access: string, path: string): Promise<Response> {
  return await fetch(`${gateway.baseUrl}${path}`, { headers: { Authorization: `Bearer ${access}` } });
}

/** The status of such a request. */
export async function statusFor(gateway: Gateway, access: string, path = '/api/calls'): Promise<number> {
  return (await fetchWithToken(gateway, access, path)).status;
}

/** The status and the OAuth error code of an answer. */
export function fault({ status, body }: Pick<Answer, 'status' | 'body'>): [number, string | undefined] {
  return [status, body.error];
}
