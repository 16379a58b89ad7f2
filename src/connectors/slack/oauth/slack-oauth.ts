import * as z from 'zod';
import { GatewayError } from '../../../base/errors.ts';
import type { Clock } from '../../../base/time.ts';
import type { ConnectsByOAuth, FreshTokens, RemoteIdentity } from '../../contract/oauth.ts';
import type { Registration } from '../../kit/oauth-platform.ts';
import { fixedToken, isPassing, SlackApi, type SlackUrls } from '../client.ts';
import { Installed } from '../objects.ts';

/** What the app's bot may do: what the gateway uses. */
const SCOPES = [
  'app_mentions:read',
  'channels:history',
  'channels:read',
  'chat:write',
  'files:read',
  'files:write',
  'groups:history',
  'groups:read',
  'im:history',
  'im:write',
  'reactions:read',
  'reactions:write',
  'users:read',
];
const REVOKE_DEADLINE_MS = 10_000;

/** An app that all accounts share. */
export interface SharedApp extends Registration {
  /** With which Slack signs the app's events. */
  readonly signingSecret: string;
}

/** Answers of `oauth.v2.access` that grant nothing. */
const Refused = z.object({ ok: z.literal(false), error: z.string().catch('no reason given') });
/** Slack's words for a refresh token that is over. */
const GRANT_OVER: ReadonlySet<string> = new Set([
  'invalid_refresh_token',
  'token_expired',
  'token_revoked',
  'account_inactive',
  'invalid_auth',
]);

/**
 * Workspaces in which accounts install the shared app (https://docs.slack.dev/authentication/installing-with-oauth).
 * Each is a login of its own, with a bot's token. `app` null: the operator has none.
 */
export function slackOAuth(urls: SlackUrls, app: SharedApp | null, clock: Clock): ConnectsByOAuth {
  return {
    client: app && {
      authorizationEndpoint: new URL('/oauth/v2/authorize', urls.api).href,
      tokenEndpoint: `${urls.api}/oauth.v2.access`,
      clientId: app.clientId,
      clientSecret: app.clientSecret,
      authentication: 'basic',
      scope: SCOPES.join(','),
      // Apps that enable it at Slack become public clients, whose refresh tokens expire.
      pkce: false,
      standardAnswer,
    },
    paths: { start: 'install', callback: 'callback' },
    identify,
    // Revoking a workspace's only token removes the app from it.
    revoke: async ({ accessToken }, signal) => {
      const api = new SlackApi(urls, fixedToken(accessToken), clock);
      await api.call('auth.revoke', {}, { deadlineMs: REVOKE_DEADLINE_MS, signal }, z.unknown());
    },
  };
}

/**
 * The account of the platform is the workspace, or the organization: whoever in it installs the app again renews the
 * connection of the account that has it, and no other account gets it.
 */
async function identify({ answer }: FreshTokens): Promise<RemoteIdentity> {
  const { data } = Installed.safeParse(answer);
  const place = data?.is_enterprise_install ? data.enterprise : data?.team;
  if (!data || !place) throw new GatewayError('platform_failed');
  const person = { id: data.authed_user.id, login: 'connection' } as const;
  return { providerUserId: place.id, label: place.name ?? place.id, email: null, person };
}

/** Puts an answer of `oauth.v2.access` in the form of RFC 6749. What is granted has it already. */
function standardAnswer(answer: unknown): unknown {
  const { data } = Refused.safeParse(answer);
  if (data === undefined) return answer;
  const { error } = data;
  if (isPassing(error)) return { error: 'temporarily_unavailable', error_description: error };
  return GRANT_OVER.has(error) ? { error: 'invalid_grant', error_description: error } : { error };
}
