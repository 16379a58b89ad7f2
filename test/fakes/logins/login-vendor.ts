import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A person with an account at the vendor. */
export interface Visitor {
  readonly id: string;
  /** Microsoft: the tenant of the account. */
  readonly tenant?: string;
  readonly name: string;
  readonly email: string;
}

/** What a person has agreed to. */
export interface Grant {
  readonly visitor: Visitor;
  readonly scope: string;
  isRevoked: boolean;
}

/** Why a request is refused, before the vendor puts it in its own words. */
export type Refusal =
  | 'wrong_client'
  | 'wrong_redirect'
  | 'wrong_code'
  | 'expired_code'
  | 'used_code'
  | 'wrong_verifier'
  | 'wrong_refresh_token'
  | 'unsupported_grant'
  | 'malformed';

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** How one vendor differs from the others. */
export interface Dialect {
  readonly paths: { readonly authorize: RegExp; readonly token: RegExp; readonly revoke: RegExp | null };
  readonly authentication: 'basic' | 'form';
  /** Parameters of the authorization request; any other, or a missing one, is refused. */
  readonly required: readonly string[];
  readonly optional: readonly string[];
  /** `replaced`: a refresh token works once. `renewed`: a new one comes, and the old one stays valid. */
  readonly refreshTokens: 'kept' | 'renewed' | 'replaced';
  refusal(why: Refusal): Answer;
  /** What the token endpoint answers beside the access token, its type and its lifetime. */
  extras(grant: Grant, vendor: LoginVendor): Readonly<Record<string, unknown>>;
  /** The scope that is granted for what was asked for. */
  granted(asked: string): string;
  /** Any other endpoint; null: there is none. */
  other(request: IncomingMessage, url: URL, vendor: LoginVendor): Answer | { readonly location: URL } | null;
}

interface Code {
  readonly grant: Grant;
  readonly redirectUri: string;
  readonly challenge: string;
  expiresMs: number;
  isUsed: boolean;
}

const CODE_LIFETIME_MS = 60_000;

/** The login of a vendor on loopback: authorization code with PKCE, refresh and revocation, as strict as its dialect. */
export class LoginVendor {
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUris = new Set<string>();
  /** Who signs in next. */
  visitor: Visitor = { id: 'nobody', name: 'Nobody', email: 'nobody@example.com' };
  /** The person denies consent. */
  refuses = false;
  lifetimeS = 3_600;
  /** Moves the clock of codes, in milliseconds. */
  laterMs = 0;
  /** Requests with a refresh token. */
  refreshes = 0;
  revocations = 0;
  /** All tokens and codes that were ever issued. */
  readonly issued: string[] = [];
  readonly #dialect: Dialect;
  readonly #server: Server;
  readonly #codes = new Map<string, Code>();
  readonly #accessTokens = new Map<string, Grant>();
  readonly #refreshTokens = new Map<string, Grant>();

  private constructor(dialect: Dialect, server: Server, client: { id: string; secret: string }) {
    this.#dialect = dialect;
    this.#server = server;
    this.clientId = client.id;
    this.clientSecret = client.secret;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('request', (request, response) => void this.#answer(request, response));
  }

  static async start(dialect: Dialect, client: { id: string; secret: string }): Promise<LoginVendor> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new LoginVendor(dialect, server, client);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  /** Whose an access token is; null: no one's. */
  grantOf(accessToken: string): Grant | null {
    const grant = this.#accessTokens.get(accessToken);
    return grant === undefined || grant.isRevoked ? null : grant;
  }

  /** As a person does in the settings of their account. */
  revokeAllOf(visitorId: string): void {
    for (const grant of this.#accessTokens.values())
      if (grant.visitor.id === visitorId) grant.isRevoked = true;
  }

  get liveGrants(): number {
    return new Set([...this.#accessTokens.values()].filter(({ isRevoked }) => !isRevoked)).size;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.url);
    const { authorize, token, revoke } = this.#dialect.paths;
    const body = new URLSearchParams(request.method === 'POST' ? await text(request) : '');
    if (request.method === 'GET' && authorize.test(url.pathname)) this.#authorize(url, response);
    else if (request.method === 'POST' && token.test(url.pathname))
      write(response, this.#token(request, body));
    else if (request.method === 'POST' && revoke?.test(url.pathname))
      write(response, this.#revoke(request, url, body));
    else {
      const answer = this.#dialect.other(request, url, this) ?? { status: 404, body: { error: 'not_found' } };
      if ('location' in answer) response.writeHead(302, { location: answer.location.href }).end();
      else write(response, answer);
    }
  }

  /** Errors about the client or the redirect are shown, never sent to the redirect URI. */
  #authorize({ searchParams: query }: URL, response: ServerResponse): void {
    const { required, optional } = this.#dialect;
    const names = [...query.keys()];
    const isWhole = required.every((name) => query.get(name)) && new Set(names).size === names.length;
    const isKnown = names.every((name) => required.includes(name) || optional.includes(name));
    const redirectUri = query.get('redirect_uri') ?? '';
    if (!isWhole || !isKnown || query.get('code_challenge_method') !== 'S256')
      return write(response, this.#dialect.refusal('malformed'));
    if (query.get('client_id') !== this.clientId || !this.redirectUris.has(redirectUri))
      return write(response, this.#dialect.refusal('wrong_redirect'));
    const back = new URL(redirectUri);
    back.searchParams.set('state', query.get('state') ?? '');
    if (this.refuses) back.searchParams.set('error', 'access_denied');
    else back.searchParams.set('code', this.#newCode(query, redirectUri));
    response.writeHead(302, { location: back.href }).end();
  }

  #newCode(query: URLSearchParams, redirectUri: string): string {
    const scope = this.#dialect.granted(query.get('scope') ?? '');
    const grant = { visitor: this.visitor, scope, isRevoked: false };
    const code = this.#secret('code');
    const challenge = query.get('code_challenge') ?? '';
    const expiresMs = Date.now() + CODE_LIFETIME_MS;
    this.#codes.set(code, { grant, redirectUri, challenge, expiresMs, isUsed: false });
    return code;
  }

  #token(request: IncomingMessage, body: URLSearchParams): Answer {
    const { refusal } = this.#dialect;
    if (!this.#isClient(request, body)) return refusal('wrong_client');
    switch (body.get('grant_type')) {
      case 'authorization_code': {
        const grant = this.#redeem(body);
        return typeof grant === 'string' ? refusal(grant) : this.#issue(grant, null);
      }
      case 'refresh_token': {
        this.refreshes += 1;
        const token = body.get('refresh_token') ?? '';
        const grant = this.#refreshTokens.get(token);
        if (grant === undefined || grant.isRevoked) return refusal('wrong_refresh_token');
        return this.#issue(grant, token);
      }
      default:
        return refusal('unsupported_grant');
    }
  }

  /** A code that comes twice ends what it brought (RFC 6749, section 4.1.2). */
  #redeem(body: URLSearchParams): Grant | Refusal {
    const code = this.#codes.get(body.get('code') ?? '');
    if (code === undefined) return 'wrong_code';
    if (code.isUsed) {
      code.grant.isRevoked = true;
      return 'used_code';
    }
    code.isUsed = true;
    if (code.expiresMs <= Date.now() + this.laterMs) return 'expired_code';
    if (body.get('redirect_uri') !== code.redirectUri) return 'wrong_redirect';
    const verifier = body.get('code_verifier') ?? '';
    if (createHash('sha256').update(verifier).digest('base64url') !== code.challenge) return 'wrong_verifier';
    return code.grant;
  }

  #issue(grant: Grant, used: string | null): Answer {
    const accessToken = this.#secret('at');
    this.#accessTokens.set(accessToken, grant);
    return {
      status: 200,
      body: {
        access_token: accessToken,
        token_type: 'Bearer',
        expires_in: this.lifetimeS,
        scope: grant.scope,
        ...this.#nextRefreshToken(grant, used),
        ...this.#dialect.extras(grant, this),
      },
    };
  }

  #nextRefreshToken(grant: Grant, used: string | null): { readonly refresh_token?: string } {
    const { refreshTokens } = this.#dialect;
    if (used !== null && refreshTokens === 'kept') return {};
    if (used !== null && refreshTokens === 'replaced') this.#refreshTokens.delete(used);
    const token = this.#secret('rt');
    this.#refreshTokens.set(token, grant);
    return { refresh_token: token };
  }

  #revoke(request: IncomingMessage, { searchParams }: URL, body: URLSearchParams): Answer {
    if (this.#dialect.authentication === 'basic' && !this.#isClient(request, body))
      return this.#dialect.refusal('wrong_client');
    const token = body.get('token') ?? searchParams.get('token') ?? '';
    const grant = this.#accessTokens.get(token) ?? this.#refreshTokens.get(token);
    if (grant === undefined || grant.isRevoked) return { status: 400, body: { error: 'invalid_token' } };
    grant.isRevoked = true;
    this.revocations += 1;
    return { status: 200, body: { status: 'success' } };
  }

  #isClient(request: IncomingMessage, body: URLSearchParams): boolean {
    if (this.#dialect.authentication === 'form')
      return same(`${body.get('client_id')}:${body.get('client_secret')}`, this.#credentials());
    const [scheme, encoded = ''] = (request.headers.authorization ?? '').split(' ');
    // Both parts are encoded for forms first (RFC 6749, section 2.3.1).
    const pair = decodeURIComponent(Buffer.from(encoded, 'base64').toString());
    return scheme === 'Basic' && same(pair, this.#credentials());
  }

  #credentials(): string {
    return `${this.clientId}:${this.clientSecret}`;
  }

  #secret(kind: string): string {
    const secret = `${kind}-${randomBytes(24).toString('base64url')}`;
    this.issued.push(secret);
    return secret;
  }
}

function same(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}

function write(response: ServerResponse, { status, body }: Answer): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
