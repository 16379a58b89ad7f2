import { describe, expect, it } from 'vitest';
import { McpCaller } from '../../../support/mcp-caller.ts';
import { mcpWorld } from './mcp-world.ts';

const call = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'repeat', arguments: { text: 'a\n\ndata: b' } },
};
const steps = {
  jsonrpc: '2.0',
  id: 2,
  method: 'tools/call',
  params: { name: 'steps', _meta: { progressToken: 't' } },
};
const initialize = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
};
const ping = { jsonrpc: '2.0', id: 3, method: 'ping' };
const list = { jsonrpc: '2.0', id: 4, method: 'tools/list' };
const unknown = { jsonrpc: '2.0', id: 5, method: 'no/such' };

const JSON_ONLY = [
  'application/json',
  'application/*',
  'Application/JSON; charset=utf-8',
  'application/json, text/event-stream;q=0',
];
const EVENTS_ONLY = ['text/event-stream', 'text/*', 'text/event-stream;q=0.5, text/html'];
const EITHER = [
  '*/*',
  'application/json, text/event-stream',
  'text/html, */*;q=0.8',
  'text/event-stream, application/*',
];
const NEITHER = ['text/html', 'image/png, text/html;q=0.5', '*/*;q=0'];

async function worldOf(fastPath: boolean) {
  const { url } = await mcpWorld({ fastPath });
  return {
    caller: new McpCaller(`${url}/mcp`),
    session: await new McpCaller(`${url}/mcp/?stateful`).open(),
    stateful: new McpCaller(`${url}/mcp/?stateful`),
  };
}

/** The id of the answer in an event stream. */
function idIn(text: string): unknown {
  const messages = text
    .split('\n\n')
    .flatMap((frame) => /^data: (.+)$/m.exec(frame)?.[1] ?? [])
    .map((data) => JSON.parse(data));
  return messages.find((message) => 'result' in message || 'error' in message).id;
}

describe.each([true, false])('with the fast path %s', (fastPath) => {
  it.each(JSON_ONLY)('a client that accepts %s gets JSON', async (accept) => {
    const { caller, session, stateful } = await worldOf(fastPath);
    for (const asked of [caller, session])
      for (const body of [call, steps, ping, list, unknown]) {
        for (let times = 0; times < 2; times++) {
          const { status, headers, text } = await asked.post(body, { accept });
          expect([status, headers.get('content-type'), JSON.parse(text).id]).toEqual([
            200,
            'application/json',
            body.id,
          ]);
          expect(headers.get('x-accel-buffering')).toBeNull();
        }
      }
    const { text } = await caller.post(call, { accept });
    expect(JSON.parse(text).result.content[0].text).toContain('data: b');
    const batch = await caller.post([ping, { ...call, id: 9 }], { accept });
    expect(JSON.parse(batch.text).map(({ id }: { id: number }) => id)).toEqual([3, 9]);
    const opened = await stateful.post(initialize, { accept });
    expect([opened.status, JSON.parse(opened.text).id]).toEqual([200, 0]);
    expect(opened.headers.get('mcp-session-id')).toBeTruthy();
    expect((await session.request('GET', { accept })).status).toBe(406);
  });

  it.each(EVENTS_ONLY)('a client that accepts %s gets events', async (accept) => {
    const { caller, session, stateful } = await worldOf(fastPath);
    for (const asked of [caller, session])
      for (const body of [call, steps, ping, list]) {
        for (let times = 0; times < 2; times++) {
          const { status, headers, text } = await asked.post(body, { accept });
          expect([status, headers.get('content-type'), idIn(text)]).toEqual([
            200,
            'text/event-stream',
            body.id,
          ]);
        }
      }
    const opened = await stateful.post(initialize, { accept });
    expect([opened.status, idIn(opened.text)]).toEqual([200, 0]);
  });

  it.each(EITHER)('a client that accepts %s gets what others get', async (accept) => {
    const { caller, session } = await worldOf(fastPath);
    for (const asked of [caller, session])
      for (const body of [call, ping, list]) {
        const usual = await asked.post(body);
        const answer = await asked.post(body, { accept });
        expect([answer.status, answer.headers.get('content-type')]).toEqual([
          usual.status,
          usual.headers.get('content-type'),
        ]);
        expect(answer.text.replace(/^id: .*$/gm, '')).toBe(usual.text.replace(/^id: .*$/gm, ''));
      }
  });

  it.each(NEITHER)('a client that accepts %s is refused', async (accept) => {
    const { caller, session } = await worldOf(fastPath);
    for (const asked of [caller, session]) expect((await asked.post(call, { accept })).status).toBe(406);
  });

  it('a notification has no answer, and a subscription needs events', async () => {
    const { caller, session } = await worldOf(fastPath);
    const accept = 'application/json';
    const notification = { jsonrpc: '2.0', method: 'notifications/initialized' };
    for (const asked of [caller, session])
      expect((await asked.post(notification, { accept })).status).toBe(202);
    const listen = { jsonrpc: '2.0', id: 6, method: 'subscriptions/listen', params: {} };
    expect((await caller.post(listen, { accept })).status).toBe(406);
  });
});
