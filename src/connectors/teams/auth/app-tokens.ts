import * as z from 'zod';
import { LimitedMap } from '../../../base/limited-map.ts';
import { field } from '../../../base/platform-json.ts';
import type { Clock } from '../../../base/time.ts';
import { PlatformFailure } from '../../kit/platform-failure.ts';
import { type HttpAnswer, PlatformHttp } from '../../kit/platform-http.ts';

const DEADLINE_MS = 10_000;
/** A token is replaced this long before it expires. */
const MARGIN_S = 300;
const MAX_TOKENS = 1_000;

const Answer = z.object({ access_token: z.string().min(1), expires_in: z.coerce.number() });
const Refusal = z.object({ error: field(z.string()), error_description: field(z.string()) });

export interface AppTokensOptions {
  /** Login endpoint of Entra ID, without a trailing slash. */
  readonly loginUrl: string;
  readonly appId: string;
  readonly secret: string;
}

/** What a token is for. */
export interface TokenUse {
  readonly tenantId: string;
  readonly scope: string;
}

interface KnownToken {
  readonly token: Promise<string>;
  untilMs: number;
}

/**
 * Tokens of the bot's application (https://learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow),
 * in memory. Several who ask at once get one answer.
 */
export class AppTokens {
  readonly #options: AppTokensOptions;
  readonly #clock: Clock;
  readonly #http: PlatformHttp;
  readonly #tokens = new LimitedMap<KnownToken>(MAX_TOKENS);

  constructor(options: AppTokensOptions, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
    this.#http = new PlatformHttp('Teams', clock);
  }

  /** Rejects with a PlatformFailure. */
  async token(use: TokenUse): Promise<string> {
    const key = `${use.tenantId} ${use.scope}`;
    const known = this.#tokens.get(key);
    if (known && known.untilMs > this.#clock.monotonicMs()) return await known.token;
    const asking: KnownToken = {
      token: this.#ask(use).then(({ access_token: token, expires_in: lifetimeS }) => {
        asking.untilMs = this.#clock.monotonicMs() + Math.max(lifetimeS - MARGIN_S, 0) * 1_000;
        return token;
      }),
      untilMs: Number.POSITIVE_INFINITY,
    };
    this.#tokens.set(key, asking);
    asking.token.catch(() => this.#forget(key, asking));
    return await asking.token;
  }

  /** A token was refused: the next one is a new one. */
  async refused(use: TokenUse, token: string): Promise<void> {
    const key = `${use.tenantId} ${use.scope}`;
    const known = this.#tokens.get(key);
    if (known && (await known.token.catch(() => null)) === token) this.#forget(key, known);
  }

  #forget(key: string, token: KnownToken): void {
    if (this.#tokens.get(key) === token) this.#tokens.delete(key);
  }

  async #ask({ tenantId, scope }: TokenUse): Promise<z.output<typeof Answer>> {
    const { loginUrl, appId, secret } = this.#options;
    const url = `${loginUrl}/${encodeURIComponent(tenantId)}/oauth2/v2.0/token`;
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: appId,
      client_secret: secret,
      scope,
    });
    const request = { method: 'POST', url, body, deadlineMs: DEADLINE_MS } as const;
    const answer = await this.#http.ask(request).catch(({ message }: Error) => {
      // Asking twice is harmless.
      throw new PlatformFailure('later', message);
    });
    return tokenIn(answer);
  }
}

function tokenIn({ status, json }: HttpAnswer): z.output<typeof Answer> {
  const { data: token } = Answer.safeParse(json);
  if (status === 200 && token) return token;
  const { error = '', error_description: text = '' } = Refusal.safeParse(json).data ?? {};
  const words = text.split('Trace ID')[0]?.trim() || error || `The login endpoint answered ${status}`;
  if (status >= 400 && status < 500 && status !== 429)
    throw new PlatformFailure('refused', words, { status, code: error, isLoggedOut: true });
  throw new PlatformFailure('later', words, { status, code: error });
}
