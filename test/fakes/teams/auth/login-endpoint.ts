import { randomBytes } from 'node:crypto';
import type { FakeBot } from '../world/fake-bot.ts';

const LIFETIME_S = 3_599;

const BOT_SCOPE = 'https://api.botframework.com/.default';

interface IssuedToken {
  readonly bot: FakeBot;
  readonly scope: string;
  readonly tenant: string;
}

export interface LoginAnswer {
  readonly status: number;
  readonly body: object;
}

/**
 * The token endpoint of Entra ID for applications
 * (https://learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow).
 */
export class LoginEndpoint {
  readonly #bots: () => readonly FakeBot[];
  readonly #graphScope: () => string;
  readonly #tokens = new Map<string, IssuedToken>();
  /** Tokens issued so far. */
  issued = 0;

  constructor(bots: () => readonly FakeBot[], graphScope: () => string) {
    this.#bots = bots;
    this.#graphScope = graphScope;
  }

  token(tenant: string, form: URLSearchParams): LoginAnswer {
    if (form.get('grant_type') !== 'client_credentials')
      return refusal('unsupported_grant_type', 'AADSTS70003: The app requested an unsupported grant type.');
    const bot = this.#bots().find(({ appId }) => appId === form.get('client_id'));
    if (!bot)
      return refusal(
        'unauthorized_client',
        `AADSTS700016: Application with identifier '${form.get('client_id')}' was not found in the directory.`,
      );
    if (bot.isExpired || form.get('client_secret') !== bot.secret)
      return refusal(
        'invalid_client',
        "AADSTS7000215: Invalid client secret provided. Ensure the secret being sent in the request is the client secret value, not the client secret ID, for a secret added to app '" +
          `${bot.appId}'.`,
      );
    const scope = form.get('scope') ?? '';
    const isForBot = scope === BOT_SCOPE;
    if (!isForBot && scope !== this.#graphScope())
      return refusal(
        'invalid_scope',
        `AADSTS70011: The provided value for the input parameter 'scope' is not valid.`,
      );
    if (isForBot && tenant !== bot.tenantId)
      return refusal('invalid_request', `AADSTS90002: Tenant '${tenant}' not found.`);
    const access_token = accessToken(bot, scope, tenant);
    this.#tokens.set(access_token, { bot, scope, tenant });
    this.issued += 1;
    const body = { token_type: 'Bearer', expires_in: LIFETIME_S, ext_expires_in: LIFETIME_S, access_token };
    return { status: 200, body };
  }

  /** Returns whose token a request carries; null: it is not valid. */
  holder(authorization: string | undefined, kind: 'bot' | 'graph'): IssuedToken | null {
    const token = this.#tokens.get((authorization ?? '').replace(/^Bearer /, ''));
    if (!token || token.bot.isExpired) return null;
    return (token.scope === BOT_SCOPE) === (kind === 'bot') ? token : null;
  }

  /** Every token issued so far is refused from now on. */
  forgetTokens(): void {
    this.#tokens.clear();
  }
}

function refusal(error: string, description: string): LoginAnswer {
  const tail = `Trace ID: 0 Correlation ID: 0 Timestamp: 2026-11-24 10:00:00Z`;
  const body = { error, error_description: `${description} ${tail}`, error_codes: [7_000_215] };
  return { status: error === 'invalid_client' ? 401 : 400, body };
}

/** Clients may look into the token; nothing verifies its signature. */
function accessToken({ appId }: FakeBot, scope: string, tid: string): string {
  const nowS = Math.floor(Date.now() / 1_000);
  const claims = {
    aud: scope.replace(/\/\.default$/, ''),
    appid: appId,
    tid,
    iat: nowS,
    exp: nowS + LIFETIME_S,
  };
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return [part({ alg: 'RS256', typ: 'JWT' }), part(claims), randomBytes(256).toString('base64url')].join('.');
}
