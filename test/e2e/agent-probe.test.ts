import { expect, it, onTestFinished } from 'vitest';
import { Agent } from '../support/agent.ts';
import { GatewayPair } from '../support/gateway-pair.ts';
import { McpCaller } from '../support/mcp-caller.ts';
import { waitFor } from '../support/wait-for.ts';

it('a probe reports open call WebSockets, open MCP streams and unused keys', async () => {
  const pair = await GatewayPair.start();
  onTestFinished(() => pair.stop());
  const { agentApi, settingsApi, agentKey, baseUrl } = pair.caller;
  const unused = (await settingsApi.post('/api/api-keys', { name: 'unused' })).body;
  const assistant = (await settingsApi.post('/api/api-keys', { name: 'assistant' })).body;
  const authorization = `Bearer ${assistant.key}`;
  const session = await new McpCaller(`${baseUrl}/mcp/?stateful`, { authorization }).open();
  const listener = await session.listen();
  const { outbound } = await pair.connect();
  const agent = await Agent.connect(outbound.audio.stream_url, agentKey, 8_000);
  const started = (await settingsApi.post('/api/keys/test-agent/start')).body;
  expect(started.done).toBe(false);
  expect(started.keys).toHaveLength(3);
  expect(started.keys[0]).toMatchObject({ replied: false, verdict: null, signals: null });
  expect((await agentApi.get('/api/keys/test-agent/status')).status).toBe(403);
  const done = await waitFor(
    'the probe to be done',
    async () => {
      const { body } = await settingsApi.get('/api/keys/test-agent/status');
      return body.done && body;
    },
    40_000,
  );
  await agent.close();
  listener.close();
  const byId = new Map<string, { verdict: string; signals: object }>(
    done.keys.map((key: { id: string }) => [key.id, key]),
  );
  expect(byId.get(unused.id)).toMatchObject({
    verdict: 'not_connected',
    signals: { mcp_session: false, call_streams: 0, last_used_at: null },
  });
  expect(byId.get(assistant.id)).toMatchObject({
    verdict: 'connected_but_silent',
    signals: { mcp_session: true, call_streams: 0 },
  });
  for (const { id } of [unused, assistant]) byId.delete(id);
  expect([...byId.values()]).toEqual([
    expect.objectContaining({
      verdict: 'connected_but_silent',
      signals: expect.objectContaining({ mcp_session: false, call_streams: 1 }),
    }),
  ]);
});
