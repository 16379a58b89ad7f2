import { assert } from '../../../src/base/assert.ts';
import { GatewayError } from '../../../src/base/errors.ts';
import type {
  Connection,
  ConnectionTokens,
  ConnectsByOAuth,
  FreshTokens,
  OAuthClient,
  RemoteIdentity,
} from '../../../src/connectors/contract/oauth.ts';
import { revokesAt } from '../../../src/connectors/kit/oauth-platform.ts';
import { LoopbackApi } from '../messages/loopback-api.ts';
import type { ChatOptions } from '../messages/loopback-bot.ts';
import type { LoopbackChat } from '../messages/loopback-chat.ts';
import { Me } from '../messages/vendor-messages.ts';
import { ConnectionLogin } from './connection-login.ts';

/** The gateway as a client of the vendor's authorization server. */
export interface OAuthOptions {
  readonly authorizationUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

type OAuthDeps = OAuthOptions & Pick<ChatOptions, 'vendorUrl' | 'clock'>;

/** Connections of people to their own account at the vendor. */
export class LoopbackOAuth implements ConnectsByOAuth {
  readonly client: OAuthClient;
  readonly revoke;
  readonly #deps: OAuthDeps;
  readonly #chat: LoopbackChat;
  #tokens: ConnectionTokens | null = null;

  /** `chat`: the connections become logins of it. */
  constructor(deps: OAuthDeps, chat: LoopbackChat) {
    const { authorizationUrl, clientId, clientSecret } = deps;
    this.client = {
      clientId,
      clientSecret,
      authorizationEndpoint: `${authorizationUrl}/auth`,
      tokenEndpoint: `${authorizationUrl}/token`,
      authentication: 'basic',
      scope: 'openid calls messages',
      pkce: true,
      parameters: {},
    };
    this.revoke = revokesAt(this.client, `${authorizationUrl}/token/revocation`);
    this.#deps = deps;
    this.#chat = chat;
  }

  async identify({ accessToken }: FreshTokens, signal: AbortSignal): Promise<RemoteIdentity> {
    const { vendorUrl, clock } = this.#deps;
    const api = new LoopbackApi(vendorUrl, async () => accessToken, clock);
    try {
      const { id, name, email } = await api.call({ method: 'GET', path: 'me' }, Me, signal);
      return { providerUserId: id, label: name, email, person: null };
    } catch (error) {
      throw new GatewayError('platform_failed', (error as Error).message);
    }
  }

  onConnections(tokens: ConnectionTokens): void {
    this.#tokens = tokens;
  }

  connected({ id, label: name }: Connection): void {
    const tokens = this.#tokens;
    assert(tokens !== null, 'onConnections comes before connections');
    this.disconnected(id);
    const { vendorUrl, clock } = this.#deps;
    const chat = this.#chat;
    chat.logins.put(id, new ConnectionLogin({ id, name, tokens, chat, vendorUrl, clock }));
  }

  disconnected(connectionId: string): void {
    void this.#chat.logins.removeBot(connectionId);
  }
}
