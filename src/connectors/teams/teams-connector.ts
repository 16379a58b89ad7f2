import type { Connector, Provides } from '../contract/connector.ts';
import type { Registration } from '../kit/oauth-platform.ts';
import { PhoneMeetings, type PhoneMeetingsDeps } from '../kit/phone-meetings.ts';
import { CLOUDS, type Cloud } from './clouds.ts';
import { GraphMeetings, TeamsDirectory } from './meetings/teams-directory.ts';
import { entraOAuth } from './oauth/entra-oauth.ts';
import { type BotDeps, type BotOptions, TeamsBot } from './teams-bot.ts';

export interface TeamsOptions {
  readonly cloud: Cloud;
  /** Replace the cloud's login endpoint and Microsoft Graph; null: they do not. */
  readonly loginUrl: string | null;
  readonly graphUrl: string | null;
  /** As in EntraOptions. */
  readonly tenant: string;
  /** With which accounts connect. Null: the operator has not set it up. */
  readonly application: Registration | null;
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
      ...this.#bot?.provides,
      oauth: {
        // Graph's own address is the name of the resource, wherever it is reached.
        ...entraOAuth({
          loginUrl,
          graphUrl: places.graphUrl,
          tenant,
          application,
          hasSharedBot: bot !== null,
        }),
        onConnections: (tokens) => meetings.onConnections(tokens),
      },
    };
  }

  async start(): Promise<void> {
    this.#bot?.start();
  }

  async close(): Promise<void> {
    await this.#bot?.close();
  }
}
