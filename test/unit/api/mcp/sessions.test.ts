import { describe, expect, test } from 'vitest';
import { appendEvent } from '../../../../src/store/messages/events.ts';
import { McpCaller } from '../../../support/mcp-caller.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { happen, type World, write } from '../../messaging/messaging-world.ts';
import { eventually } from '../served.ts';
import { mcpWorld, TRANSCRIPT, type WorldOptions } from './mcp-world.ts';

const FILE = { name: 'a.txt', mime: 'text/plain', sizeBytes: 3, url: 'https://x.example/f' };
const CHANNEL = 'notifications/claude/channel';
const WAIT = { jsonrpc: '2.0', id: 5, method: 'tools/call', params: { name: 'wait' } };

async function worldWithSession(options: WorldOptions) {
  const started = await mcpWorld(options);
  const caller = new McpCaller(`${started.url}/mcp/?stateful`);
  return { ...started, caller, session: await caller.open() };
}

async function callEvent({ store, clock, accountId, agentId, wakeups }: World, n: number): Promise<void> {
  const payload = { call_id: `call_${n}`, state: 'active' };
  await appendEvent(store.db, { accountId, agentId, type: 'call_state', payload, createdAt: clock.nowIso() });
  wakeups.wake(accountId);
}

describe.each([
  ['on', true],
  ['off', false],
])('with the fast path %s', (_setting, fastPath) => {
  test('a session announces that it pushes, and marks its calls as stateful', async () => {
    const { url } = await mcpWorld({ fastPath });
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 't', version: '1' },
    };
    const initialize = { jsonrpc: '2.0', id: 0, method: 'initialize', params };
    const { text } = await new McpCaller(`${url}/mcp/?stateful=1`).post(initialize);
    expect(text).toContain('"experimental":{"claude/channel":{}}');
    const { text: stateless } = await new McpCaller(`${url}/mcp/`).post(initialize);
    expect(stateless).not.toContain('experimental');
    const session = await new McpCaller(`${url}/mcp/?stateful`).open();
    expect((await session.call('whoami')).result.structuredContent).toMatchObject({ isStateful: true });
  });

  test('a call in a session is answered at once, or by a resumable stream', async () => {
    const { session } = await worldWithSession({ fastPath });
    const ask = (name: string) =>
      session.post({ jsonrpc: '2.0', id: 4, method: 'tools/call', params: { name, arguments: { a: 1 } } });
    const read = await ask('repeat');
    expect(read.headers.get('content-type')).toBe(fastPath ? 'application/json' : 'text/event-stream');
    expect(read.headers.get('mcp-session-id')).toMatch(/^mcs_/);
    const changed = await ask('change');
    expect(changed.headers.get('content-type')).toBe('text/event-stream');
    expect(changed.text).toMatch(
      /^id: call-\d+\nretry: 1000\ndata: \n\nevent: message\nid: call-\d+\ndata: /,
    );
  });

  test('events are pushed with their texts, and with an id to resume from', async () => {
    const { world, session } = await worldWithSession({ fastPath });
    await write(world, '1', { text: 'before anybody listened' });
    const listener = await session.listen();
    await write(world, '1', { text: 'live' });
    await callEvent(world, 1);
    const told = await listener.heard(3);
    expect(told.map(({ data }) => data.method)).toEqual([CHANNEL, CHANNEL, CHANNEL]);
    const [first, second, third] = told.map(({ data }) => data.params);
    expect([first.content, second.content]).toEqual(['before anybody listened', 'live']);
    expect(second.meta).toEqual({
      type: 'dm_chat',
      event_id: expect.stringMatching(/^evt_/),
      created_at: expect.any(String),
      conversation_id: expect.stringMatching(/^cnv_/),
      platform: 'telegram',
      kind: 'direct',
      remote_id: '1',
      remote_name: 'Name of 1',
      message_id: expect.stringMatching(/^msg_/),
      cursor: expect.stringContaining('|msg_'),
    });
    expect(third.meta).toMatchObject({ type: 'call_state', call_id: 'call_1', state: 'active' });
    for (const { data } of told) {
      for (const [name, value] of Object.entries(data.params.meta))
        expect([typeof value, /^\w+$/.test(name)]).toEqual(['string', true]);
    }
  });

  test('a client that was cut off gets everything it missed, from any event, once', async () => {
    const { world, session, transcripts } = await worldWithSession({ fastPath });
    const listener = await session.listen();
    for (let n = 0; n < 5; n++) await write(world, '1', { text: `${n}` });
    const told = await listener.heard(5);
    listener.close();
    for (let n = 5; n < 150; n++) await write(world, '1', { text: `${n}` });
    const again = await session.listen({ 'last-event-id': told[1]!.id! });
    const rest = await again.heard(148);
    expect(rest.map(({ data }) => data.params.content)).toEqual(
      Array.from({ length: 148 }, (_, n) => `${n + 2}`),
    );
    again.close();
    // Without a `Last-Event-ID` it resumes after the last event sent.
    await eventually(() => transcripts.watchers === 0);
    await write(world, '1', { text: 'last' });
    const third = await session.listen();
    expect((await third.heard(1)).at(-1)!.data.params.content).toBe('last');
  });

  test('a client that reconnects takes over its stream', async () => {
    const { world, session } = await worldWithSession({ fastPath });
    const former = await session.listen();
    const latter = await session.listen();
    await eventually(() => former.isOver);
    await write(world, '1');
    await latter.heard(1);
  });

  test('a chat message of a call is pushed with its text, its sender and its files', async () => {
    const { world, session } = await worldWithSession({ fastPath });
    const listener = await session.listen();
    const payload = { call_id: 'call_1', sender: 'Ada', text: 'look', file_ids: ['f_1', 'f_gone'] };
    Object.assign(world.reading, { files: async () => new Map([['f_1', FILE]]) });
    await happen(world, world.agentId, { type: 'call_chat', payload });
    const [told] = await listener.heard(1);
    expect(told!.data.params).toMatchObject({
      content: 'look',
      meta: {
        type: 'call_chat',
        call_id: 'call_1',
        sender: 'Ada',
        attachments: '[{"name":"a.txt","mime":"text/plain","size":3,"url":"https://x.example/f"}]',
      },
    });
    expect(told!.data.params.meta).not.toHaveProperty('file_ids');
  });

  test('an account sees no events of another account', async () => {
    const { world, url, session } = await worldWithSession({ fastPath });
    const other = await new McpCaller(`${url}/mcp/?stateful`, { authorization: 'Bearer svc_other' }).open();
    const listener = await session.listen();
    const others = await other.listen();
    await write(world, '1');
    await listener.heard(1);
    expect(others.told).toEqual([]);
  });

  test('a session reports changes only of the resources it subscribed to', async () => {
    const { session, transcripts } = await worldWithSession({ fastPath });
    const listener = await session.listen();
    transcripts.change();
    expect(
      (await session.ask('resources/subscribe', { uri: 'svc://calls/none/transcript' })).error.code,
    ).toBe(-32602);
    expect((await session.ask('resources/subscribe', { uri: TRANSCRIPT })).result).toEqual({});
    transcripts.change();
    const [told] = await listener.heard(1);
    expect(told!.data).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/resources/updated',
      params: { uri: TRANSCRIPT },
    });
    await session.ask('resources/unsubscribe', { uri: TRANSCRIPT });
    transcripts.change();
    await session.ask('ping');
    expect(listener.told).toHaveLength(1);
  });

  test('an answer survives the loss of the connection that waited for it', async () => {
    const { url, session, tools } = await worldWithSession({ fastPath });
    const aborter = new AbortController();
    const cut = await session.stream(WAIT, aborter.signal);
    const [, id] = /^id: (\S+)$/m.exec(await cut.until((text) => text.includes('data:')))!;
    await eventually(() => tools.waiting.length === 1);
    aborter.abort();
    await eventually(() => cut.isOver);
    tools.waiting[0]!.finish();
    await eventually(() => tools.waiting.length === 0);
    const again = await session.listen({ 'last-event-id': id! });
    const [answer] = await again.heard(1);
    expect(answer!.data).toMatchObject({
      id: 5,
      result: { structuredContent: { waited: true, aborted: false } },
    });
    await eventually(() => again.isOver);
    const other = await new McpCaller(`${url}/mcp/?stateful`, { authorization: 'Bearer svc_other' }).open();
    await expect(other.listen({ 'last-event-id': id! })).rejects.toThrow('400');
  });

  test('a cancelled call ends without an answer, and so does its stream', async () => {
    const { session, tools } = await worldWithSession({ fastPath });
    const asking = session.post(WAIT);
    await eventually(() => tools.waiting.length === 1);
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5 } };
    expect((await session.post(cancel)).status).toBe(202);
    const { status, text } = await asking;
    expect(status).toBe(200);
    expect(text).not.toContain('jsonrpc');
    expect(tools.waiting).toHaveLength(0);
    // Clients reconnect for the answer when a stream just ends; this one has no answer.
    const [, eventId] = /^id: (call-\d+)$/m.exec(text) ?? [];
    expect(eventId).toBeDefined();
    const accept = 'text/event-stream';
    const again = await session.request('GET', { accept, 'last-event-id': eventId! });
    expect([again.status, again.text]).toEqual([204, '']);
    // The id is free again, and the session continues.
    const second = session.post(WAIT);
    await eventually(() => tools.waiting.length === 1);
    tools.waiting[0]!.finish();
    expect((await second).text).toContain('"aborted":false');
  });

  test('a deleted session ends, and so does everything it had open', async () => {
    const { session, tools, counts } = await worldWithSession({ fastPath });
    const listener = await session.listen();
    const asking = session.post(WAIT);
    await eventually(() => tools.waiting.length === 1);
    expect((await session.request('DELETE')).status).toBe(200);
    await eventually(() => listener.isOver && tools.waiting.length === 0);
    await asking;
    expect(counts.ended).toEqual(new Map([['deleted', 1]]));
    for (const method of ['DELETE', 'GET']) {
      const { status, text } = await session.request(method, { accept: 'text/event-stream' });
      expect([status, JSON.parse(text).error.message]).toEqual([404, 'Session not found']);
    }
    expect((await session.post(WAIT)).status).toBe(404);
  });

  test('a session ends as soon as its key is revoked', async () => {
    const { session, endpoint, counts, principal } = await worldWithSession({ fastPath });
    const listener = await session.listen();
    endpoint.follow('key_1', principal.agentIds);
    expect(endpoint.sessionCount).toBe(1);
    endpoint.follow('key_1', []);
    await eventually(() => listener.isOver);
    expect(endpoint.sessionCount).toBe(0);
    expect(counts.ended).toEqual(new Map([['revoked', 1]]));
  });

  test('a session of another credential returns 404', async () => {
    const { session } = await worldWithSession({ fastPath });
    const stolen = session.with({ authorization: 'Bearer svc_other' });
    expect((await stolen.post(WAIT)).status).toBe(404);
    expect((await stolen.request('GET', { accept: 'text/event-stream' })).status).toBe(404);
    expect((await stolen.request('DELETE')).status).toBe(404);
    expect((await session.call('repeat')).result.structuredContent).toEqual({ repeated: {} });
  });

  test('an unused session ends, one with a stream does not', async () => {
    const { session, caller, endpoint, world, counts, transcripts } = await worldWithSession({
      fastPath,
      idleMs: 60_000,
    });
    const heard = await caller.open();
    const listener = await heard.listen();
    world.clock.advance(59_000);
    await session.call('repeat');
    world.clock.advance(59_000);
    expect(endpoint.sessionCount).toBe(2);
    world.clock.advance(2_000);
    expect(endpoint.sessionCount).toBe(1);
    world.clock.advance(600_000);
    expect(endpoint.sessionCount).toBe(1);
    listener.close();
    await eventually(() => transcripts.watchers === 0);
    await heard.call('repeat');
    world.clock.advance(121_000);
    expect(endpoint.sessionCount).toBe(0);
    expect(counts.ended).toEqual(new Map([['idle', 2]]));
  });

  test('an account has a maximum number of sessions: idle ones give way', async () => {
    const { session, caller, endpoint, counts, url, world } = await worldWithSession({
      fastPath,
      maxPerAccount: 3,
    });
    const [second, third] = [await caller.open(), await caller.open()];
    world.clock.advance(1_000);
    for (const one of [session, third]) await one.call('repeat');
    const other = new McpCaller(`${url}/mcp/?stateful`, { authorization: 'Bearer svc_other' });
    await other.open();
    // The second one is now the least recently used.
    const fourth = await caller.open();
    expect((await second.post(WAIT)).status).toBe(404);
    expect(counts.ended).toEqual(new Map([['displaced', 1]]));
    for (const one of [session, third, fourth]) await one.listen();
    await expect(caller.open()).rejects.toThrow('429');
    expect(counts.refused).toBe(1);
    expect(endpoint.sessionCount).toBe(4);
  });

  test('a malformed first request starts no session', async () => {
    const { url, endpoint } = await mcpWorld({ fastPath });
    const caller = new McpCaller(`${url}/mcp/?stateful`);
    const initialize = { jsonrpc: '2.0', id: 0, method: 'initialize', params: {} };
    expect((await caller.post(initialize, { accept: 'text/html' })).status).toBe(406);
    expect((await caller.post(WAIT)).status).toBe(400);
    expect((await caller.request('GET', { accept: 'text/event-stream' })).status).toBe(400);
    expect(endpoint.sessionCount).toBe(0);
  });

  test('an idle stream sends keepalives', async () => {
    const { session, world } = await worldWithSession({ fastPath });
    const listener = await session.listen();
    await waitFor('the opening', () => listener.text !== '');
    // The stream reads the feed before it waits.
    await waitFor('a sign of life', () => {
      world.clock.advance(15_000);
      return listener.text.includes(': keepalive\n\n');
    });
  });
});
