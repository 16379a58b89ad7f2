import type { ConnectsByOAuth, OAuthClient } from '../../contract/oauth.ts';
import { type Registration, revokesAt, whoAmI } from '../../kit/oauth-platform.ts';
import { personName, User } from '../objects.ts';

/**
 * People who link themselves to the shared bot by signing in at Discord
 * (https://docs.discord.com/developers/topics/oauth2). The grant only tells who they are: nothing is asked for in their
 * names once they are linked. `apiUrl`: without the version. `application` null: the operator has no shared bot, or has
 * not given its client secret.
 */
export function discordOAuth(apiUrl: string, application: Registration | null): ConnectsByOAuth {
  const client: OAuthClient | null = application && {
    ...application,
    authorizationEndpoint: new URL('/oauth2/authorize', apiUrl).href,
    tokenEndpoint: `${apiUrl}/oauth2/token`,
    authentication: 'basic',
    scope: 'identify',
    pkce: true,
  };
  const me = { title: 'Discord', url: `${apiUrl}/v10/users/@me`, refusals: [401] };
  return {
    client,
    identify: async ({ accessToken }, signal) => {
      const user = await whoAmI(me, User, accessToken, signal);
      const person = { id: user.id, login: 'shared' } as const;
      return { providerUserId: user.id, label: personName(user), email: null, person };
    },
    ...(client && { revoke: revokesAt(client, `${apiUrl}/oauth2/token/revoke`) }),
  };
}
