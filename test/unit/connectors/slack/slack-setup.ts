import { onTestFinished } from 'vitest';
import { type Address, directAddress } from '../../../../src/base/address.ts';
import { ReadingTime } from '../../../../src/base/reading-time.ts';
import type { LoginState } from '../../../../src/connectors/contract/login.ts';
import type { OutboundFile, OutboundMessage } from '../../../../src/connectors/contract/messenger.ts';
import type { WebhookReply } from '../../../../src/connectors/contract/webhooks.ts';
import type { SharedApp } from '../../../../src/connectors/slack/oauth/slack-oauth.ts';
import { slackConnector } from '../../../../src/connectors/slack/slack-connector.ts';
import { FakeSlack } from '../../../fakes/slack/fake-slack.ts';
import type { Installation } from '../../../fakes/slack/world/fake-app.ts';
import { MemoryRecords } from '../../../support/memory-records.ts';
import { TurnableClock } from '../../../support/turnable-clock.ts';
import { WEBHOOK } from '../../../support/webhook.ts';
import { MemoryIntake } from '../telegram/memory-intake.ts';

export const BOT_ID = 'bot_own';
export const LOGIN = { kind: 'bot_token', id: BOT_ID } as const;
export const NEVER = new AbortController().signal;

/** A fake Slack, closed with the test. */
export async function fakeSlack(): Promise<FakeSlack> {
  const slack = await FakeSlack.start();
  onTestFinished(() => slack.stop());
  return slack;
}

/** A connector to the fake, closed with the test. */
export function connectorTo(
  slack: FakeSlack,
  records = new MemoryRecords(),
  sharedApp: SharedApp | null = null,
) {
  const { SVC_SLACK_API_URL: api, SVC_SLACK_FILES_URL: files } = slack.settings;
  const clock = new TurnableClock();
  const intake = new MemoryIntake();
  const states: LoginState[] = [];
  const counts = new Map<string, number>();
  const observer = {
    count: (event: string) => void counts.set(event, (counts.get(event) ?? 0) + 1),
    log: () => undefined,
  };
  const connector = slackConnector(
    { urls: { api, files }, sharedApp },
    { clock, observer, records, readingTime: new ReadingTime(clock) },
  );
  const webhooks = connector.provides.webhooks!;
  connector.provides.messenger!.onMessages(intake);
  connector.provides.bots!.onBotState((_botId, state) => states.push(state));
  onTestFinished(() => connector.close(0));
  const post = (request: { readonly body: string; readonly headers: Readonly<Record<string, string>> }) => {
    const headers = new Headers(request.headers);
    const header = (name: string) => headers.get(name) ?? '';
    return (
      webhooks.refuses({ endpoint: 'webhook', loginKey: '', header }) ??
      webhooks.webhook({
        ...WEBHOOK,
        method: 'post',
        endpoint: 'webhook',
        loginKey: '',
        header,
        body: Buffer.from(request.body),
      })
    );
  };
  return { connector, clock, intake, states, counts, records, post };
}

/** A connector with one bot logged in, and a person. `tell` posts an event of the bot's app. */
export async function ownBot() {
  const slack = await fakeSlack();
  const workspace = slack.addWorkspace();
  const app = slack.addApp();
  const installation = app.install(workspace);
  const setup = connectorTo(slack);
  await setup.connector.provides.bots!.addBot({
    id: BOT_ID,
    accountId: 'acc_a',
    token: installation.token,
    signingSecret: app.signingSecret,
  });
  const ada = slack.addPerson(workspace, 'Ada');
  const tell = async (event: Readonly<Record<string, unknown>>): Promise<WebhookReply> =>
    await setup.post(app.delivery.signed(JSON.stringify(app.envelope(installation, event))));
  return { slack, workspace, app, installation, ada, tell, ...setup };
}

/** A message event in a person's direct messages. */
export function directEvent(
  installation: Installation,
  userId: string,
  more: Readonly<Record<string, unknown>>,
) {
  const { workspace, bot } = installation;
  const { id: channel } = workspace.directMessages(workspace.users.get(userId)!, bot);
  return { type: 'message', channel_type: 'im', channel, user: userId, text: 'hello', ...more };
}

export function outbound(
  to: string | Address,
  text: string,
  attachments: readonly OutboundFile[] = [],
): OutboundMessage {
  const address = typeof to === 'string' ? directAddress(LOGIN, to) : to;
  return { messageId: 'msg_1', to: address, text, attachments };
}

/** A file in one piece. */
export function outboundFile(name: string, bytes: Uint8Array): OutboundFile {
  return {
    name,
    mime: 'application/pdf',
    sizeBytes: bytes.length,
    async *open() {
      yield bytes;
    },
  };
}
