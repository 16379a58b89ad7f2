import * as z from 'zod';
import { GatewayError } from '../../../base/errors.ts';
import type { Clock } from '../../../base/time.ts';
import type {
  Connection,
  ConnectionTokens,
  ConnectsByOAuth,
  FreshTokens,
  OAuthClient,
  OAuthTokens,
  RemoteIdentity,
} from '../../contract/oauth.ts';
import { fixedToken, SlackApi, type SlackUrls } from '../client.ts';
import { Installed } from '../objects.ts';
import { standardAnswer } from './token-answer.ts';

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
  'users:read',
];
const REVOKE_DEADLINE_MS = 10_000;

/** An app that all accounts share. */
export interface SharedApp {
  readonly clientId: string;
  readonly clientSecret: string;
  /** With which Slack signs the app's events. */
  readonly signingSecret: string;
}

/** The logins of connected workspaces. */
export interface Workspaces {
  connected(connection: Connection, tokens: ConnectionTokens): void;
  disconnected(connectionId: string): void;
}

/**
 * Workspaces in which accounts install the shared app (https://docs.slack.dev/authentication/installing-with-oauth).
 * Each is a login of its own, with a bot's token.
 */
export class SlackOAuth implements ConnectsByOAuth {
  readonly client: OAuthClient | null;
  readonly paths = { start: 'install', callback: 'callback' };
  readonly #urls: SlackUrls;
  readonly #clock: Clock;
  readonly #workspaces: Workspaces;
  #tokens: ConnectionTokens | null = null;

  /** `app` null: the operator has none. */
  constructor(urls: SlackUrls, app: SharedApp | null, clock: Clock, workspaces: Workspaces) {
    this.#urls = urls;
    this.#clock = clock;
    this.#workspaces = workspaces;
    this.client = app && {
      authorizationEndpoint: new URL('/oauth/v2/authorize', urls.api).href,
      tokenEndpoint: `${urls.api}/oauth.v2.access`,
      clientId: app.clientId,
      clientSecret: app.clientSecret,
      authentication: 'basic',
      scope: SCOPES.join(','),
      // Apps that enable it at Slack become public clients, whose refresh tokens expire.
      pkce: false,
      parameters: {},
      standardAnswer,
    };
  }

  /**
   * The account of the platform is the workspace, or the organization: whoever in it installs the app again renews the
   * connection of the account that has it, and no other account gets it.
   */
  async identify({ answer }: FreshTokens): Promise<RemoteIdentity> {
    const { data } = Installed.safeParse(answer);
    if (data === undefined) throw new GatewayError('platform_failed');
    const place = data.is_enterprise_install ? data.enterprise : data.team;
    if (!place) throw new GatewayError('platform_failed');
    const person = { id: data.authed_user.id, login: 'connection' } as const;
    return { providerUserId: place.id, label: place.name ?? place.id, email: null, person };
  }

  /** Revoking a workspace's only token removes the app from it. */
  async revoke({ accessToken }: OAuthTokens, signal: AbortSignal): Promise<void> {
    const api = new SlackApi(this.#urls, fixedToken(accessToken), this.#clock);
    await api.call('auth.revoke', {}, { deadlineMs: REVOKE_DEADLINE_MS, signal }, z.unknown());
  }

  onConnections(tokens: ConnectionTokens): void {
    this.#tokens = tokens;
  }

  connected(connection: Connection): void {
    if (this.#tokens !== null) this.#workspaces.connected(connection, this.#tokens);
  }

  disconnected(connectionId: string): void {
    this.#workspaces.disconnected(connectionId);
  }
}
