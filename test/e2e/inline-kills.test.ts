import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readGatewayRows } from '../support/gateway-database.ts';
import { InlineGateway } from '../support/inline-gateway.ts';
import { waitFor } from '../support/wait-for.ts';

/** For more kills: `INLINE_KILLS=1000`. */
const KILLS = Number(process.env.INLINE_KILLS ?? 4);
const PEOPLE = 10;
const PER_SECOND = 40;
/** Turns begin a second after a message; in longer lives, many turns are at all of their steps. */
const LONGEST_LIFE_MS = 4_000;

let world: InlineGateway;

beforeEach(async () => {
  world = await InlineGateway.start({ SVC_DM_TIMEOUT_TEXT: 'off' });
});
afterEach(async () => {
  await world?.stop();
});

interface ActionRow {
  readonly text: string;
  readonly status: string;
}

it('loses no event and repeats no action under kill -9', async () => {
  const { bot, openai, gateway } = world;
  const people = Array.from({ length: PEOPLE }, (_, i) =>
    bot.person({ id: 1_000 + i, first_name: `Person ${i}` }),
  );
  // One action for each event. The model takes its time, so that kills hit turns while it writes.
  openai.reply = async function* ({ text }) {
    for (const [token] of text.matchAll(/\bmark-\d+-\d+\b/g)) {
      await wait(Math.random() * 20);
      yield { kind: 'text', text: `<write>re ${token}</write>` };
    }
  };
  const said: string[] = [];
  for (let kill = 0; kill < KILLS; kill++) {
    const endMs = performance.now() + 200 + Math.random() * LONGEST_LIFE_MS;
    for (let n = 0; performance.now() < endMs; n++) {
      const token = `mark-${kill}-${n}`;
      said.push(token);
      people[n % PEOPLE]!.says(token);
      await wait(1_000 / PER_SECOND);
    }
    await gateway.killHard();
    await gateway.restart();
  }
  // Telegram hands over what the gateway has not acknowledged.
  const deliveries = await world.settled(said.length);
  expect(deliveries.length).toBe(said.length);
  expect(new Set(deliveries.map(({ event_id }) => event_id)).size).toBe(said.length);
  const failed = deliveries.filter(({ status }) => status !== 'delivered' && status !== 'merged');
  expect(failed).toEqual([]);

  const actions = readGatewayRows<ActionRow>(
    gateway.dataFolder,
    "select detail ->> '$.text' as text, status from delivery_actions",
  );
  const asked = actions.map(({ text }) => text);
  expect(asked.toSorted()).toEqual(said.map((token) => `re ${token}`).toSorted());
  await waitFor('the messages', () => true);
  const received = people.flatMap((person) => person.received.map(({ text }) => text!));
  expect(new Set(received).size).toBe(received.length);
  const statusOf = new Map(actions.map(({ text, status }) => [text, status]));
  const got = new Set(received);
  expect(asked.filter((text) => statusOf.get(text) === 'done' && !got.has(text))).toEqual([]);
  expect(asked.filter((text) => !got.has(text) && statusOf.get(text) !== 'unknown')).toEqual([]);
  const unknown = actions.filter(({ status }) => status === 'unknown').length;
  console.log(
    `${KILLS} kills: ${said.length} events, ${deliveries.filter(({ status }) => status === 'delivered').length} turns, ` +
      `${received.length} actions arrived, ${unknown} unknown`,
  );
}, 3_600_000);
