import { ReadingTime } from '../../../src/base/reading-time.ts';
import { systemClock } from '../../../src/base/time.ts';
import type { Connector } from '../../../src/connectors/contract/connector.ts';
import { slackConnector } from '../../../src/connectors/slack/slack-connector.ts';
import { FakeSlack } from '../../fakes/slack/fake-slack.ts';
import type { FakeApp, Installation } from '../../fakes/slack/world/fake-app.ts';
import type { FakeWorkspace } from '../../fakes/slack/world/fake-workspace.ts';
import { Gateway, type GatewayOptions } from '../../support/gateway.ts';
import { MemoryRecords } from '../../support/memory-records.ts';
import { SlackWorld } from '../../support/slack-world.ts';
import {
  type ChannelUnderTest,
  type Delivery,
  GATEWAY_ENV,
  type LoginUnderTest,
  type MessengerUnderTest,
  type PayloadsUnderTest,
  type PersonUnderTest,
  type PlatformFaults,
  type WebhookUnderTest,
} from './messenger-under-test.ts';
import { SLACK_KINDS, slackChange, slackEvent } from './payloads/slack-payloads.ts';
import { SlackChannel, SlackPerson } from './slack-person-under-test.ts';

/** Slack's own, in a twentieth of the time: the gateway restarts between the second and the last attempt. */
const RETRY_DELAYS = [0, 3_000, 15_000];

/** A connector to read declarations from. */
export function declaredSlack(): Connector {
  return slackConnector(
    { urls: { api: 'https://slack.test/api', files: '' }, sharedApp: null },
    {
      clock: systemClock,
      observer: { count: () => undefined, log: () => undefined },
      records: new MemoryRecords(),
      readingTime: new ReadingTime(systemClock),
    },
  );
}

export interface SlackTestOptions {
  readonly patienceMs: number;
  /** How events come; by webhook unless given. */
  readonly events?: 'webhook' | 'socket';
  /** Milliseconds before each time that an event is delivered again. */
  readonly retryDelays?: readonly number[];
  readonly gateway?: GatewayOptions;
  /** Whether the platform's limits hold. */
  readonly hasLimits?: boolean;
}

/** Slack, with one bot of the operator's account. */
export class SlackUnderTest implements MessengerUnderTest {
  readonly connector: Connector = declaredSlack();
  patienceMs: number;
  /** 39,996 characters as Slack counts them; with letters, the API's own limit comes first. */
  readonly textLimit = 8_000;
  readonly textOf = '&';
  readonly canEdit = true;
  readonly canBlock = true;
  readonly gateway: Gateway;
  readonly webhook?: WebhookUnderTest;
  readonly login: LoginUnderTest;
  readonly slack: FakeSlack;
  readonly #workspace: FakeWorkspace;
  readonly #installation: Installation;
  readonly #channel: ChannelUnderTest;
  #people = 0;

  private constructor(gateway: Gateway, slack: FakeSlack, installation: Installation, patienceMs: number) {
    this.gateway = gateway;
    this.slack = slack;
    this.#installation = installation;
    this.#workspace = installation.workspace;
    this.patienceMs = patienceMs;
    this.login = new BotLogin(installation);
    if (installation.app.delivery.sockets === null) this.webhook = new AppWebhook(installation);
    const olga = slack.addPerson(this.#workspace, 'Olga');
    const general = this.#workspace.addChannel('general', [olga.user]);
    olga.invites(installation, general);
    this.#channel = new SlackChannel(general, olga, installation);
  }

  static async start({
    patienceMs,
    events = 'webhook',
    retryDelays = RETRY_DELAYS,
    hasLimits = false,
    gateway: options = {},
  }: SlackTestOptions): Promise<SlackUnderTest> {
    const slack = await FakeSlack.start({ retryDelays, hasLimits });
    const app = slack.addApp('conformance');
    const installation = app.install(slack.addWorkspace());
    const { env, ...others } = options;
    const gateway = await Gateway.start({ ...others, env: { ...GATEWAY_ENV, ...slack.settings, ...env } });
    for (const secret of [installation.token, app.signingSecret, app.appToken]) gateway.secrets.add(secret);
    if (events === 'socket') app.enableSocketMode();
    const { status, body } = await gateway.settingsApi.post('/api/bot-tokens', {
      platform: 'slack',
      bot_token: installation.token,
      ...(events === 'socket'
        ? { slack_app_token: app.appToken }
        : { slack_signing_secret: app.signingSecret }),
    });
    if (status !== 200) throw new Error(`POST bot-tokens: ${status} ${JSON.stringify(body)}`);
    if (events === 'webhook') await app.delivery.subscribe(`${gateway.baseUrl}/api/slack/webhook`);
    return new SlackUnderTest(gateway, slack, installation, patienceMs);
  }

  /** With a workspace that has installed the app which all accounts share, in place of an own bot. */
  static async startShared({ patienceMs, gateway: options = {} }: SlackTestOptions): Promise<SlackUnderTest> {
    const env = { ...GATEWAY_ENV, ...options.env };
    const world = await SlackWorld.start({ ...options, env }, RETRY_DELAYS);
    const { slack, gateway } = world;
    const workspace = slack.addWorkspace();
    const { user } = slack.addPerson(workspace, 'Otto');
    const { installation } = await world.install({ workspace, user });
    return new SlackUnderTest(gateway, slack, installation, patienceMs);
  }

  async person(): Promise<PersonUnderTest> {
    this.#people++;
    const person = this.slack.addPerson(this.#workspace, `Person ${this.#people}`);
    return new SlackPerson(person, this.#installation);
  }

  channel(): ChannelUnderTest {
    return this.#channel;
  }

  readonly faults: PlatformFaults = {
    refuse: () => {
      this.slack.fail('chat.postMessage', { kind: 'refuse', error: 'restricted_action' });
      return 'restricted_action';
    },
    throttle: () => {
      this.slack.fail('chat.postMessage', { kind: 'throttle', retryAfterS: 1 });
      return 1_000;
    },
    loseAnswer: () => this.slack.fail('chat.postMessage', { kind: 'drop', isDone: true }),
    hold: (isDone) =>
      new Promise((reached) => this.slack.fail('chat.postMessage', { kind: 'hang', isDone, reached })),
  };

  readonly payloads: PayloadsUnderTest = {
    kinds: SLACK_KINDS,
    deliver: ({ remoteId }, payload) => {
      const { app, workspace, bot } = this.#installation;
      const { id: channel } = workspace.directMessages(workspace.users.get(remoteId)!, bot);
      const event = slackEvent({ channel, user: remoteId }, payload);
      app.delivery.deliver(channel, app.envelope(this.#installation, event));
    },
    overtakes: {
      tellsDeletions: true,
      deliver: ({ remoteId }, text, change) => {
        const { app, workspace, bot } = this.#installation;
        const { id: channel } = workspace.directMessages(workspace.users.get(remoteId)!, bot);
        const tell = (event: Readonly<Record<string, unknown>>) =>
          void app.delivery.deliver(channel, app.envelope(this.#installation, event));
        const message = slackEvent({ channel, user: remoteId }, { text });
        tell(slackChange(message, change));
        tell(message);
        return () => tell(message);
      },
    },
  };

  async stop(): Promise<void> {
    await this.gateway.stop();
    await this.slack.stop();
    const { offences } = this.slack;
    if (offences.length > 0) throw new Error(`refused by the fake: ${offences.join('; ')}`);
  }
}

class BotLogin implements LoginUnderTest {
  readonly recheckMs = 5_000;
  readonly #installation: Installation;

  constructor(installation: Installation) {
    this.#installation = installation;
  }

  get isDead(): boolean {
    return this.#installation.deadAs !== null;
  }

  kill(): string {
    this.#installation.deadAs = 'account_inactive';
    return 'account_inactive';
  }

  revive(): void {
    this.#installation.deadAs = null;
  }
}

/** Slack signs the time and the bytes of the body. */
class AppWebhook implements WebhookUnderTest {
  readonly #installation: Installation;
  readonly #app: FakeApp;

  constructor(installation: Installation) {
    this.#installation = installation;
    this.#app = installation.app;
  }

  get url(): string {
    return this.#app.delivery.url;
  }

  delivery({ remoteId }: PersonUnderTest, text: string): Delivery {
    const { workspace, bot } = this.#installation;
    const user = workspace.users.get(remoteId)!;
    const channel = workspace.directMessages(user, bot);
    const { ts } = channel.post({ user, text });
    const where = { channel: channel.id, channel_type: 'im', event_ts: ts };
    const event = { type: 'message', user: remoteId, text, ts, ...where };
    return this.signed(JSON.stringify(this.#app.envelope(this.#installation, event)));
  }

  signed(body: string): Delivery {
    return this.#app.delivery.signed(body);
  }

  forged(delivery: Delivery): Delivery {
    const headers = { ...delivery.headers, 'X-Slack-Signature': `v0=${'0'.repeat(64)}` };
    return { ...delivery, headers };
  }
}
