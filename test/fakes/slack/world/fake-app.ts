import { EventDelivery, type RetryDelays } from '../events/event-delivery.ts';
import { newAppToken, newBotToken, newId, newSecret } from '../slack-ids.ts';
import type { FakeUser } from './fake-user.ts';
import type { FakeWorkspace } from './fake-workspace.ts';

/** What the gateway's manifest asks for. */
export const BOT_SCOPES = [
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
] as const;

/** An app in a workspace, with its bot. */
export interface Installation {
  readonly app: FakeApp;
  readonly workspace: FakeWorkspace;
  readonly bot: FakeUser;
  readonly botId: string;
  readonly token: string;
  readonly scopes: Set<string>;
  /** What Slack answers to the token; null: it is valid. */
  deadAs: string | null;
}

/** An app as it is set up at api.slack.com. */
export class FakeApp {
  readonly id = newId('A');
  readonly name: string;
  readonly clientId = `${Date.now()}.${Math.floor(Math.random() * 1e12)}`;
  readonly clientSecret = newSecret();
  readonly signingSecret = newSecret();
  readonly appToken = newAppToken(this.id);
  readonly installations: Installation[] = [];
  readonly delivery: EventDelivery;

  constructor(name: string, retryDelays: RetryDelays) {
    this.name = name;
    this.delivery = new EventDelivery(this.signingSecret, retryDelays);
  }

  /** Adds the app's bot to a workspace, as its consent page does. */
  install(workspace: FakeWorkspace, scopes: readonly string[] = BOT_SCOPES): Installation {
    const bot = this.#botIn(workspace) ?? workspace.addUser(this.name, true);
    const installation = {
      app: this,
      workspace,
      bot,
      botId: newId('B'),
      token: newBotToken(),
      scopes: new Set<string>(scopes),
      deadAs: null,
    };
    this.installations.push(installation);
    return installation;
  }

  /** Puts an event in the envelope in which the app gets it (https://docs.slack.dev/apis/events-api/#callback-field). */
  envelope({ workspace, bot }: Installation, event: Readonly<Record<string, unknown>>) {
    return {
      token: 'the verification token, which is deprecated',
      team_id: workspace.id,
      context_team_id: workspace.id,
      context_enterprise_id: null,
      api_app_id: this.id,
      event,
      type: 'event_callback',
      event_id: newId('Ev'),
      event_time: Math.floor(Date.now() / 1_000),
      authorizations: [
        {
          enterprise_id: null,
          team_id: workspace.id,
          user_id: bot.id,
          is_bot: true,
          is_enterprise_install: false,
        },
      ],
      is_ext_shared_channel: false,
      event_context: `4-${newId('Ev')}`,
    };
  }

  #botIn(workspace: FakeWorkspace): FakeUser | undefined {
    return this.installations.find((each) => each.workspace === workspace)?.bot;
  }
}
