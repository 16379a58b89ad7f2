import { compactVerify } from 'jose';
import * as z from 'zod';
import { platformJson } from '../../../base/platform-json.ts';
import type { Clock } from '../../../base/time.ts';
import { ALGORITHM, type SigningKeys } from './signing-keys.ts';

const BEARER = /^Bearer ([\w-]{10,2000}\.[\w-]{10,6000}\.[\w-]{300,1400})$/;
/** Clocks may differ by this much (https://learn.microsoft.com/azure/bot-service/rest-api/bot-framework-rest-connector-authentication). */
const CLOCK_SKEW_S = 300;

const Header = z.object({ alg: z.literal(ALGORITHM), kid: z.string().min(1).max(200) });
const Claims = z.object({
  iss: z.string(),
  aud: z.string(),
  exp: z.number(),
  nbf: z.number(),
  serviceurl: z.string().min(1).max(1_000),
});

/** A token that may be from the Bot Connector: its signature has not been verified. */
export interface UnverifiedToken {
  readonly token: string;
  readonly kid: string;
  readonly serviceUrl: string;
}

/** What the token of an activity must say. */
export interface ActivityClaims {
  readonly serviceUrl: string;
  readonly channelId: string;
}

export interface ActivityTokensOptions {
  readonly issuer: string;
  /** The bot's application id. */
  readonly appId: string;
}

/**
 * Verifies the tokens of activities
 * (https://learn.microsoft.com/azure/bot-service/rest-api/bot-framework-rest-connector-authentication#step-4-verify-the-jwt-token).
 */
export class ActivityTokens {
  readonly #options: ActivityTokensOptions;
  readonly #keys: SigningKeys;
  readonly #clock: Clock;

  constructor(options: ActivityTokensOptions, keys: SigningKeys, clock: Clock) {
    this.#options = options;
    this.#keys = keys;
    this.#clock = clock;
  }

  /** Returns the token of a header, as far as it can be judged without waiting; null: it is not valid. */
  read(header: string): UnverifiedToken | null {
    const bearer = readBearer(header, this.#options, Date.parse(this.#clock.nowIso()));
    return bearer === null || this.#keys.isUnknown(bearer.kid) ? null : bearer;
  }

  /**
   * Returns what a token lets an activity claim; null: it is not valid. Rejects when the keys cannot be read now.
   */
  async verify({
    token,
    kid,
    serviceUrl: signedUrl,
  }: UnverifiedToken): Promise<((claims: ActivityClaims) => boolean) | null> {
    const known = await this.#keys.find(kid);
    if (known === null) return null;
    try {
      await compactVerify(token, known.key, { algorithms: [ALGORITHM] });
    } catch {
      return null;
    }
    return ({ serviceUrl, channelId }) =>
      withoutSlash(serviceUrl) === withoutSlash(signedUrl) && known.endorsements.includes(channelId);
  }
}

/** Returns the token of an Authorization header; null when nobody's signature could make it valid. */
function readBearer(
  header: string,
  { issuer, appId }: ActivityTokensOptions,
  nowMs: number,
): UnverifiedToken | null {
  const [, token] = BEARER.exec(header) ?? [];
  if (token === undefined) return null;
  const [head = '', payload = ''] = token.split('.');
  const { data: parsed } = Header.safeParse(decoded(head));
  const { data: claims } = Claims.safeParse(decoded(payload));
  if (!parsed || !claims || claims.iss !== issuer || claims.aud !== appId) return null;
  const nowS = nowMs / 1_000;
  const isCurrent = claims.exp > nowS - CLOCK_SKEW_S && claims.nbf < nowS + CLOCK_SKEW_S;
  return isCurrent ? { token, kid: parsed.kid, serviceUrl: claims.serviceurl } : null;
}

function decoded(part: string): unknown {
  return platformJson(Buffer.from(part, 'base64url'));
}

function withoutSlash(url: string): string {
  return url.endsWith('/') ? url.slice(0, -1) : url;
}
