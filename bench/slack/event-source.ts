import { setTimeout as wait } from 'node:timers/promises';
import { FakeSlack } from '../../test/fakes/slack/fake-slack.ts';
import type { Installation } from '../../test/fakes/slack/world/fake-app.ts';
import type { FakeUser } from '../../test/fakes/slack/world/fake-user.ts';
import type { Gateway } from '../../test/support/gateway.ts';

const PEOPLE = 100;

/** A Slack whose people write to a bot of the gateway, each event posted once. */
export class EventSource {
  readonly #slack: FakeSlack;
  readonly #installation: Installation;
  readonly #people: readonly FakeUser[];
  #url = '';

  private constructor(slack: FakeSlack) {
    this.#slack = slack;
    const workspace = slack.addWorkspace();
    this.#installation = slack.addApp().install(workspace);
    this.#people = Array.from({ length: PEOPLE }, (_, n) => workspace.addUser(`Person ${n}`));
  }

  static async start(): Promise<EventSource> {
    return new EventSource(await FakeSlack.start());
  }

  get settings(): Readonly<Record<string, string>> {
    return this.#slack.settings;
  }

  async register({ settingsApi, baseUrl }: Gateway): Promise<void> {
    const { token, app } = this.#installation;
    const bot = { platform: 'slack', bot_token: token, slack_signing_secret: app.signingSecret };
    const { status, body } = await settingsApi.post('/api/bot-tokens', bot);
    if (status !== 200) throw new Error(`POST bot token: ${status} ${JSON.stringify(body)}`);
    this.#url = `${baseUrl}/api/slack/webhook`;
  }

  /** Posts events at a steady rate. Returns how long each took to be acknowledged, in milliseconds. */
  async post(perSecond: number, seconds: number): Promise<number[]> {
    const startMs = performance.now();
    const posted: Promise<number>[] = [];
    for (let n = 0; n < perSecond * seconds; n++) {
      const dueMs = startMs + (n * 1_000) / perSecond;
      while (performance.now() < dueMs) await wait(1);
      posted.push(this.#acknowledgedMs(this.#people[n % PEOPLE]!));
    }
    return await Promise.all(posted);
  }

  async stop(): Promise<void> {
    await this.#slack.stop();
  }

  async #acknowledgedMs(user: FakeUser): Promise<number> {
    const { app, workspace, bot } = this.#installation;
    const channel = workspace.directMessages(user, bot);
    const { ts, text } = channel.post({ user, text: 'What is the state of my order?' });
    const where = { channel: channel.id, channel_type: 'im', event_ts: ts };
    const event = { type: 'message', user: user.id, text, ts, ...where };
    const { headers, body } = app.delivery.signed(JSON.stringify(app.envelope(this.#installation, event)));
    const beganMs = performance.now();
    const answer = await fetch(this.#url, { method: 'POST', headers, body });
    await answer.arrayBuffer();
    if (answer.status !== 200) throw new Error(`an event was answered with ${answer.status}`);
    return performance.now() - beganMs;
  }
}
