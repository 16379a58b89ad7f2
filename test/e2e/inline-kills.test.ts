import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { FakePerson } from '../fakes/telegram/fake-person.ts';
import { readGatewayRows } from '../support/gateway-database.ts';
import { type DeliveryRow, InlineGateway } from '../support/inline-gateway.ts';
import { SeededRandom } from '../support/seeded-random.ts';

/** For more kills: `INLINE_KILLS=200 INLINE_KILLS_SEED=7`. */
const KILLS = Number(process.env.INLINE_KILLS ?? 8);
const SEED = Number(process.env.INLINE_KILLS_SEED ?? 1);
const PEOPLE = 10;
/** The most that a policy can allow. */
const MOST_ACTIONS = 20;
/** All the time, also while the gateway is down. */
const PER_SECOND = 10;
/** More wait only when the gateway is slower than their arrival. */
const MOST_UNANSWERED = 100;
/** Most lives end while the gateway still resumes turns; in the long ones new turns reach all of their steps. */
const LIVES_MS = [200, 500, 2_000];
const SLOWEST_PART_MS = 30;

let world: InlineGateway;
let people: FakePerson[];
let random: SeededRandom;

beforeEach(async () => {
  random = new SeededRandom(SEED);
  world = await InlineGateway.start({ SVC_DM_TIMEOUT_TEXT: 'off' });
  // A slow machine merges many messages of a person into one turn; each is to have its action.
  const policy = `/api/agents/${world.agentId}/policy`;
  const set = await world.gateway.settingsApi.patch(policy, { actions_per_turn: MOST_ACTIONS });
  expect(set.status).toBe(200);
  people = Array.from({ length: PEOPLE }, (_, i) =>
    world.bot.person({ id: 1_000 + i, first_name: `Person ${i}` }),
  );
  // One action for each event. The model takes its time, so that kills hit turns while it writes.
  world.openai.reply = async function* ({ text }) {
    for (const [token] of text.matchAll(/\bmark-\d+\b/g)) {
      await wait(random.next() * SLOWEST_PART_MS);
      yield { kind: 'text', text: `<write>re ${token}</write>` };
    }
  };
});
afterEach(async () => {
  await world?.stop();
});

/** People write until the signal aborts. Resolves with what they have written. */
async function writing(signal: AbortSignal): Promise<string[]> {
  const said: string[] = [];
  while (!signal.aborted) {
    await wait(1_000 / PER_SECOND);
    if (said.length - received().length >= MOST_UNANSWERED) continue;
    const token = `mark-${said.length}`;
    people[said.length % PEOPLE]!.says(token);
    said.push(token);
  }
  return said;
}

/** What people have read. */
function received(): string[] {
  return people.flatMap((person) => person.received.map(({ text }) => text!));
}

async function killOften(): Promise<void> {
  for (let kill = 0; kill < KILLS; kill++) {
    await wait(random.next() * random.pick(LIVES_MS));
    await world.gateway.killHard();
    await world.gateway.restart();
  }
}

/** An action with what became of its message. */
interface ActionRow {
  readonly text: string;
  readonly status: string;
  readonly message: string | null;
}

function actionRows(): ActionRow[] {
  return readGatewayRows<ActionRow>(
    world.gateway.dataFolder,
    `select detail ->> '$.text' as text, delivery_actions.status, messages.status as message
      from delivery_actions left join messages on messages.id = message_id`,
  );
}

function expectOnePerEvent(deliveries: readonly DeliveryRow[], events: number): void {
  expect(deliveries.length).toBe(events);
  expect(new Set(deliveries.map(({ event_id }) => event_id)).size).toBe(events);
  expect(deliveries.filter(({ status }) => status !== 'delivered' && status !== 'merged')).toEqual([]);
}

it('loses no event and repeats no action under kill -9', async () => {
  const stop = new AbortController();
  const written = writing(stop.signal);
  await killOften();
  stop.abort();
  const said = await written;
  // Telegram hands over what the gateway has not acknowledged.
  const deliveries = await world.settled(said.length);
  expectOnePerEvent(deliveries, said.length);

  const actions = actionRows();
  expect(actions.map(({ text }) => text).toSorted()).toEqual(said.map((token) => `re ${token}`).toSorted());
  const read = received();
  const got = new Set(read);
  expect(read.length).toBe(got.size);
  // The platform answered while the gateway died, and drops no duplicates: only then nobody can know.
  const unknown = actions.filter(({ status }) => status === 'unknown');
  expect(unknown.filter(({ message }) => message !== 'unknown')).toEqual([]);
  expect(actions.filter(({ status }) => status !== 'unknown' && status !== 'done')).toEqual([]);
  expect(actions.filter(({ text, status }) => status === 'done' && !got.has(text))).toEqual([]);
  const turns = deliveries.filter(({ status }) => status === 'delivered').length;
  console.log(
    `seed ${SEED}, ${KILLS} kills: ${said.length} events, ${turns} turns, ${read.length} actions arrived, ` +
      `${unknown.length} unknown, of which ${unknown.filter(({ text }) => got.has(text)).length} arrived`,
  );
}, 3_600_000);
