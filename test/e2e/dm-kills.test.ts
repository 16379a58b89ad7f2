import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { FakeBot } from '../fakes/telegram/fake-bot.ts';
import type { FakePerson } from '../fakes/telegram/fake-person.ts';
import { FakeTelegram } from '../fakes/telegram/fake-telegram.ts';
import { Gateway } from '../support/gateway.ts';
import { readGatewayRows } from '../support/gateway-database.ts';
import { waitFor } from '../support/wait-for.ts';

/** For more kills: `DM_KILLS=1000`. */
const KILLS = Number(process.env.DM_KILLS ?? 4);
/** In each direction, while the gateway is up. */
const MESSAGES_PER_SECOND = 200;
const PEOPLE = 20;
/** More are pending only when the gateway is slower than their arrival. */
const MOST_UNANSWERED = 100;
/** Most are short and end while the gateway is still recovering; in the long ones it runs at full speed. */
const LONGEST_LIFE_MS = 3_000;

let telegram: FakeTelegram;
let bot: FakeBot;
let people: FakePerson[];
let gateway: Gateway;

beforeEach(async () => {
  telegram = await FakeTelegram.start();
  bot = telegram.addBot();
  gateway = await Gateway.start({ env: { SVC_TELEGRAM_API_URL: telegram.url, SVC_DM_TIMEOUT_TEXT: 'off' } });
  gateway.secrets.add(bot.token);
  const registered = await gateway.settingsApi.post('/api/bot-tokens', {
    platform: 'telegram',
    bot_token: bot.token,
  });
  expect([registered.status, registered.body.status]).toEqual([200, 'ok']);
  people = Array.from({ length: PEOPLE }, (_, i) => bot.person({ id: 1_000 + i, first_name: `Person ${i}` }));
});
afterEach(async () => {
  await gateway?.stop();
  await telegram?.stop();
});

/** Rows of messages as the database has them. */
interface Row {
  readonly id: string;
  readonly text: string;
  readonly direction: string;
  readonly status: string;
}

function rows(): Row[] {
  return readGatewayRows<Row>(
    gateway.dataFolder,
    'select id, text, direction, status from messages order by seq',
  );
}

/** The ids of the conversations, one for each person who has written. */
async function conversations(): Promise<string[]> {
  return await waitFor('a conversation with everybody', async () => {
    const found = readGatewayRows<{ id: string }>(gateway.dataFolder, 'select id from conversations');
    return found.length === PEOPLE ? found.map(({ id }) => id) : null;
  });
}

async function send(
  conversation_id: string,
  text: string,
  key?: string,
): Promise<{ status: number; body: { message_id?: string } }> {
  const answer = await fetch(`${gateway.baseUrl}/api/dm/chat`, {
    method: 'POST',
    headers: { 'X-API-Key': gateway.agentKey, ...(key === undefined ? {} : { 'Idempotency-Key': key }) },
    body: JSON.stringify({ platform: 'telegram', conversation_id, text }),
  });
  return { status: answer.status, body: (await answer.json()) as { message_id?: string } };
}

/** From one start of the gateway to its kill. */
class Life {
  isOver = false;
  readonly #perMs: number;

  constructor(perSecond: number) {
    this.#perMs = perSecond / 1_000;
  }

  /** 0, 1, 2, … each when its time has come, all that are due at once after a hold-up. */
  async *turns(): AsyncGenerator<number> {
    const startMs = performance.now();
    for (let n = 0; !this.isOver; n++) {
      while (!this.isOver && n >= (performance.now() - startMs) * this.#perMs) await wait(1);
      yield n;
    }
  }
}

it('loses and duplicates no message in either direction under kill -9', async () => {
  for (const person of people) person.says('Hello');
  const ids = await conversations();
  const said: string[] = [];
  const accepted: string[] = [];
  let sent = 0;
  let livedMs = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const life = new Life(MESSAGES_PER_SECOND);
    const talk = async () => {
      for await (const n of life.turns()) {
        const text = `in ${kill}.${n}`;
        said.push(text);
        people[n % PEOPLE]!.says(text);
      }
    };
    const answer = async () => {
      const unanswered = new Set<Promise<unknown>>();
      for await (const n of life.turns()) {
        if (unanswered.size >= MOST_UNANSWERED) await Promise.race(unanswered);
        const text = `out ${kill}.${n}`;
        sent++;
        const sending: Promise<unknown> = send(ids[n % PEOPLE]!, text)
          .then(({ status }) => status === 200 && accepted.push(text))
          .catch(() => {})
          .finally(() => unanswered.delete(sending));
        unanswered.add(sending);
      }
      await Promise.all(unanswered);
    };
    const busy = [talk(), answer()];
    const lifeMs = 100 + Math.random() ** 3 * LONGEST_LIFE_MS;
    livedMs += lifeMs;
    await wait(lifeMs);
    await gateway.killHard();
    life.isOver = true;
    await Promise.all(busy);
    await gateway.restart();
  }
  const inbound = () =>
    rows().filter(({ direction, text }) => direction === 'inbound' && text.startsWith('in '));
  await waitFor('all that was said', () => inbound().length >= said.length);
  expect(
    inbound()
      .map(({ text }) => text)
      .sort(),
  ).toEqual([...said].sort());

  const received = people
    .flatMap((person) => person.received.map(({ text }) => text!))
    .filter((text) => text.startsWith('out '));
  const receivedOnce = new Set(received);
  expect(receivedOnce.size).toBe(received.length);
  expect(accepted.filter((text) => !receivedOnce.has(text))).toEqual([]);
  const statuses = new Map(rows().map(({ text, status }) => [text, status]));
  expect(accepted.filter((text) => statuses.get(text) !== 'delivered')).toEqual([]);
  // Every message that arrived is delivered, or reported as unknown.
  expect(received.filter((text) => !/^(delivered|unknown)$/.test(statuses.get(text) ?? 'lost'))).toEqual([]);
  expect([...statuses.values()].filter((status) => status === 'sending')).toEqual([]);
  const perSecond = (count: number) => Math.round((count * 1_000) / livedMs);
  const unknown = [...statuses.values()].filter((status) => status === 'unknown').length;
  console.log(
    `${KILLS} kills in ${Math.round(livedMs / 1000)} s of life: ${said.length} said (${perSecond(said.length)} a second), ` +
      `${sent} sent (${perSecond(sent)} a second), ${accepted.length} answered 200, ${received.length} received, ${unknown} unknown`,
  );
}, 3_600_000);

it('sends a message with an idempotency key at most once, even when killed in between', async () => {
  for (const person of people) person.says('Hello');
  const [id = ''] = await conversations();
  const first = send(id, 'only once', 'k').catch(() => null);
  await wait(Math.random() * 20);
  await gateway.killHard();
  await first;
  await gateway.restart();
  const { status } = await send(id, 'only once', 'k');
  const received = people.flatMap((person) => person.received.filter(({ text }) => text === 'only once'));
  // 502 when it is unknown whether the message arrived; otherwise it has arrived once.
  expect([200, 502]).toContain(status);
  expect(received.length).toBeLessThanOrEqual(1);
  if (status === 200) expect(received).toHaveLength(1);
});
