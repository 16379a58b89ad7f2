import { expect, it } from 'vitest';
import { attachMember, insertAgent } from '../../../src/store/agents/agents.ts';
import { NOW } from '../store/temporary.ts';
import { MeetingWorld } from './meeting-world.ts';

async function connection(
  world: MeetingWorld,
  id: string,
  {
    loginKey = null,
    providerUserId = null,
  }: { loginKey?: string | null; providerUserId?: string | null } = {},
): Promise<void> {
  const login = { loginKey, providerUserId };
  const row = { id, accountId: 'acc_a', provider: 'discord', label: `Label ${id}`, status: 'ok', ...login };
  await world.store.db
    .insertInto('connections')
    .values({ ...row, remoteId: null, email: null, sealedCredentials: '', createdAt: NOW, updatedAt: NOW })
    .execute();
  await attachMember(world.store.db, 'agt_a', { type: 'connection', id });
}

it('is the agent’s only one, and the connector is told of it', async () => {
  const world = await MeetingWorld.open();
  await world.bot('a', 'bot_a');
  await world.bot('b', 'bot_b');
  const call = await world.place();
  expect(call.login).toEqual({ kind: 'bot_token', id: 'bot_a' });
  expect(world.meetings.leg.request).toEqual({
    callId: call.identity.callId,
    accountId: 'acc_a',
    agentId: 'agt_a',
    login: { kind: 'bot_token', id: 'bot_a' },
    target: 'https://meet.example/1',
    dtmf: '',
    agentName: 'AI Agent',
  });
});

it('cannot press keys on a platform that has none', async () => {
  const world = await MeetingWorld.open();
  await world.bot('a', 'bot_a');
  await expect(world.place({ dtmf: '1#' })).rejects.toMatchObject({
    code: 'capability_missing',
    message: 'Calls on this platform take no dtmf',
  });
});

it('is missing: the error says what to register', async () => {
  const world = await MeetingWorld.open();
  await world.bot('b', 'bot_b');
  await expect(world.place()).rejects.toMatchObject({ status: 400, message: 'No discord bot registered' });
  await expect(world.place({ meetingUrl: '' })).rejects.toThrow('meeting_url required');
  world.meetings.loginKinds = ['connection'];
  await expect(world.place({ meetingUrl: '' })).rejects.toThrow('meeting_url required');
  await expect(world.place()).rejects.toMatchObject({ code: 'platform_not_configured' });
  expect(world.domain.registry.all()).toEqual([]);
});

it('must be chosen if several fit: the error names them and the field', async () => {
  const world = await MeetingWorld.open();
  await world.bot('a', 'bot_1', { botName: 'Helper' });
  await world.bot('a', 'bot_2', { botName: 'x'.repeat(65_536) });
  await expect(world.place()).rejects.toMatchObject({
    code: 'login_ambiguous',
    status: 400,
    message: `Several discord logins can place this call; choose one with login_id: bot_1 (Helper), bot_2 (${'x'.repeat(80)})`,
  });
  expect((await world.place({ loginId: 'bot_2' })).login).toEqual({ kind: 'bot_token', id: 'bot_2' });
  for (let i = 3; i <= 30; i++) await world.bot('a', `bot_${i}`);
  await expect(world.place()).rejects.toThrow(/bot_10 \(Bot bot_10\).* and 20 more$/);
});

it('of another account, of another agent, of a kind that places no calls and an unknown one are the same', async () => {
  const world = await MeetingWorld.open();
  await world.bot('a', 'bot_a');
  await world.bot('b', 'bot_b');
  await insertAgent(world.store.db, {
    id: 'agt_2',
    accountId: 'acc_a',
    name: 'Two',
    isDefault: false,
    createdAt: NOW,
  });
  await world.bot('a', 'bot_of_two', { agentId: 'agt_2' });
  await connection(world, 'con_1');
  const faults = [];
  for (const loginId of ['bot_b', 'bot_of_two', 'con_1', 'shared', 'trunk', 'bot_none', 'x'.repeat(65_536)])
    faults.push(await world.place({ loginId }).catch(({ code, status, message }) => [code, status, message]));
  const text = 'login_id is not a login with which this agent can place the call';
  expect(faults).toEqual(Array(7).fill(['login_not_found', 404, text]));
});

it('is the one that leads to the target, where the platform can tell', async () => {
  const world = await MeetingWorld.open();
  await world.bot('a', 'bot_1');
  await world.bot('a', 'bot_2');
  const reaches = ({ id }: { readonly id: string }, target: string) => target.endsWith(id.slice(-1));
  Object.assign(world.meetings, { reaches });
  expect((await world.place({ meetingUrl: 'https://meet.example/2' })).login).toMatchObject({ id: 'bot_2' });
  // The platform says what is wrong with it.
  await expect(world.place({ meetingUrl: 'https://meet.example/3' })).rejects.toMatchObject({
    code: 'login_ambiguous',
  });
});

it('decides which of the scope’s agents calls', async () => {
  const world = await MeetingWorld.open();
  const agent = { id: 'agt_2', accountId: 'acc_a', name: 'Two', isDefault: false, createdAt: NOW };
  await insertAgent(world.store.db, agent);
  await world.bot('a', 'bot_of_two', { agentId: 'agt_2' });
  const scope = { ...world.scope('a'), agentIds: ['agt_a', 'agt_2'] };
  const call = await world.place({}, scope);
  expect(call.identity.agentId).toBe('agt_2');
  // A login of both belongs to the first, and is one login.
  await attachMember(world.store.db, 'agt_a', { type: 'bot_token', id: 'bot_of_two' });
  expect((await world.place({}, scope)).identity.agentId).toBe('agt_a');
});

it('is the shared one only without an own one, or by its id', async () => {
  const world = await MeetingWorld.open();
  world.meetings.shared = { name: '@gateway', status: 'ok' };
  expect((await world.place()).login).toEqual({ kind: 'shared' });
  await world.bot('a', 'bot_a');
  expect((await world.place()).login).toEqual({ kind: 'bot_token', id: 'bot_a' });
  expect((await world.place({ loginId: 'shared' })).login).toEqual({ kind: 'shared' });
});

it('is never a person’s link to the shared login', async () => {
  const world = await MeetingWorld.open();
  world.meetings.loginKinds = ['connection'];
  await connection(world, 'con_linked', { loginKey: 'shared' });
  await expect(world.place()).rejects.toMatchObject({ code: 'platform_not_configured' });
  await connection(world, 'con_own');
  expect((await world.place({ meetingUrl: '' })).login).toEqual({ kind: 'connection', id: 'con_own' });
});

it('may be a connection by OAuth that links its person to the shared login as well', async () => {
  const world = await MeetingWorld.open();
  world.meetings.loginKinds = ['connection'];
  await connection(world, 'con_oauth', { loginKey: 'shared', providerUserId: 'tenant:ada' });
  expect((await world.place()).login).toEqual({ kind: 'connection', id: 'con_oauth' });
});

it('is the trunk where calls go over one, without asking the database', async () => {
  const world = await MeetingWorld.open();
  world.meetings.loginKinds = ['trunk'];
  await world.bot('a', 'bot_a');
  await world.bot('a', 'bot_2');
  expect((await world.place()).login).toEqual({ kind: 'trunk' });
});
