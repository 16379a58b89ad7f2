import { SocketModeClient } from '@slack/socket-mode';
import { expect, it, onTestFinished } from 'vitest';
import { FakeSlack } from '../../fakes/slack/fake-slack.ts';
import { waitFor } from '../../support/wait-for.ts';

const LOGGER = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  setLevel: () => undefined,
  getLevel: () => 'error' as never,
  setName: () => undefined,
};

/** Slack's own client of Socket Mode as a second one of the fake. */
it("delivers to Slack's own client, also after it was asked to reconnect", async () => {
  const slack = await FakeSlack.start({ retryDelays: [0, 5, 5] });
  onTestFinished(() => slack.stop());
  const workspace = slack.addWorkspace();
  const app = slack.addApp();
  const sockets = app.enableSocketMode();
  const installation = app.install(workspace);
  const ada = slack.addPerson(workspace, 'Ada');
  const client = new SocketModeClient({
    appToken: app.appToken,
    clientOptions: { slackApiUrl: `${slack.settings.SVC_SLACK_API_URL}/`, retryConfig: { retries: 0 } },
    logger: LOGGER,
  });
  onTestFinished(() => client.disconnect());
  const heard: string[] = [];
  client.on('message', async ({ event, ack }) => {
    heard.push(event.text);
    await ack();
  });
  await client.start();
  const first = ada.says(ada.directMessages(installation), 'one');
  await waitFor('the acknowledgement', () => first.deliveries.every((each) => each.isAcknowledged));
  sockets.refresh();
  await waitFor('another connection', () => sockets.count === 2 && sockets.isOpen);
  const second = ada.says(ada.directMessages(installation), 'two');
  await waitFor('the acknowledgement', () => second.deliveries.every((each) => each.isAcknowledged));
  expect(heard).toEqual(['one', 'two']);
  expect([...slack.offences, ...sockets.offences]).toEqual([]);
}, 60_000);
