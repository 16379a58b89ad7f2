import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import type { Clock } from '../../base/time.ts';
import { strangerKind } from '../http/json-api.ts';
import { readJson } from '../http/model-answer.ts';
import type { ModelHttp } from '../http/model-http.ts';
import { MadeOnce } from '../made-once.ts';
import { ModelFault, type ModelFaultKind } from '../model-fault.ts';
import { providerWords } from '../provider-words.ts';
import { assertionOf, type ServiceAccount } from './service-account.ts';

const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
/** Tokens are replaced this long before they end. */
const MARGIN_MS = 60_000;

const Granted = z.object({ access_token: z.string().min(1), expires_in: z.number().positive() });
const Refused = z.object({ error: z.string().optional(), error_description: z.string().optional() });

export interface AccessTokensOptions {
  readonly account: ServiceAccount;
  /** Where tokens are given out. */
  readonly url: string;
  readonly http: ModelHttp;
  readonly clock: Clock;
}

interface Token {
  readonly text: string;
  readonly untilMs: number;
}

/** Access tokens of a service account. One is asked for at a time, and used until shortly before its end. */
export class AccessTokens {
  readonly #options: AccessTokensOptions;
  readonly #made: MadeOnce<Token>;
  #token: Token | null = null;

  constructor(options: AccessTokensOptions) {
    this.#options = options;
    this.#made = new MadeOnce(options.clock);
  }

  /** The one in use; empty: none. */
  get held(): string {
    return this.#token?.text ?? '';
  }

  /** Rejects with a ModelFault, and with the signal's reason once it aborts. */
  async current(signal: AbortSignal): Promise<string> {
    const { account, clock } = this.#options;
    if (this.#token && clock.monotonicMs() >= this.#token.untilMs) this.forget();
    this.#token = await this.#made.get(account.email, (deadline) => this.#ask(deadline), signal);
    return this.#token.text;
  }

  /** The next request gets another one. */
  forget(): void {
    this.#token = null;
    this.#made.forget(this.#options.account.email);
  }

  async #ask(signal: AbortSignal): Promise<Token> {
    const { account, url, http, clock } = this.#options;
    const form = new URLSearchParams({ grant_type: GRANT, assertion: assertionOf(account, clock.nowIso()) });
    const answer = await http.send({
      method: 'POST',
      url: new URL(url),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: form.toString(),
      signal,
    });
    return tokenOf(answer, await readJson(answer, signal), clock.monotonicMs());
  }
}

function tokenOf({ statusCode = 0 }: IncomingMessage, json: unknown, nowMs: number): Token {
  const granted = Granted.safeParse(json).data;
  if (statusCode === 200 && granted !== undefined)
    return { text: granted.access_token, untilMs: nowMs + granted.expires_in * 1_000 - MARGIN_MS };
  const { error = '', error_description: description = '' } = Refused.safeParse(json).data ?? {};
  const words = providerWords([error, description].filter((part) => part !== '').join(': '), []);
  throw new ModelFault(error === '' ? strangerKind(statusCode) : kindOf(statusCode), {
    words: words === '' ? `Google gave no access token (${statusCode})` : words,
    status: statusCode,
  });
}

/** A refusal is a 400 `invalid_grant` or a 401: the account is gone, its key is revoked, or the clock is wrong. */
function kindOf(status: number): ModelFaultKind {
  if (status === 429) return 'rate_limited';
  if (status >= 500) return 'overloaded';
  return status >= 400 ? 'key_rejected' : 'bad_endpoint';
}
