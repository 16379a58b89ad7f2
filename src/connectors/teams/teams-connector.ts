import type { Connector } from '../contract/connector.ts';
import type { ConnectsByOAuth } from '../contract/oauth.ts';
import type { Registration } from '../kit/oauth-platform.ts';
import { PhoneMeetings, type PhoneMeetingsDeps } from '../kit/phone-meetings.ts';
import { CLOUDS, type Cloud } from './clouds.ts';
import { GraphMeetings, teamsDirectory } from './meetings/teams-directory.ts';
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
export function teamsConnector(
  { cloud, tenant, application, bot: botOptions, ...urls }: TeamsOptions,
  deps: TeamsDeps,
): Connector {
  const places = CLOUDS[cloud];
  const loginUrl = urls.loginUrl ?? places.loginUrl;
  const graphUrl = urls.graphUrl ?? places.graphUrl;
  const bot = botOptions && new TeamsBot(cloud, { loginUrl, graphUrl }, botOptions, deps);
  const meetings = new GraphMeetings(graphUrl, deps.clock);
  const calls = new PhoneMeetings(teamsDirectory(meetings), deps);
  const oauth: ConnectsByOAuth = {
    // Graph's own address is the name of the resource, wherever it is reached.
    ...entraOAuth({ loginUrl, graphUrl: places.graphUrl, tenant, application, hasSharedBot: bot !== null }),
    onConnections: (tokens) => meetings.onConnections(tokens),
  };
  return {
    platform: 'teams',
    provides: { calls, ...bot?.provides, oauth },
    start: async () => bot?.start(),
    close: async () => await bot?.close(),
  };
}
