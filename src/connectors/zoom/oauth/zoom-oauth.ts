import * as z from 'zod';
import { readAnswer } from '../../../base/answer-body.ts';
import { GatewayError } from '../../../base/errors.ts';
import { field, platformJson } from '../../../base/platform-json.ts';
import { getWithToken, postAsClient, revokeToken } from '../../contract/client-request.ts';
import type {
  ConnectsByOAuth,
  FreshTokens,
  OAuthClient,
  OAuthTokens,
  RemoteIdentity,
} from '../../contract/oauth.ts';

const MAX_ANSWER_BYTES = 65_536;

const Refusal = z.object({ message: field(z.string()) });

/** https://developers.zoom.us/docs/api/users/#tag/users/get/users/{userId} */
const User = z.object({
  id: z.string().min(1),
  display_name: field(z.string()),
  email: field(z.email()),
});

const Tokens = z.object({ access_token: z.string() });

/** An error of the token endpoint, whose words are not where RFC 6749 has them. */
const TokenError = z.looseObject({ error: z.string(), reason: z.string() });

/** The gateway's app in Zoom's marketplace, as a client. */
export interface ZoomApp {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Zoom's hosts, without trailing slashes. */
export interface ZoomUrls {
  /** Where people sign in, and tokens are issued. */
  readonly login: string;
  /** With the version. */
  readonly api: string;
}

/** What the gateway tells of connections. */
type TakesConnections = Pick<ConnectsByOAuth, 'onConnections' | 'connected' | 'disconnected'>;

/** Zoom users (https://developers.zoom.us/docs/integrations/oauth/). */
export class ZoomOAuth implements ConnectsByOAuth {
  readonly client: OAuthClient | null;
  readonly onConnections: ConnectsByOAuth['onConnections'];
  readonly connected: ConnectsByOAuth['connected'];
  readonly disconnected: ConnectsByOAuth['disconnected'];
  readonly #urls: ZoomUrls;

  /** `app` null: the operator has not set it up. `connections`: takes the source of access tokens, and the connections. */
  constructor(urls: ZoomUrls, app: ZoomApp | null, connections: TakesConnections) {
    this.onConnections = connections.onConnections;
    this.connected = connections.connected;
    this.disconnected = connections.disconnected;
    this.#urls = urls;
    this.client = app && {
      authorizationEndpoint: `${urls.login}/oauth/authorize`,
      tokenEndpoint: `${urls.login}/oauth/token`,
      ...app,
      authentication: 'basic',
      // The app's page in the marketplace lists the scopes.
      scope: '',
      pkce: true,
      parameters: {},
      standardAnswer,
    };
  }

  async identify({ accessToken }: FreshTokens, signal: AbortSignal): Promise<RemoteIdentity> {
    const answer = await getWithToken(`${this.#urls.api}/users/me`, accessToken, signal);
    const body = platformJson(await readAnswer(answer, MAX_ANSWER_BYTES));
    if (!answer.ok) {
      const words = Refusal.safeParse(body).data?.message ?? `Zoom answered ${answer.status}`;
      // 400: the app lacks the scope; 404: the user is not active.
      const isRefused = [400, 401, 404].includes(answer.status);
      throw new GatewayError(isRefused ? 'connect_refused' : 'platform_failed', words);
    }
    const user = User.safeParse(body).data;
    if (user === undefined) throw new GatewayError('platform_failed');
    const { id, display_name: name, email = null } = user;
    return { providerUserId: id, label: name ?? email ?? id, email, person: null };
  }

  /** Zoom revokes a grant by an access token that has not expired. If this one has, it takes a new one. */
  async revoke({ accessToken, refreshToken }: OAuthTokens, signal: AbortSignal): Promise<void> {
    const { client } = this;
    if (client === null) return;
    const revoke = (token: string) => revokeToken(client, `${this.#urls.login}/oauth/revoke`, token, signal);
    try {
      await revoke(accessToken);
    } catch (error) {
      if (refreshToken === null) throw error;
      await revoke(await freshToken(client, refreshToken, signal));
    }
  }
}

async function freshToken(client: OAuthClient, refreshToken: string, signal: AbortSignal): Promise<string> {
  const grant = { grant_type: 'refresh_token', refresh_token: refreshToken };
  const answer = await postAsClient(client, client.tokenEndpoint, grant, signal);
  const tokens = Tokens.safeParse(platformJson(await readAnswer(answer, MAX_ANSWER_BYTES))).data;
  if (tokens === undefined) throw new GatewayError('platform_failed', `Zoom answered ${answer.status}`);
  return tokens.access_token;
}

function standardAnswer(answer: unknown): unknown {
  const error = TokenError.safeParse(answer).data;
  return error === undefined ? answer : { ...error, error_description: error.reason };
}
