import * as z from 'zod';
import { getWithToken, revokeToken } from '../../base/client-request.ts';
import { GatewayError } from '../../base/errors.ts';
import { field, platformJson } from '../../base/platform-json.ts';
import type { ConnectsByOAuth, FreshTokens, OAuthClient } from '../contract/oauth.ts';

/** An ID token longer than this is not read. */
const MAX_ID_TOKEN_LENGTH = 32_768;
const Refusal = z.object({ message: field(z.string()) });

/** The gateway's registration at a platform. */
export type Registration = Pick<OAuthClient, 'clientId' | 'clientSecret'>;

/** Where a platform tells whose an access token is. */
export interface WhoAmI {
  /** The platform's name, for errors without words of its own. */
  readonly title: string;
  readonly url: string;
  /** Statuses that concern the account. */
  readonly refusals: readonly number[];
}

/** Asks whose fresh access token it is. Rejects as `ConnectsByOAuth.identify` does. */
export async function whoAmI<Schema extends z.ZodType>(
  { title, url, refusals }: WhoAmI,
  schema: Schema,
  accessToken: string,
  signal: AbortSignal,
): Promise<z.output<Schema>> {
  const { isOk, status, json } = await getWithToken(url, accessToken, signal);
  if (!isOk) {
    const words = Refusal.safeParse(json).data?.message ?? `${title} answered ${status}`;
    throw new GatewayError(refusals.includes(status) ? 'connect_refused' : 'platform_failed', words);
  }
  const { data } = schema.safeParse(json);
  if (data === undefined) throw new GatewayError('platform_failed');
  return data;
}

/** Revokes the refresh token, which ends the access tokens that came from it. `client` null: as nobody. */
export function revokesAt(
  client: OAuthClient | null,
  endpoint: string,
): NonNullable<ConnectsByOAuth['revoke']> {
  return async ({ refreshToken, accessToken }, signal) =>
    await revokeToken(client, endpoint, refreshToken ?? accessToken, signal);
}

/**
 * Returns the claims of the ID token that came with fresh tokens. Its signature is not checked, because the token came
 * from the token endpoint itself (OpenID Connect Core, 3.1.3.7). Throws GatewayError `platform_failed`: there is no ID
 * token, or not with these claims, or it is for another client.
 */
export function idTokenClaims<Schema extends z.ZodType<{ aud: string }>>(
  { answer }: Pick<FreshTokens, 'answer'>,
  clientId: string,
  schema: Schema,
): z.output<Schema> {
  const { id_token: token } = answer;
  if (typeof token !== 'string' || token.length > MAX_ID_TOKEN_LENGTH)
    throw new GatewayError('platform_failed', 'The platform sent no ID token');
  const claims = schema.safeParse(platformJson(Buffer.from(token.split('.')[1] ?? '', 'base64url')));
  if (!claims.success) throw new GatewayError('platform_failed', "The platform's ID token cannot be read");
  if (claims.data.aud !== clientId)
    throw new GatewayError('platform_failed', "The platform's ID token is for another application");
  return claims.data;
}
