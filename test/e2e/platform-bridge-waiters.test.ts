import { afterAll, beforeAll, expect, it } from 'vitest';
import { quantile } from '../../bench/quantiles.ts';
import { type Answered, BridgeWorld } from '../support/bridge-world.ts';
import { readGatewayRows } from '../support/gateway-database.ts';
import { Slowdown } from '../support/slowdown.ts';
import { waitFor } from '../support/wait-for.ts';

const MOST = 500;
/** As many wait as may, and others are timed: a machine that others use cannot store so many in ten seconds. */
const IS_FULL = process.env.FULL_BRIDGE_WAITERS === '1';
const WAITING = IS_FULL ? MOST : 10;
const REQUESTS = 100;
const ANSWERED = 5;
/** Required on a quiet machine; others get more time before this test fails. */
const REST_P99_MS = 25;
const PATIENCE = 4;

const users = Array.from(
  { length: MOST + 1 },
  (_, n) => `00000000-0000-4000-8000-${`${n}`.padStart(12, '0')}`,
);

let world: BridgeWorld;

beforeAll(async () => {
  world = await BridgeWorld.start();
  await world.connect(users);
});
afterAll(() => world?.stop());

const waiting = () => world.gateway.metric('svc_bridge_requests_waiting');

function conversationOf(user: string): { id: string } | undefined {
  const query = 'select id from conversations where member_id = ?';
  return readGatewayRows<{ id: string }>(world.gateway.dataFolder, query, `con_${user}`)[0];
}

/** The agent answers a person. */
async function reply(user: string): Promise<void> {
  // A request waits from its arrival on, and its conversation is stored meanwhile.
  const { id } = await waitFor('the conversation', () => conversationOf(user));
  const message = { platform: 'teams', conversation_id: id, text: `to ${user}` };
  expect((await world.gateway.agentApi.post('/api/dm/chat', message)).body.status).toBe('delivered');
}

/** p99 of ordinary requests, one after the other. */
async function restP99(): Promise<number> {
  const slowdown = new Slowdown(world.gateway.pid);
  const times: number[] = [];
  for (let n = 0; n < REQUESTS; n++) {
    const startMs = performance.now();
    expect((await world.gateway.agentApi.get(n % 2 === 0 ? '/api/inbox' : '/api/account')).status).toBe(200);
    times.push(performance.now() - startMs);
  }
  return quantile(times, 0.99) / slowdown.factor;
}

/** One more is refused and stores nothing; as an event it is stored nevertheless. */
async function isFull(): Promise<void> {
  const beyond = await world.chat(users[MOST]!, { text: 'one too many' });
  expect([beyond.status, beyond.body.detail]).toEqual([
    429,
    `At most ${MOST} requests of the bridge may wait for a reply per key`,
  ]);
  expect(world.rows('one too many')).toEqual([]);
  const person = { id: `11111111-2222-4333-8444-aaaaaaaaaaaa:${users[MOST]}` };
  const event = { type: 'dm', platform: 'teams', person, message_id: '1', text: 'one too many' };
  expect(await world.events(event)).toEqual([{ status: 'stored' }]);
}

it('many requests wait for replies, harm no others, and each gets its own', async () => {
  const asked = new Map<string, Promise<Answered>>();
  for (const [n, user] of users.slice(0, WAITING).entries())
    asked.set(user, world.chat(user, { text: `from ${n}` }));
  await waitFor('all to wait', async () => (await waiting()) === WAITING);
  if (IS_FULL) await isFull();
  const answered = users.slice(WAITING - ANSWERED, WAITING);
  for (const user of answered) await reply(user);
  const p99 = IS_FULL ? await restP99() : 0;
  const answers = await Promise.all([...asked.values()]);
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  const replies = answers.map(({ body }) => body.reply?.text ?? null);
  const expected = users.slice(0, WAITING).map((user) => (answered.includes(user) ? `to ${user}` : null));
  expect(replies).toEqual(expected);
  expect(world.bridge.texts).toEqual([]);
  expect(await waiting()).toBe(0);
  if (IS_FULL) console.log(`p99 of other requests beside ${WAITING} that wait: ${p99.toFixed(1)} ms`);
  expect(p99).toBeLessThan(REST_P99_MS * PATIENCE);
});

it('many requests that disconnect leave their places', async () => {
  const gone = new AbortController();
  const asked = users
    .slice(0, WAITING)
    .map((user) => world.chat(user, {}, { signal: gone.signal }).catch(() => 'gone'));
  await waitFor('all to wait', async () => (await waiting()) === WAITING);
  gone.abort();
  await Promise.all(asked);
  await waitFor('all places to be free', async () => (await waiting()) === 0);
  const [user = ''] = users;
  const next = world.chat(user, { text: 'and now' });
  await waitFor('the message', () => world.rows('and now').length > 0);
  await world.gateway.agentApi.post('/api/dm/chat', { platform: 'teams', text: 'works' });
  expect((await next).body.reply).toMatchObject({ text: 'works' });
});
