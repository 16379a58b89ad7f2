import * as z from 'zod';
import { readAnswer } from '../../../base/answer-body.ts';
import { GatewayError } from '../../../base/errors.ts';
import { field, platformJson } from '../../../base/platform-json.ts';
import { getWithToken, revokeToken } from '../../contract/client-request.ts';
import type {
  ConnectsByOAuth,
  FreshTokens,
  OAuthClient,
  OAuthTokens,
  RemoteIdentity,
} from '../../contract/oauth.ts';
import { personName, User } from '../objects.ts';

const MAX_ANSWER_BYTES = 65_536;
const Refusal = z.object({ message: field(z.string()) });

/** The shared bot's application, as a client of Discord's authorization server. */
export interface ApplicationClient {
  /** Without the version, for example `https://discord.com/api`. */
  readonly apiUrl: string;
  readonly applicationId: string;
  readonly clientSecret: string;
}

/**
 * People who link themselves to the shared bot by signing in at Discord
 * (https://docs.discord.com/developers/topics/oauth2). The grant only tells who they are.
 */
export class DiscordOAuth implements ConnectsByOAuth {
  readonly client: OAuthClient | null;
  readonly #apiUrl: string;

  /** `application` null: the operator has no shared bot, or has not given its client secret. */
  constructor(apiUrl: string, application: ApplicationClient | null) {
    this.#apiUrl = `${apiUrl}/v10`;
    this.client = application && {
      authorizationEndpoint: new URL('/oauth2/authorize', apiUrl).href,
      tokenEndpoint: `${apiUrl}/oauth2/token`,
      clientId: application.applicationId,
      clientSecret: application.clientSecret,
      authentication: 'basic',
      scope: 'identify',
      pkce: true,
      parameters: {},
    };
  }

  async identify({ accessToken }: FreshTokens, signal: AbortSignal): Promise<RemoteIdentity> {
    const answer = await getWithToken(`${this.#apiUrl}/users/@me`, accessToken, signal);
    const body = platformJson(await readAnswer(answer, MAX_ANSWER_BYTES));
    if (!answer.ok) {
      const words = Refusal.safeParse(body).data?.message ?? `Discord answered ${answer.status}`;
      throw new GatewayError(answer.status === 401 ? 'connect_refused' : 'platform_failed', words);
    }
    const user = User.safeParse(body).data;
    if (user === undefined) throw new GatewayError('platform_failed');
    const person = { id: user.id, login: 'shared' } as const;
    return { providerUserId: user.id, label: personName(user), email: null, person };
  }

  async revoke({ refreshToken, accessToken }: OAuthTokens, signal: AbortSignal): Promise<void> {
    if (this.client === null) return;
    const { tokenEndpoint } = this.client;
    await revokeToken(this.client, `${tokenEndpoint}/revoke`, refreshToken ?? accessToken, signal);
  }

  /** Nothing is asked for in people's names once they are linked. */
  onConnections(): void {}

  connected(): void {}

  disconnected(): void {}
}
