import { EventDelivery, type RetryDelays } from '../events/event-delivery.ts';
import { FakeSockets } from '../events/fake-sockets.ts';
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
  'reactions:read',
  'reactions:write',
  'users:read',
] as const;

/** An app in a workspace, or in all of its organization, with its bot. */
export class Installation {
  readonly app: FakeApp;
  readonly workspace: FakeWorkspace;
  readonly isOrgWide: boolean;
  readonly bot: FakeUser;
  readonly botId = newId('B');
  readonly scopes: Set<string>;
  token = newBotToken();
  /** Null: the app does not rotate its tokens. */
  refreshToken: string | null = null;
  /** When the token expires, in milliseconds since 1970. */
  expiresAtMs = Number.POSITIVE_INFINITY;
  /** Tokens that were replaced. */
  readonly formerTokens = new Set<string>();
  /** What Slack answers to the token; null: it is valid. */
  deadAs: string | null = null;

  constructor(
    { app, workspace, bot, isOrgWide }: Pick<Installation, 'app' | 'workspace' | 'bot' | 'isOrgWide'>,
    scopes: readonly string[],
  ) {
    this.app = app;
    this.workspace = workspace;
    this.bot = bot;
    this.isOrgWide = isOrgWide;
    this.scopes = new Set(scopes);
  }

  /** Replaces both tokens (https://docs.slack.dev/authentication/using-token-rotation). */
  rotate(lifetimeS: number): void {
    this.formerTokens.add(this.token);
    this.token = `xoxe.${newBotToken()}`;
    this.refreshToken = `xoxe-1-${newSecret()}`;
    this.expiresAtMs = Date.now() + lifetimeS * 1_000;
  }

  /** What Slack answers to one of its tokens; null: it is valid. */
  refusalOf(token: string): string | null {
    if (this.deadAs !== null) return this.deadAs;
    return token !== this.token || this.expiresAtMs < Date.now() ? 'token_expired' : null;
  }
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
  readonly redirectUrls = new Set<string>();
  rotatesTokens = false;
  readonly delivery: EventDelivery;

  constructor(name: string, retryDelays: RetryDelays) {
    this.name = name;
    this.delivery = new EventDelivery(this.signingSecret, retryDelays);
  }

  /** Adds the app's bot to a workspace, as its consent page does. */
  install(workspace: FakeWorkspace, scopes: readonly string[] = BOT_SCOPES, isOrgWide = false): Installation {
    const bot = this.#botIn(workspace, isOrgWide) ?? workspace.addUser(this.name, true);
    const installation = new Installation({ app: this, workspace, bot, isOrgWide }, scopes);
    this.installations.push(installation);
    return installation;
  }

  /** Puts an event in the envelope in which the app gets it (https://docs.slack.dev/apis/events-api/#callback-field). */
  envelope({ workspace, bot, isOrgWide }: Installation, event: Readonly<Record<string, unknown>>) {
    const enterpriseId = workspace.enterprise?.id ?? null;
    return {
      token: 'the verification token, which is deprecated',
      team_id: workspace.id,
      context_team_id: workspace.id,
      enterprise_id: enterpriseId,
      context_enterprise_id: enterpriseId,
      api_app_id: this.id,
      event,
      type: 'event_callback',
      event_id: newId('Ev'),
      event_time: Math.floor(Date.now() / 1_000),
      authorizations: [
        {
          enterprise_id: enterpriseId,
          team_id: isOrgWide ? null : workspace.id,
          user_id: bot.id,
          is_bot: true,
          is_enterprise_install: isOrgWide,
        },
      ],
      is_ext_shared_channel: false,
      event_context: `4-${newId('Ev')}`,
    };
  }

  /** Has events delivered over connections that the app opens. */
  enableSocketMode(): FakeSockets {
    this.delivery.sockets ??= new FakeSockets(this.id);
    return this.delivery.sockets;
  }

  #botIn(workspace: FakeWorkspace, isOrgWide: boolean): FakeUser | undefined {
    return this.installations.find((each) => each.workspace === workspace && each.isOrgWide === isOrgWide)
      ?.bot;
  }
}
