import { expect, test, vi } from 'vitest';
import { AgentRoster } from '../../../../src/accounts/account/agent-roster.ts';
import { SESSION_MS, SessionCache } from '../../../../src/accounts/sessions/session-cache.ts';
import { closeSession, openSession } from '../../../../src/accounts/sessions/sessions.ts';
import { hashToken } from '../../../../src/base/ids.ts';
import { insertAgent } from '../../../../src/store/agents/agents.ts';
import { NOW, seedAccount } from '../../store/temporary.ts';
import { CLIENT, testPeople } from '../test-people.ts';

const DAY_MS = 86_400_000;

async function opened() {
  const tested = await testPeople();
  const { accountId, agentId } = await seedAccount(tested.store, 'a');
  const token = await openSession(tested.people, accountId, CLIENT);
  return { ...tested, accountId, agentId, token, ring: tested.people.sessions };
}

const rows = ({ store }: Awaited<ReturnType<typeof testPeople>>) =>
  store.db.selectFrom('sessions').selectAll().execute();

test('a token opens a session, and only its hash is stored', async () => {
  const tested = await opened();
  const { ring, token, accountId, agentId } = tested;
  expect(token).toMatch(/^[\w-]{43}$/);
  expect(ring.use(token)).toEqual({ id: expect.stringMatching(/^ses_/), accountId, agentIds: [agentId] });
  expect(ring.use(`${token}x`)).toBeNull();
  const [row] = await rows(tested);
  const { address, userAgent } = CLIENT;
  expect(row).toMatchObject({ accountId, tokenHash: hashToken(token), address, userAgent });
  expect(JSON.stringify(row)).not.toContain(token);
});

test('a session acts for all agents of its account, the default one first', async () => {
  const { people, ring, token, accountId, agentId } = await opened();
  const agent = { accountId, name: 'Second', isDefault: false, createdAt: '2020-01-01T00:00:00.000Z' };
  await insertAgent(people.db, { ...agent, id: 'agt_2' });
  await insertAgent(people.db, { ...agent, id: 'agt_3', createdAt: NOW });
  await people.roster.reload(accountId);
  expect(ring.use(token)?.agentIds).toEqual([agentId, 'agt_2', 'agt_3']);
  const loaded = await AgentRoster.load(people.db);
  expect(loaded.idsOf(accountId)).toEqual([agentId, 'agt_2', 'agt_3']);
  expect(loaded.idsOf('acc_none')).toEqual([]);
});

test('a session ends 30 days after its last use, even across a restart', async () => {
  const tested = await opened();
  const { clock, ring, token, people } = tested;
  for (let i = 0; i < 3; i++) {
    clock.advance(SESSION_MS - DAY_MS);
    expect(ring.use(token)).not.toBeNull();
  }
  await expect.poll(async () => (await rows(tested))[0]?.lastUsedAt).toBe(clock.nowIso());
  const load = () => SessionCache.load(people.db, clock, people.roster, () => {});
  expect((await load()).use(token)).not.toBeNull();
  clock.advance(SESSION_MS);
  expect(ring.use(token)).toBeNull();
  expect((await load()).use(token)).toBeNull();
  expect(await rows(tested)).toEqual([]);
});

test('the last use is written at most once a minute', async () => {
  const tested = await opened();
  const { clock, ring, token } = tested;
  const opening = clock.nowIso();
  ring.use(token);
  clock.advance(59_999);
  ring.use(token);
  expect((await rows(tested))[0]?.lastUsedAt).toBe(opening);
  clock.advance(1);
  ring.use(token);
  await expect.poll(async () => (await rows(tested))[0]?.lastUsedAt).toBe(clock.nowIso());
});

test('a watcher is notified of every closed session', async () => {
  const tested = await opened();
  const { people, ring, token, accountId } = tested;
  const closed = vi.fn();
  ring.watch(closed);
  const first = ring.use(token)!;
  await closeSession(people, first.id);
  expect(ring.use(token)).toBeNull();
  expect(closed).toHaveBeenLastCalledWith(first.id, []);

  const second = await openSession(people, accountId, CLIENT);
  const { id } = ring.use(second)!;
  ring.removeAllOf(accountId);
  expect([ring.use(second), closed.mock.lastCall]).toEqual([null, [id, []]]);

  const third = await openSession(people, accountId, CLIENT);
  await people.db.deleteFrom('sessions').execute();
  await ring.reload();
  expect([ring.use(third), closed.mock.calls.length]).toEqual([null, 3]);
});

test('a watcher is notified when the agents of a session’s account change', async () => {
  const { people, ring, token, accountId, agentId } = await opened();
  const changed = vi.fn();
  ring.watch(changed);
  const { id } = ring.use(token)!;
  const agent = { id: 'agt_2', accountId, name: 'Second', isDefault: false, createdAt: NOW };
  await insertAgent(people.db, agent);
  await people.roster.reload(accountId);
  await people.roster.reload(accountId);
  expect(changed.mock.calls).toEqual([[id, [agentId, 'agt_2']]]);
});

test('an account has at most 50 sessions: the least recently used one is closed', async () => {
  const tested = await opened();
  const { people, clock, ring, token, accountId } = tested;
  const tokens = [token];
  for (let i = 0; i < 50; i++) {
    clock.advance(1_000);
    tokens.push(await openSession(people, accountId, CLIENT));
  }
  expect(tokens.map((each) => ring.use(each) !== null)).toEqual([false, ...Array(50).fill(true)]);
  expect(await rows(tested)).toHaveLength(50);
});
