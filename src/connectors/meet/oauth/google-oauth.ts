import * as z from 'zod';
import { GatewayError } from '../../../base/errors.ts';
import { field } from '../../../base/platform-json.ts';
import type { ConnectsByOAuth } from '../../contract/oauth.ts';
import { idTokenClaims, type Registration, revokesAt } from '../../kit/oauth-platform.ts';

/** Finding a meeting by its code, and who is in it (https://developers.google.com/workspace/meet/api/guides/overview). */
const READ_SCOPE = 'https://www.googleapis.com/auth/meetings.space.readonly';
/** Making meetings. Who unticks it joins those of others only. */
const CREATE_SCOPE = 'https://www.googleapis.com/auth/meetings.space.created';

/** https://developers.google.com/identity/openid-connect/openid-connect#an-id-tokens-payload */
const Claims = z.object({
  aud: z.string(),
  iss: z.enum(['https://accounts.google.com', 'accounts.google.com']),
  sub: z.string().min(1),
  name: field(z.string()),
  email: field(z.email()),
});

/** Google's hosts, without trailing slashes. */
export interface GoogleUrls {
  /** Where people sign in. */
  readonly accounts: string;
  readonly tokens: string;
}

/**
 * Google accounts (https://developers.google.com/identity/protocols/oauth2/web-server). `project` null: the operator has
 * not set it up.
 */
export function googleOAuth({ accounts, tokens }: GoogleUrls, project: Registration | null): ConnectsByOAuth {
  return {
    client: project && {
      ...project,
      authorizationEndpoint: `${accounts}/o/oauth2/v2/auth`,
      tokenEndpoint: `${tokens}/token`,
      authentication: 'form',
      scope: ['openid', 'profile', 'email', READ_SCOPE, CREATE_SCOPE].join(' '),
      pkce: true,
      // Google issues a refresh token only with these, and the second time only with consent.
      parameters: { access_type: 'offline', prompt: 'consent' },
    },
    identify: async (fresh) => {
      // People may untick single permissions.
      if (!`${fresh.answer.scope ?? ''}`.split(' ').includes(READ_SCOPE))
        throw new GatewayError('connect_refused', `this permission was not granted: ${READ_SCOPE}`);
      const { sub, name, email } = idTokenClaims(fresh, project?.clientId ?? '', Claims);
      return { providerUserId: sub, label: name ?? email ?? sub, email: email ?? null, person: null };
    },
    revoke: revokesAt(null, `${tokens}/revoke`),
  };
}
