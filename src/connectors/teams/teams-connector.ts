import type { Connector, Provides } from '../contract/connector.ts';
import type { LinksToBots, LoginState, SharesLogin } from '../contract/login.ts';
import type { TakesWebhooks, WebhookReply, WebhookRequest } from '../contract/webhooks.ts';
import { PhoneMeetings, type PhoneMeetingsDeps } from '../kit/phone-meetings.ts';
import { AUTHORIZATION } from './activities/messaging-endpoint.ts';
import { CLOUDS, type Cloud } from './clouds.ts';
import { GraphMeetings, TeamsDirectory } from './meetings/teams-directory.ts';
import { type EntraApplication, EntraOAuth } from './oauth/entra-oauth.ts';
import { type BotDeps, type BotOptions, TeamsBot } from './teams-bot.ts';

export interface TeamsOptions {
  readonly cloud: Cloud;
  /** Replace the cloud's login endpoint and Microsoft Graph; null: they do not. */
  readonly loginUrl: string | null;
  readonly graphUrl: string | null;
  /** As in EntraOptions. */
  readonly tenant: string;
  /** With which accounts connect. Null: the operator has not set it up. */
  readonly application: EntraApplication | null;
  /** Null: there is no bot. */
  readonly bot: BotOptions | null;
}

export interface TeamsDeps extends BotDeps, PhoneMeetingsDeps {}

/**
 * Microsoft Teams: messages by a bot that all accounts share, and meetings by phone. Accounts connect by OAuth or by one-time
 * codes.
 */
export class TeamsConnector implements Connector {
  readonly platform = 'teams' as const;
  readonly provides: Provides;
  readonly #bot: TeamsBot | null;

  constructor({ cloud, tenant, application, bot, ...urls }: TeamsOptions, deps: TeamsDeps) {
    const places = CLOUDS[cloud];
    const loginUrl = urls.loginUrl ?? places.loginUrl;
    const graphUrl = urls.graphUrl ?? places.graphUrl;
    this.#bot = bot && new TeamsBot(cloud, { loginUrl, graphUrl }, bot, deps);
    const meetings = new GraphMeetings(graphUrl, deps.clock);
    this.provides = {
      calls: new PhoneMeetings(new TeamsDirectory(meetings), deps),
      ...(this.#bot && bot ? providesOf(this.#bot, bot.appId, cloud) : {}),
      oauth: new EntraOAuth({
        loginUrl,
        // The name of the resource, wherever it is reached.
        graphUrl: places.graphUrl,
        tenant,
        application,
        hasSharedBot: bot !== null,
        onConnections: (tokens) => meetings.onConnections(tokens),
      }),
    };
  }

  async start(): Promise<void> {
    await this.#bot?.start();
  }

  async close(): Promise<void> {
    await this.#bot?.close();
  }
}

function providesOf(bot: TeamsBot, appId: string, cloud: Cloud): Provides {
  return {
    messenger: bot.messenger,
    webhooks: new TeamsWebhooks(bot),
    sharedLogin: new SharedBot(bot),
    deepLinks: new BotLinks(appId, cloud),
  };
}

/** Azure's Bot Service calls the endpoint that its own set-up names this way. */
class TeamsWebhooks implements TakesWebhooks {
  readonly endpoints = [{ path: '/api/messages', methods: ['post'], answers: 'json' }] as const;
  readonly headers = [AUTHORIZATION];
  readonly #bot: TeamsBot;

  constructor(bot: TeamsBot) {
    this.#bot = bot;
  }

  refuses(request: Pick<WebhookRequest, 'header'>): WebhookReply | null {
    return this.#bot.endpoint.refuses(request);
  }

  async webhook(request: WebhookRequest): Promise<WebhookReply> {
    return await this.#bot.endpoint.take(request);
  }
}

class SharedBot implements SharesLogin {
  readonly #bot: TeamsBot;

  constructor(bot: TeamsBot) {
    this.#bot = bot;
  }

  sharedLogin(): LoginState {
    return this.#bot.login.state;
  }
}

/** https://learn.microsoft.com/microsoftteams/platform/concepts/build-and-test/deep-link-teams */
class BotLinks implements LinksToBots {
  readonly linkHint = 'Opens the chat with the bot in Teams';
  readonly carriesToken = false;
  readonly #href: string;

  constructor(appId: string, cloud: Cloud) {
    this.#href = `${CLOUDS[cloud].clientUrl}/l/chat/0/0?users=28:${appId}`;
  }

  botLink(): string {
    return this.#href;
  }
}
