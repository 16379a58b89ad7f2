import { expect, it, onTestFinished } from 'vitest';
import { waitFor } from '../../../support/wait-for.ts';
import { BOT_ID, connectorTo, fakeSlack, outbound } from './slack-setup.ts';

/** A connector with a bot in Socket Mode, without a signing secret, and a person. */
async function socketBot() {
  const slack = await fakeSlack();
  const workspace = slack.addWorkspace();
  const app = slack.addApp();
  const sockets = app.enableSocketMode();
  const installation = app.install(workspace);
  const setup = connectorTo(slack);
  const ada = slack.addPerson(workspace, 'Ada');
  const add = (appToken: string, id = BOT_ID, token = installation.token) =>
    setup.connector.provides.bots!.addBot({ id, accountId: 'acc_a', token, signingSecret: null, appToken });
  onTestFinished(() => expect([...slack.offences, ...sockets.offences]).toEqual([]));
  return { slack, workspace, app, sockets, installation, ada, add, ...setup };
}

it('receives over a connection of its own and acknowledges what is stored', async () => {
  const { app, installation, ada, add, intake, connector } = await socketBot();
  expect(await add(app.appToken)).toEqual({ name: '@gateway', status: 'ok' });
  const { deliveries } = ada.says(ada.directMessages(installation), 'hello');
  await waitFor('the acknowledgement', () => deliveries.every((each) => each.isAcknowledged));
  expect(intake.messages.map(({ text }) => text)).toEqual(['hello']);
  const sent = await connector.provides.messenger!.send(
    outbound(ada.user.id, 'good day'),
    new AbortController().signal,
  );
  expect(sent.kind).toBe('sent');
});

it('does not acknowledge what it cannot store, and stores the repetition once', async () => {
  const { app, sockets, installation, ada, add, intake } = await socketBot();
  await add(app.appToken);
  sockets.answerDeadlineMs = 50;
  intake.failures = 1;
  const { deliveries } = ada.says(ada.directMessages(installation), 'hello');
  await waitFor('the acknowledgement', () => deliveries.every((each) => each.isAcknowledged));
  expect(intake.messages.map(({ text }) => text)).toEqual(['hello']);
});

it('opens the next connection before the last one is closed, when Slack asks for it', async () => {
  const { app, sockets, installation, ada, add, states } = await socketBot();
  await add(app.appToken);
  sockets.refresh('warning');
  await waitFor('another connection', () => sockets.count === 2 && sockets.isOpen);
  const { deliveries } = ada.says(ada.directMessages(installation), 'still there?');
  await waitFor('the acknowledgement', () => deliveries.every((each) => each.isAcknowledged));
  expect(states.map(({ status }) => status)).toEqual(['ok']);
});

it('connects again after a lost connection, an unanswered one, and rubbish; and tells why', async () => {
  const { app, sockets, add, clock, states } = await socketBot();
  await add(app.appToken);
  const last = () => states.at(-1)?.status;
  /** Without a moment for the answer to the first. */
  const twoPings = () => {
    clock.turn(15_000);
    clock.turn(15_000);
  };
  for (const fault of [() => sockets.drop(), () => sockets.say('{'), twoPings]) {
    const { count } = sockets;
    fault();
    await waitFor('the state', () => last()?.startsWith('Socket Mode: '));
    clock.turn(4_000);
    await waitFor('another connection', () => sockets.count === count + 1 && last() === 'ok');
  }
});

it('gives up on a connection without hello', async () => {
  const { app, sockets, add, clock, states } = await socketBot();
  sockets.isMute = true;
  const adding = add(app.appToken);
  await waitFor('the connection', () => sockets.count === 1);
  clock.turn(20_000);
  await waitFor('the state', () => states.at(-1)?.status === 'Socket Mode: Slack did not say hello');
  sockets.isMute = false;
  clock.turn(2_000);
  await waitFor('a connection with hello', () => states.at(-1)?.status === 'ok');
  await adding;
});

it('refuses an app token that Slack refuses, and keeps one for which Socket Mode is off', async () => {
  const { app, installation, add, slack } = await socketBot();
  const refusal = { code: 'bot_refused', message: 'The platform refused the app token: invalid_auth' };
  await expect(add('xapp-1-nobody')).rejects.toMatchObject(refusal);
  await expect(add('no token')).rejects.toMatchObject({ code: 'bot_token_malformed' });
  await expect(add(installation.token)).rejects.toMatchObject({ code: 'bot_token_malformed' });
  app.delivery.sockets = null;
  expect((await add(app.appToken)).status).toBe('Socket Mode: socket_mode_disabled');
  expect(slack.offences).toEqual([]);
});

it('shares one connection among the bots of an app, each with its own workspace', async () => {
  const { slack, app, sockets, installation, ada, add, intake, connector } = await socketBot();
  await add(app.appToken);
  const umbrella = app.install(slack.addWorkspace('Umbrella'));
  const bob = slack.addPerson(umbrella.workspace, 'Bob');
  await add(app.appToken, 'bot_umbrella', umbrella.token);
  expect(sockets.count).toBe(1);
  const written = [
    ada.says(ada.directMessages(installation), 'at Acme'),
    bob.says(bob.directMessages(umbrella), 'at Umbrella'),
  ].flatMap(({ deliveries }) => deliveries);
  await waitFor('the acknowledgements', () => written.every((each) => each.isAcknowledged));
  const heard = intake.messages.map(({ from, text }) => [from.login, text]);
  expect(heard).toContainEqual([{ kind: 'bot_token', id: BOT_ID }, 'at Acme']);
  expect(heard).toContainEqual([{ kind: 'bot_token', id: 'bot_umbrella' }, 'at Umbrella']);
  expect(heard.length).toBe(2);
  await connector.provides.bots!.removeBot(BOT_ID);
  expect(sockets.isOpen).toBe(true);
  await connector.provides.bots!.removeBot('bot_umbrella');
  await waitFor('the end', () => !sockets.isOpen);
});
