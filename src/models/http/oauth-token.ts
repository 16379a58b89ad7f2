import { z } from 'zod';
import { type FaultTable, kindOfError, strangerKind } from '../fault-table.ts';
import { MadeOnce } from '../made-once.ts';
import { ModelFault } from '../model-fault.ts';
import type { ModelDeps } from '../model-provider.ts';
import { providerWords } from '../provider-words.ts';
import type { Credentials } from './json-api.ts';
import { VENDOR } from './patience.ts';
import { requestedWaitMs } from './retry-after.ts';

export interface OAuthTokenOptions extends Pick<ModelDeps, 'http' | 'clock'> {
  /** Where tokens are given out, and by whom. */
  readonly url: string;
  readonly issuer: string;
  /** The fields of a request for a token, which is made now. */
  readonly form: () => Record<string, string>;
  /** Those of the form, which must not be in the words of a fault. */
  readonly secrets: readonly string[];
  /** Tokens are replaced this long before they end. */
  readonly marginMs: number;
}

interface Token {
  readonly text: string;
  readonly untilMs: number;
}

/** `expires_in` is in seconds. */
const Granted = z.object({ access_token: z.string().min(1), expires_in: z.coerce.number().positive() });
const Refused = z.object({ error: z.string(), error_description: z.string().optional() });

/** The account or the application is gone, its key is revoked, or the clock is wrong (RFC 6749, 5.2). */
const FAULTS: FaultTable = {
  codes: {
    invalid_client: 'key_rejected',
    unauthorized_client: 'key_rejected',
    invalid_grant: 'key_rejected',
  },
  words: [],
};

const KEY = 'token';

/** An access token by OAuth. It is asked for when it is needed, by one request at a time, and kept until shortly before its end. */
export class OAuthToken implements Credentials {
  readonly #options: OAuthTokenOptions;
  readonly #made: MadeOnce<Token>;
  #token: Token | null = null;

  constructor(options: OAuthTokenOptions) {
    this.#options = options;
    this.#made = new MadeOnce(options.clock);
  }

  get secrets(): readonly string[] {
    return [this.#token?.text ?? ''];
  }

  async headers(_: unknown, signal: AbortSignal): Promise<Record<string, string>> {
    if (this.#token && this.#options.clock.monotonicMs() >= this.#token.untilMs) this.rejected();
    this.#token = await this.#made.get(KEY, (deadline) => this.#ask(deadline), signal);
    return { authorization: `Bearer ${this.#token.text}` };
  }

  /** The next request gets another one. */
  rejected(): void {
    this.#token = null;
    this.#made.forget(KEY);
  }

  async #ask(signal: AbortSignal): Promise<Token> {
    const { http, clock, url, issuer, form, secrets, marginMs } = this.#options;
    const answer = await http.send({
      method: 'POST',
      url: new URL(url),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(form()).toString(),
      patience: VENDOR,
      signal,
    });
    const { status, headers } = answer;
    const body = await answer.json();
    const granted = Granted.safeParse(body).data;
    if (status === 200 && granted) {
      const untilMs = clock.monotonicMs() + granted.expires_in * 1_000 - marginMs;
      return { text: granted.access_token, untilMs };
    }
    const { error = '', error_description: description = '' } = Refused.safeParse(body).data ?? {};
    const said = [error, description].filter((part) => part !== '').join(': ');
    const kind = error && kindOfError(FAULTS, { codes: [error], message: said, status });
    throw new ModelFault(kind || strangerKind(status), {
      words: providerWords(said, secrets) || `${issuer} gave no access token (${status})`,
      status,
      retryAfterMs: requestedWaitMs(headers, clock.nowIso()),
    });
  }
}
