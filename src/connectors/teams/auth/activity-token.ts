import { jwtVerify } from 'jose';
import type { Clock } from '../../../base/time.ts';
import { ALGORITHM, CLOCK_SKEW_S, readBearer, type UnverifiedToken } from './bearer.ts';
import type { SigningKeys } from './signing-keys.ts';

/** What the token of an activity must say. */
export interface ActivityClaims {
  readonly serviceUrl: string;
  readonly channelId: string;
}

export interface ActivityTokensOptions {
  readonly issuer: string;
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
    const { issuer, appId: audience } = this.#options;
    const bearer = readBearer(header, { issuer, audience, nowMs: this.#nowMs });
    return bearer === null || this.#keys.isUnknown(bearer.kid) ? null : bearer;
  }

  /**
   * Returns what a token lets an activity claim; null: it is not valid. Rejects when the keys cannot be read now.
   */
  async verify({ token, kid }: UnverifiedToken): Promise<((claims: ActivityClaims) => boolean) | null> {
    const known = await this.#keys.find(kid);
    if (known === null) return null;
    const { issuer, appId: audience } = this.#options;
    try {
      const { payload } = await jwtVerify(token, known.key, {
        algorithms: [ALGORITHM],
        issuer,
        audience,
        clockTolerance: CLOCK_SKEW_S,
        currentDate: new Date(this.#nowMs),
        requiredClaims: ['exp', 'nbf', 'serviceurl'],
      });
      const signedUrl = withoutSlash(`${payload.serviceurl}`);
      return ({ serviceUrl, channelId }) =>
        withoutSlash(serviceUrl) === signedUrl && known.endorsements.includes(channelId);
    } catch {
      return null;
    }
  }

  get #nowMs(): number {
    return Date.parse(this.#clock.nowIso());
  }
}

function withoutSlash(url: string): string {
  return url.endsWith('/') ? url.slice(0, -1) : url;
}
