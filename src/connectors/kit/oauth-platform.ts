import * as z from 'zod';
import { GatewayError } from '../../base/errors.ts';
import { field } from '../../base/platform-json.ts';
import { getWithToken, revokeToken } from '../contract/client-request.ts';
import type { ConnectsByOAuth, OAuthClient } from '../contract/oauth.ts';

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
