import { expect, test } from 'vitest';
import { McpCaller } from '../../../support/mcp-caller.ts';
import { mcpWorld } from './mcp-world.ts';

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
