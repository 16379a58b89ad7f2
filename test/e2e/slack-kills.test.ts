import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import type { FakePerson } from '../fakes/slack/fake-person.ts';
import { FakeSlack } from '../fakes/slack/fake-slack.ts';
import type { FakeApp, Installation } from '../fakes/slack/world/fake-app.ts';
import { Gateway } from '../support/gateway.ts';
import { readGatewayRows } from '../support/gateway-database.ts';
import { KilledTalk } from '../support/killed-talk.ts';
import { waitFor } from '../support/wait-for.ts';

/** For more kills: `SLACK_KILLS=1000`, half of them each way in which events come. */
const KILLS = Number(process.env.SLACK_KILLS ?? 4) / 2;
/** In each direction, while the gateway is up. */
const MESSAGES_PER_SECOND = 60;
const PEOPLE = 20;
const MOST_UNANSWERED = 50;
/** Most are short and end while the gateway is still recovering; in the long ones it runs at full speed. */
const LONGEST_LIFE_MS = 2_000;
/**
 * Slack repeats an event three times within six minutes: the gateway is back by then. Here it repeats it until the gateway
 * has lived long enough, which takes many short lives on a busy machine.
 */
const RETRY_DELAYS = [0, ...Array<number>(4_000).fill(300)];

let slack: FakeSlack;
let app: FakeApp;
let installation: Installation;
let people: FakePerson[];
let gateway: Gateway;

afterEach(async () => {
  await gateway?.stop();
  await slack?.stop();
  expect(slack.offences).toEqual([]);
});

async function start(isSocketMode: boolean): Promise<void> {
  slack = await FakeSlack.start({ retryDelays: RETRY_DELAYS });
  app = slack.addApp();
  installation = app.install(slack.addWorkspace());
  people = Array.from({ length: PEOPLE }, (_, i) => slack.addPerson(installation.workspace, `Person ${i}`));
  gateway = await Gateway.start({ env: { ...slack.settings, SVC_DM_TIMEOUT_TEXT: 'off' } });
  for (const secret of [installation.token, app.signingSecret, app.appToken]) gateway.secrets.add(secret);
  if (isSocketMode) app.enableSocketMode();
  const { status, body } = await gateway.settingsApi.post('/api/bot-tokens', {
    platform: 'slack',
    bot_token: installation.token,
    ...(isSocketMode ? { slack_app_token: app.appToken } : { slack_signing_secret: app.signingSecret }),
  });
  expect([status, body.status]).toEqual([200, 'ok']);
  if (!isSocketMode) await app.delivery.subscribe(`${gateway.baseUrl}/api/slack/webhook`);
}

interface Row {
  readonly text: string;
  readonly direction: string;
  readonly status: string;
}

function rows(): Row[] {
  return readGatewayRows<Row>(
    gateway.dataFolder,
    'select text, direction, status from messages order by seq',
  );
}

function says(person: FakePerson, text: string): void {
  person.says(person.directMessages(installation), text);
}

/** The ids of the conversations, by person. */
async function conversations(): Promise<Map<string, string>> {
  return await waitFor('a conversation with everybody', async () => {
    const found = readGatewayRows<{ id: string; person: string }>(
      gateway.dataFolder,
      'select id, remote_id as person from conversations',
    );
    return found.length === PEOPLE ? new Map(found.map(({ id, person }) => [person, id])) : null;
  });
}

it.each([
  ['webhooks', false],
  ['Socket Mode', true],
] as const)(
  '%s: kill -9 loses nothing, doubles nothing, and tells what is in doubt',
  async (name, isSocketMode) => {
    await start(isSocketMode);
    for (const person of people) says(person, 'Hello');
    const ids = await conversations();
    const talk = new KilledTalk({
      gateway,
      platform: 'slack',
      people: people.map((person) => ({
        says: (text) => says(person, text),
        conversationId: ids.get(person.user.id)!,
      })),
      messagesPerSecond: MESSAGES_PER_SECOND,
      mostUnanswered: MOST_UNANSWERED,
    });
    for (let kill = 0; kill < KILLS; kill++) {
      const life = { isOver: false };
      const talking = talk.during(life, `${kill}`);
      await wait(100 + Math.random() ** 3 * LONGEST_LIFE_MS);
      await gateway.killHard();
      life.isOver = true;
      await talking;
      await gateway.restart();
    }
    const inbound = () =>
      rows().filter(({ direction, text }) => direction === 'inbound' && text.startsWith('in '));
    await waitFor('all that was said', () => inbound().length >= talk.said.length, 60_000);
    expect(app.delivery.lost).toBe(0);
    const heard = inbound().map(({ text }) => text);
    expect(heard.toSorted()).toEqual(talk.said.toSorted());

    await waitFor(
      'nothing to be on its way',
      () => !rows().some(({ status }) => status === 'sending'),
      60_000,
    );
    const received = people
      .flatMap((person) => person.received(installation).map(({ text }) => text))
      .filter((text) => text.startsWith('out '));
    const receivedOnce = new Set(received);
    expect(receivedOnce.size).toBe(received.length);
    expect(talk.accepted.filter((text) => !receivedOnce.has(text))).toEqual([]);
    const statuses = new Map(rows().map(({ text, status }) => [text, status]));
    expect(talk.accepted.filter((text) => statuses.get(text) !== 'delivered')).toEqual([]);
    // Slack does not drop duplicates, so what was being sent is not sent again, and its sender is told.
    const untold = received.filter((text) => !/^(delivered|unknown)$/.test(statuses.get(text) ?? 'lost'));
    expect(untold.map((text) => `${text} is ${statuses.get(text)}`)).toEqual([]);
    const unknown = [...statuses.values()].filter((status) => status === 'unknown').length;
    console.log(
      `${name}, ${KILLS} kills: ${talk.said.length} said, ${talk.sent} sent, ${talk.accepted.length} answered 200, ${received.length} received, ${unknown} unknown`,
    );
  },
  7_200_000,
);
