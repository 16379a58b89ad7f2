import { createHash, randomBytes } from 'node:crypto';
import type { FakeBot } from '../fake-bot.ts';
import type { FakeUser } from '../world/user.ts';

const CODE_LIFE_MS = 60_000;
const TOKEN_LIFE_S = 604_800;

/** What somebody has agreed to, with the code that proves it once. */
export interface Consent {
  readonly bot: FakeBot;
  readonly user: FakeUser;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  /** S256 of the verifier; null: without PKCE. */
  readonly challenge: string | null;
}

/** An authorization with its current tokens. */
export interface Grant {
  readonly bot: FakeBot;
  readonly user: FakeUser;
  readonly scopes: readonly string[];
  accessToken: string;
  refreshToken: string;
  expiresAtMs: number;
}

/** Codes and tokens of people who let applications act for them. */
export class Grants {
  readonly #nowMs: () => number;
  readonly #codes = new Map<string, { readonly consent: Consent; readonly untilMs: number }>();
  readonly #grants = new Set<Grant>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Authorizations that are not revoked. */
  get count(): number {
    return this.#grants.size;
  }

  /** A code that is good once, for a minute. */
  newCode(consent: Consent): string {
    const code = randomBytes(15).toString('base64url');
    this.#codes.set(code, { consent, untilMs: this.#nowMs() + CODE_LIFE_MS });
    return code;
  }

  /** Null: the code is used, over, made for another redirect, or its verifier is wrong. */
  redeem(bot: FakeBot, code: string, redirectUri: string, verifier: string | null): Grant | null {
    const known = this.#codes.get(code);
    this.#codes.delete(code);
    if (!known || known.untilMs <= this.#nowMs()) return null;
    const { consent } = known;
    if (consent.bot !== bot || consent.redirectUri !== redirectUri) return null;
    const challenge = verifier === null ? null : createHash('sha256').update(verifier).digest('base64url');
    if (challenge !== consent.challenge) return null;
    const grant = { bot, user: consent.user, scopes: consent.scopes, ...this.#newTokens() };
    this.#grants.add(grant);
    return grant;
  }

  /** New tokens in place of the old ones; null: the token is unknown. */
  refresh(bot: FakeBot, refreshToken: string): Grant | null {
    const grant = [...this.#grants].find((each) => each.bot === bot && each.refreshToken === refreshToken);
    return grant ? Object.assign(grant, this.#newTokens()) : null;
  }

  /** Ends the authorization behind any of its tokens. */
  revoke(bot: FakeBot, token: string): void {
    for (const grant of this.#grants)
      if (grant.bot === bot && [grant.accessToken, grant.refreshToken].includes(token))
        this.#grants.delete(grant);
  }

  /** Somebody removes an application from their authorized ones. */
  revokeAll(user: FakeUser): void {
    for (const grant of this.#grants) if (grant.user === user) this.#grants.delete(grant);
  }

  holderOf(accessToken: string): Grant | null {
    const grant = [...this.#grants].find((each) => each.accessToken === accessToken);
    return grant && grant.expiresAtMs > this.#nowMs() ? grant : null;
  }

  #newTokens() {
    return {
      accessToken: randomBytes(22).toString('base64url'),
      refreshToken: randomBytes(22).toString('base64url'),
      expiresAtMs: this.#nowMs() + TOKEN_LIFE_S * 1_000,
    };
  }
}

/** The answer of the token endpoint. */
export function wireGrant({ accessToken, refreshToken, scopes }: Grant): object {
  return {
    token_type: 'Bearer',
    access_token: accessToken,
    expires_in: TOKEN_LIFE_S,
    refresh_token: refreshToken,
    scope: scopes.join(' '),
  };
}
