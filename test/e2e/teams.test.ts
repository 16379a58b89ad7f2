import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { FakePerson } from '../fakes/teams/fake-person.ts';
import { FakeTeams } from '../fakes/teams/fake-teams.ts';
import type { AnyJson } from '../support/any-json.ts';
import { EventLog } from '../support/event-log.ts';
import { Gateway } from '../support/gateway.ts';
import { McpCaller } from '../support/mcp-caller.ts';
import { memberOf } from '../support/member.ts';
import { waitFor } from '../support/wait-for.ts';

const PDF = Buffer.alloc(5_000, '%PDF');

let teams: FakeTeams;
let gateway: Gateway;

beforeAll(async () => {
  teams = await FakeTeams.start({ retryDelays: [200, 500, ...Array<number>(20).fill(1_000)] });
  gateway = await Gateway.start({
    env: { ...teams.settings, SVC_FILES_ENABLE_TEAMS: 'on', SVC_DM_TIMEOUT_TEXT: 'off', SVC_SIGNUP: 'open' },
  });
  gateway.secrets.add(teams.bot.secret);
  teams.delivery.url = `${gateway.baseUrl}/api/messages`;
});
afterAll(async () => {
  await gateway?.stop();
  await teams?.stop();
});

/** A person who has shown the bot a one-time code of the account. */
async function connected(name: string): Promise<FakePerson> {
  const person = teams.addPerson(name);
  const { status, body } = await gateway.settingsApi.post('/api/teams/connect', {});
  expect([status, body.deep_link]).toEqual([
    200,
    `https://teams.microsoft.com/l/chat/0/0?users=28:${teams.bot.appId}`,
  ]);
  person.says(body.code);
  await waitFor('the connection', () => person.received().length === 1);
  return person;
}

/** An agent on the inbox WebSocket that answers by MCP. */
async function scriptedAgent(): Promise<{ readonly events: EventLog<AnyJson>; close(): Promise<unknown> }> {
  const mcp = new McpCaller(`${gateway.baseUrl}/mcp/`, { authorization: `Bearer ${gateway.agentKey}` });
  const url = `${gateway.baseUrl.replace('http', 'ws')}/api/inbox/stream?api_key=${gateway.agentKey}`;
  const socket = new WebSocket(url);
  const events = new EventLog<AnyJson>();
  const answers: Promise<unknown>[] = [];
  socket.on('message', (data) => {
    const event = JSON.parse(`${data}`);
    events.push(event);
    if (event.type !== 'dm_chat') return;
    const { conversation_id, message } = event;
    const text = `You said: ${message.text}`;
    answers.push(mcp.call('svc_dm_chat', { platform: 'teams', conversation_id, text }));
  });
  await events.next('the inbox WebSocket', ({ type }) => type === 'ready');
  const close = () => {
    socket.terminate();
    return Promise.all(answers);
  };
  return { events, close };
}

it('lets a scripted agent hear on the inbox WebSocket and answer by MCP, also after a restart', async () => {
  const ada = await connected('Ada');
  const agent = await scriptedAgent();
  ada.says('good morning');
  const event = await agent.events.next('the event', ({ type }) => type === 'dm_chat');
  expect(event).toMatchObject({ platform: 'teams', peer: { remote_id: ada.remoteId, remote_name: 'Ada' } });
  await waitFor('the answer', () => ada.received().at(-1)?.text === 'You said: good morning');
  await agent.close();

  await gateway.restart(() => void ada.says('while you were away'));
  const cursorless = async () =>
    JSON.stringify((await gateway.agentApi.get('/api/inbox?platform=teams&peer=Ada')).body);
  await waitFor('the message', async () => (await cursorless()).includes('while you were away'));
  const { conversation_id } = event;
  const reply = { platform: 'teams', conversation_id, text: '*Back* again' };
  expect((await gateway.agentApi.post('/api/dm/chat', reply)).status).toBe(200);
  expect(ada.received().at(-1)?.text).toBe('**Back** again');
  const tooLong = { ...reply, text: '<'.repeat(6_000) };
  const { status, body } = await gateway.agentApi.post('/api/dm/chat', tooLong);
  expect([status, body.detail]).toEqual([502, expect.stringMatching(/too long for Teams/)]);
  expect(teams.offences).toEqual([]);
}, 60_000);

it('exchanges files while they are on', async () => {
  const { platforms } = (await gateway.agentApi.get('/api/account')).body;
  expect(platforms.teams).toMatchObject({ files: true, capabilities: expect.arrayContaining(['files']) });
  const bea = await connected('Bea');
  bea.sends({ name: 'plan.pdf', mime: 'application/pdf', bytes: PDF }, 'see');
  const found = await waitFor('the file', async () => {
    const { body } = await gateway.agentApi.get('/api/inbox?platform=teams&peer=Bea');
    return JSON.stringify(body).includes('plan.pdf') ? body : null;
  });
  const conversation = found.conversations?.[0] ?? found.conversation;
  const url = /"url":"([^"]+)"/.exec(JSON.stringify(found))?.[1] ?? '';
  expect(Buffer.from(await (await fetch(url)).arrayBuffer())).toEqual(PDF);
  const attachments = [{ bytes_b64: PDF.toString('base64'), name: 'answer.pdf', mime: 'application/pdf' }];
  const { conversation_id } = conversation;
  const sent = await gateway.agentApi.post('/api/dm/chat', {
    platform: 'teams',
    conversation_id,
    text: 'done',
    attachments,
  });
  expect(sent.status).toBe(202);
  const card = await waitFor('the card', () => bea.received().find((each) => each.attachments.length > 0));
  await gateway.restart();
  bea.answersCard(card, true);
  await waitFor('the upload', () => [...teams.files.uploads.values()].some((bytes) => bytes?.equals(PDF)));
}, 60_000);

it('sends a test message to the person who has connected, and to nobody else', async () => {
  const cleo = await connected('Cleo');
  const stranger = await memberOf(gateway, 'stranger@example.com');
  const path = '/api/platforms/teams/test-dm';
  expect((await stranger.request('POST', path)).status).not.toBe(200);
  expect((await gateway.settingsApi.post(path)).status).toBe(200);
  expect(cleo.received().at(-1)?.text).toMatch(/^This is a test message/);
  cleo.blocks();
  const { status, body } = await gateway.settingsApi.post(path);
  expect([status, body.detail]).toEqual([502, expect.stringContaining('MessageWritesBlocked')]);
});

it('does not let another account bind a channel that belongs to one', async () => {
  const [dan, eve] = [teams.addPerson('Dan'), teams.addPerson('Eve')];
  const channel = teams.world.addChannel(teams.world.addTeam('Acme', teams.tenantId), 'plans', [
    dan.user,
    eve.user,
  ]);
  const { body } = await gateway.settingsApi.post('/api/teams/connect', {});
  dan.mentions(channel, body.code);
  await waitFor('the channel', () => channel.messages.some(({ from }) => from === null));
  const other = await memberOf(gateway, 'other@example.com');
  const theirs = await other.request('POST', '/api/teams/connect');
  expect(theirs.status).toBe(200);
  eve.mentions(channel, theirs.body.code);
  await teams.delivery.settled();
  eve.mentions(channel, 'whose is it?');
  const seen = async () => JSON.stringify((await gateway.agentApi.get('/api/inbox?platform=teams')).body);
  await waitFor('the message', async () => (await seen()).includes('whose is it?'));
});
