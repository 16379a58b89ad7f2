import { expect, test } from 'vitest';
import { McpCaller } from '../../../support/mcp-caller.ts';
import { mcpWorld, TRANSCRIPT } from './mcp-world.ts';

const CHANGE = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'change', arguments: {} } };
const MODEL = { authorization: 'Bearer svc_model' };

test.each(['', '?stateful'])('a model has only the tools without effects: /mcp/%s', async (query) => {
  const { url } = await mcpWorld({ fastPath: true });
  const all = (await new McpCaller(`${url}/mcp/`).ask('tools/list')).result.tools;
  const caller = new McpCaller(`${url}/mcp/${query}`, MODEL);
  const { tools } = (await caller.ask('tools/list')).result;
  const named = (list: { name: string }[]): string[] => list.map(({ name }) => name);
  expect(named(all)).toContain('change');
  expect(named(tools)).toContain('repeat');
  expect(named(tools)).not.toContain('change');
  expect((await caller.call('repeat', { a: 1 })).result.structuredContent).toEqual({ repeated: { a: 1 } });
  const refused = await caller.post(CHANGE);
  expect(refused.text).toMatch(/"error"|"isError":true/);
  expect(refused.text).not.toContain('changed');
  expect(refused.headers.get('mcp-session-id')).toBeNull();
});

test('a model reads with the tools and transcripts that the policy of its agent has', async () => {
  const { url, withheld } = await mcpWorld();
  const [model, agent] = [new McpCaller(`${url}/mcp`, MODEL), new McpCaller(`${url}/mcp`)];
  const read = async (caller: McpCaller) => await caller.ask('resources/read', { uri: TRANSCRIPT });
  expect((await read(model)).result.contents).toHaveLength(1);
  withheld.add('repeat').add('svc_call_status');
  const named = (await model.ask('tools/list')).result.tools.map(({ name }: { name: string }) => name);
  expect(named).not.toContain('repeat');
  const { isError, content } = (await model.call('repeat', { a: 1 })).result;
  expect([isError, content[0].text]).toEqual([
    true,
    expect.stringMatching(/^403 The policy of the agent does not have the tool repeat\n/),
  ]);
  expect((await model.ask('resources/list')).result.resources).toEqual([]);
  expect(JSON.stringify(await read(model))).not.toContain('hello');
  // A program decides for itself.
  expect((await agent.call('repeat', { a: 1 })).result.structuredContent).toEqual({ repeated: { a: 1 } });
  expect((await read(agent)).result.contents).toHaveLength(1);
});
