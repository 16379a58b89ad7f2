import * as z from 'zod';
import { postAsClient } from '../../base/client-request.ts';
import { networkCode } from '../../base/network-error.ts';
import type { Platform } from '../../base/platform.ts';
import { type Clock, settledWithin, TimeLimit } from '../../base/time.ts';
import type { FreshTokens, OAuthClient, OAuthTokens } from '../../connectors/contract/oauth.ts';
import type { ConnectionDeps } from './connection-deps.ts';
import { platformWords } from './platform-words.ts';

/** Deadline of a request to a platform, including its answer. */
export const REQUEST_DEADLINE_MS = 10_000;
/** Longer lifetimes count as this long, so that the expiry is a date. */
const MAX_LIFETIME_S = 10 * 365 * 86_400;

/** Tokens are sent in headers. */
const Token = z.string().regex(/^[\x21-\x7e]+$/);

const Granted = z.looseObject({
  access_token: Token,
  refresh_token: Token.nullish().transform((token) => token ?? null),
  expires_in: z.coerce
    .number()
    .nonnegative()
    .transform((seconds) => Math.min(seconds, MAX_LIFETIME_S))
    .nullable()
    .catch(null),
  scope: z.string().nullable().catch(null),
});

const Refused = z.object({ error: z.string().min(1), error_description: z.string().nullish().catch(null) });

/** Refusals that say nothing about the grant (RFC 6749, section 4.1.2.1; RFC 8628, section 3.5). */
const TEMPORARY: ReadonlySet<string> = new Set(['temporarily_unavailable', 'server_error', 'slow_down']);

/**
 * Errors after which only the person can help: the refresh token was used, has expired or was revoked (RFC 6749, section
 * 5.2), or the platform wants to see them again (OpenID Connect Core, 3.1.2.6).
 */
const GRANT_OVER: ReadonlySet<string> = new Set([
  'invalid_grant',
  'interaction_required',
  'login_required',
  'consent_required',
]);

/** Returns whether a refresh that was refused with this error will be refused again. */
export function isGrantOver(error: string): boolean {
  return GRANT_OVER.has(error);
}

/** What a token endpoint said. */
export type TokenAnswer =
  | {
      readonly kind: 'granted';
      readonly tokens: FreshTokens;
      /** Null: the platform did not say. */
      readonly expiresInS: number | null;
      readonly scope: string | null;
    }
  /** `reason`: the platform's words. */
  | { readonly kind: 'refused'; readonly error: string; readonly reason: string }
  /** It could not be asked, or its answer cannot be read. Asking again may help. */
  | { readonly kind: 'failed'; readonly reason: string };

/** Asks a platform for tokens. Takes at most REQUEST_DEADLINE_MS. Never rejects, and never quotes a secret. */
export async function askForTokens(
  client: OAuthClient,
  clock: Clock,
  grant: Readonly<Record<string, string>>,
): Promise<TokenAnswer> {
  const limit = new TimeLimit(clock, REQUEST_DEADLINE_MS);
  try {
    const { status, json } = await postAsClient(client, client.tokenEndpoint, grant, limit.signal);
    return read(client, status, json, [client.clientSecret, ...secretsIn(grant)]);
  } catch (error) {
    if (limit.signal.aborted) return { kind: 'failed', reason: 'The platform did not answer in time' };
    // No text of the error, which may contain the request.
    return {
      kind: 'failed',
      reason: `The platform could not be asked (${networkCode(error) || (error as Error).name})`,
    };
  } finally {
    limit.close();
  }
}

function read(
  { standardAnswer }: OAuthClient,
  status: number,
  raw: unknown,
  secrets: readonly string[],
): TokenAnswer {
  const standard = standardAnswer?.(raw) ?? raw;
  const refused = Refused.safeParse(standard);
  if (refused.success && status < 500 && status !== 429 && !TEMPORARY.has(refused.data.error)) {
    const { error, error_description: description } = refused.data;
    return { kind: 'refused', error, reason: platformWords([error, description], secrets) };
  }
  const granted = Granted.safeParse(standard);
  if (status !== 200 || !granted.success)
    return { kind: 'failed', reason: `The platform's answer cannot be used (HTTP status ${status})` };
  const { access_token: accessToken, refresh_token: refreshToken, expires_in, scope } = granted.data;
  const answer = (typeof raw === 'object' && raw !== null ? raw : {}) as FreshTokens['answer'];
  return { kind: 'granted', tokens: { accessToken, refreshToken, answer }, expiresInS: expires_in, scope };
}

function secretsIn({ code, refresh_token, code_verifier }: Readonly<Record<string, string>>): string[] {
  return [code, refresh_token, code_verifier].filter((secret) => secret !== undefined);
}

const REVOKE_DEADLINE_MS = 5_000;

type RevokeDeps = Pick<ConnectionDeps, 'connectors' | 'clock' | 'onFailure'>;

/** Asks a platform to withdraw the gateway's access. Best effort, within 5 s; never rejects. */
export async function revokeTokens(deps: RevokeDeps, platform: Platform, tokens: OAuthTokens): Promise<void> {
  const oauth = deps.connectors.get(platform)?.provides.oauth;
  if (oauth?.revoke === undefined || oauth.client === null) return;
  const limit = new TimeLimit(deps.clock, REVOKE_DEADLINE_MS);
  const secrets = [tokens.accessToken, tokens.refreshToken ?? '', oauth.client.clientSecret];
  const asked = oauth
    .revoke(tokens, limit.signal)
    .catch((error: unknown) =>
      deps.onFailure(platform, 'access could not be revoked', platformWords([`${error}`], secrets)),
    );
  await settledWithin(deps.clock, REVOKE_DEADLINE_MS, [asked]);
  limit.close();
}
