import * as z from 'zod';
import type { Clock } from '../../base/time.ts';
import { readJson } from '../http/model-answer.ts';
import type { ModelHttp } from '../http/model-http.ts';
import { requestedWaitMs } from '../http/retry-after.ts';
import { MadeOnce } from '../made-once.ts';
import { ModelFault, type ModelFaultKind } from '../model-fault.ts';
import { providerWords } from '../provider-words.ts';

/** An application that is registered in Microsoft Entra ID. */
export interface EntraApplication {
  readonly tenantId: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

interface EntraTokenOptions {
  readonly http: ModelHttp;
  readonly clock: Clock;
  /** Without a trailing slash. */
  readonly loginUrl: string;
  readonly application: EntraApplication;
  readonly scope: string;
}

/** A token that is about to end is not used for a turn. */
const SPARE_MS = 5 * 60_000;

/** `expires_in` is in seconds. */
const Granted = z.object({ access_token: z.string().min(1), expires_in: z.coerce.number() });
const Denied = z.object({ error: z.string(), error_description: z.string().optional() });

interface Token {
  readonly text: string;
  readonly endsAtMs: number;
}

/**
 * The token by which an application calls Foundry, asked for when it is needed and kept until 5 minutes before its end.
 * https://learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow
 */
export class EntraToken {
  readonly #options: EntraTokenOptions;
  readonly #made: MadeOnce<Token>;
  /** Counts tokens, so that turns that find one at its end ask for one new token together. */
  #round = 0;

  constructor(options: EntraTokenOptions) {
    this.#options = options;
    this.#made = new MadeOnce(options.clock);
  }

  /** Rejects with a ModelFault, and with the signal's reason once it aborts. */
  async get(signal: AbortSignal): Promise<string> {
    const round = this.#round;
    const token = await this.#of(round, signal);
    if (this.#options.clock.monotonicMs() < token.endsAtMs - SPARE_MS) return token.text;
    if (this.#round === round) this.#round += 1;
    this.#made.forget(`${round}`);
    return (await this.#of(this.#round, signal)).text;
  }

  #of(round: number, signal: AbortSignal): Promise<Token> {
    return this.#made.get(`${round}`, (within) => this.#ask(within), signal);
  }

  async #ask(signal: AbortSignal): Promise<Token> {
    const { http, clock, loginUrl, application, scope } = this.#options;
    const { tenantId, clientId, clientSecret } = application;
    const form = {
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
      scope,
    };
    const answer = await http.send({
      method: 'POST',
      url: new URL(`${loginUrl}/${tenantId}/oauth2/v2.0/token`),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(form).toString(),
      signal,
    });
    const { statusCode: status = 0, headers } = answer;
    const body = await readJson(answer, signal);
    const granted = Granted.safeParse(body).data;
    if (status === 200 && granted) {
      const endsAtMs = clock.monotonicMs() + granted.expires_in * 1_000;
      return { text: granted.access_token, endsAtMs };
    }
    const denied = Denied.safeParse(body).data;
    throw new ModelFault(kindOf(denied?.error, status), {
      words: providerWords(denied?.error_description ?? `Microsoft Entra ID answered HTTP status ${status}`, [
        clientSecret,
      ]),
      status,
      retryAfterMs: requestedWaitMs(headers, clock.nowIso()),
    });
  }
}

const WRONG_APPLICATION: ReadonlySet<string> = new Set([
  'invalid_client',
  'unauthorized_client',
  'invalid_grant',
]);

function kindOf(error: string | undefined, status: number): ModelFaultKind {
  if (WRONG_APPLICATION.has(error ?? '')) return 'key_rejected';
  if (status === 429) return 'rate_limited';
  if (status >= 500) return 'overloaded';
  return error === undefined ? 'bad_endpoint' : 'bad_request';
}
