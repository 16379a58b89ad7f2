import * as z from 'zod';
import { postAsClient } from '../../../base/client-request.ts';
import { GatewayError } from '../../../base/errors.ts';
import { field } from '../../../base/platform-json.ts';
import type { ConnectsByOAuth, OAuthClient } from '../../contract/oauth.ts';
import { type Registration, revokesAt, whoAmI } from '../../kit/oauth-platform.ts';

/** https://developers.zoom.us/docs/api/users/#tag/users/get/users/{userId} */
const User = z.object({
  id: z.string().min(1),
  display_name: field(z.string()),
  email: field(z.email()),
});

const Tokens = z.object({ access_token: z.string() });

/** An error of the token endpoint, whose words are not where RFC 6749 has them. */
const TokenError = z.looseObject({ error: z.string(), reason: z.string() });

/** Zoom's hosts, without trailing slashes. */
export interface ZoomUrls {
  /** Where people sign in, and tokens are issued. */
  readonly login: string;
  /** With the version. */
  readonly api: string;
}

/** Zoom users (https://developers.zoom.us/docs/integrations/oauth/). `app` null: the operator has not set it up. */
export function zoomOAuth({ login, api }: ZoomUrls, app: Registration | null): ConnectsByOAuth {
  const client: OAuthClient | null = app && {
    ...app,
    authorizationEndpoint: `${login}/oauth/authorize`,
    tokenEndpoint: `${login}/oauth/token`,
    authentication: 'basic',
    // The app's page in the marketplace lists the scopes.
    scope: '',
    pkce: true,
    standardAnswer,
  };
  // 400: the app lacks the scope; 404: the user is not active.
  const me = { title: 'Zoom', url: `${api}/users/me`, refusals: [400, 401, 404] };
  return {
    client,
    identify: async ({ accessToken }, signal) => {
      const { id, display_name: name, email = null } = await whoAmI(me, User, accessToken, signal);
      return { providerUserId: id, label: name ?? email ?? id, email, person: null };
    },
    ...(client && { revoke: revoking(client, `${login}/oauth/revoke`) }),
  };
}

/** Zoom revokes a grant by an access token that has not expired. If this one has, it takes a new one. */
function revoking(client: OAuthClient, endpoint: string): NonNullable<ConnectsByOAuth['revoke']> {
  const revoke = revokesAt(client, endpoint);
  return async ({ accessToken, refreshToken }, signal) => {
    try {
      await revoke({ accessToken, refreshToken: null }, signal);
    } catch (error) {
      if (refreshToken === null) throw error;
      const fresh = await freshToken(client, refreshToken, signal);
      await revoke({ accessToken: fresh, refreshToken: null }, signal);
    }
  };
}

async function freshToken(client: OAuthClient, refreshToken: string, signal: AbortSignal): Promise<string> {
  const grant = { grant_type: 'refresh_token', refresh_token: refreshToken };
  const { status, json } = await postAsClient(client, client.tokenEndpoint, grant, signal);
  const tokens = Tokens.safeParse(json).data;
  if (tokens === undefined) throw new GatewayError('platform_failed', `Zoom answered ${status}`);
  return tokens.access_token;
}

function standardAnswer(answer: unknown): unknown {
  const error = TokenError.safeParse(answer).data;
  return error === undefined ? answer : { ...error, error_description: error.reason };
}
