import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { FakePerson } from '../fakes/teams/fake-person.ts';
import { FakeTeams } from '../fakes/teams/fake-teams.ts';
import { Gateway } from '../support/gateway.ts';
import { readGatewayRows } from '../support/gateway-database.ts';
import { KilledTalk } from '../support/killed-talk.ts';
import { waitFor } from '../support/wait-for.ts';

/** For all of them: `FULL_KILLS=1`. */
const KILLS = process.env.FULL_KILLS === '1' ? 1_000 : 4;
/** In each direction, while the gateway is up. */
const MESSAGES_PER_SECOND = 20;
const PEOPLE = 10;
const MOST_UNANSWERED = 50;
/** Most are short and end while the gateway is still recovering; in the long ones it runs at full speed. */
const LONGEST_LIFE_MS = 1_500;
/** Teams insists for as long as the gateway is down. */
const RETRY_DELAYS = Array.from({ length: 1_000 }, () => 250);

let teams: FakeTeams;
let people: FakePerson[];
let gateway: Gateway;

beforeEach(async () => {
  teams = await FakeTeams.start({ retryDelays: RETRY_DELAYS });
  gateway = await Gateway.start({ env: { ...teams.settings, SVC_DM_TIMEOUT_TEXT: 'off' } });
  gateway.secrets.add(teams.bot.secret);
  teams.delivery.url = `${gateway.baseUrl}/api/messages`;
  people = Array.from({ length: PEOPLE }, (_, i) => teams.addPerson(`Person ${i}`));
  for (const person of people) {
    const { body } = await gateway.settingsApi.post('/api/teams/connect', {});
    person.says(body.code);
    await waitFor('the connection', () => person.received().length > 0);
  }
});
afterEach(async () => {
  await gateway?.stop();
  await teams?.stop();
});

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

function conversations(): Map<string, string> {
  const found = readGatewayRows<{ id: string; person: string }>(
    gateway.dataFolder,
    'select id, remote_id as person from conversations',
  );
  return new Map(found.map(({ id, person }) => [person, id]));
}

it('loses nothing under kill -9; what Teams may have twice is unknown, and not sent again', async () => {
  const ids = conversations();
  const talk = new KilledTalk({
    gateway,
    platform: 'teams',
    people: people.map((person) => ({
      says: (text) => person.says(text),
      conversationId: ids.get(person.remoteId)!,
    })),
    messagesPerSecond: MESSAGES_PER_SECOND,
    mostUnanswered: MOST_UNANSWERED,
  });
  for (let kill = 0; kill < KILLS; kill++) {
    const life = { isOver: false };
    const talking = talk.during(life, `${kill}`);
    await wait(50 + Math.random() ** 3 * LONGEST_LIFE_MS);
    await gateway.killHard();
    life.isOver = true;
    await talking;
    await gateway.restart();
    if (kill % 50 === 49) console.log(`${kill + 1} kills`);
  }
  const inbound = () =>
    rows().filter(({ direction, text }) => direction === 'inbound' && text.startsWith('in '));
  await waitFor('all that was said', () => inbound().length >= talk.said.length, 60_000);
  const heard = inbound().map(({ text }) => text);
  expect(heard.toSorted()).toEqual(talk.said.toSorted());

  await waitFor('nothing to be on its way', () => rows().every(({ status }) => status !== 'sending'), 60_000);
  const received = people
    .flatMap((person) => person.received().map(({ text }) => text))
    .filter((text) => text.startsWith('out '));
  const receivedOnce = new Set(received);
  expect(receivedOnce.size).toBe(received.length);
  expect(talk.accepted.filter((text) => !receivedOnce.has(text))).toEqual([]);
  const statuses = new Map(rows().map(({ text, status }) => [text, status]));
  expect(talk.accepted.filter((text) => statuses.get(text) !== 'delivered')).toEqual([]);
  // Teams does not drop duplicates: what was being sent is in doubt, and nothing else.
  const inDoubt = received.filter((text) => statuses.get(text) !== 'delivered');
  expect(inDoubt.filter((text) => statuses.get(text) !== 'unknown')).toEqual([]);
  console.log(
    `${KILLS} kills: ${talk.said.length} said, ${talk.sent} sent, ${talk.accepted.length} answered 200, ${received.length} received, ${inDoubt.length} unknown`,
  );
}, 7_200_000);
