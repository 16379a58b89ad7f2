import { ListToolsResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect, test } from 'vitest';
import { INSTRUCTIONS } from '../../../../src/api/mcp/instructions.ts';
import { ToolWorld } from './tool-world.ts';

/** Specification, "MCP tools (15)". */
const NAMES = [
  'svc_call_join',
  'svc_call_chat',
  'svc_call_status',
  'svc_call_accept',
  'svc_call_refuse',
  'svc_call_typing',
  'svc_call_leave',
  'svc_call_list',
  'svc_call_say',
  'svc_call_stop_speaking',
  'svc_inbox',
  'svc_dm_chat',
  'svc_dm_typing',
  'svc_file_upload_url',
  'svc_account',
];

test('there are the 15 tools of the specification, described once for everybody', async () => {
  const { tools } = await ToolWorld.open();
  expect(tools.descriptions.map(({ name }) => name).sort()).toEqual([...NAMES].sort());
  expect(ListToolsResultSchema.parse({ tools: tools.descriptions })).toEqual({ tools: tools.descriptions });
  for (const { name } of tools.descriptions) expect(tools.find(name)!.description.name).toBe(name);
  expect(tools.find('svc_call')).toBeUndefined();
});

test('every tool says what it takes and gives, as objects without references, and what it may do', async () => {
  const { tools } = await ToolWorld.open();
  for (const { title, description, inputSchema, outputSchema, annotations } of tools.descriptions) {
    for (const schema of [inputSchema, outputSchema]) {
      expect(schema).toMatchObject({ type: 'object' });
      expect(JSON.stringify(schema)).not.toMatch(/"\$(?:ref|defs|schema)"/);
    }
    expect(title).not.toBe('');
    expect(description!.length).toBeGreaterThan(40);
    expect(annotations).toEqual({
      title,
      readOnlyHint: expect.any(Boolean),
      destructiveHint: expect.any(Boolean),
      idempotentHint: expect.any(Boolean),
      openWorldHint: expect.any(Boolean),
    });
  }
});

test('the arguments of a tool are those of its endpoint', async () => {
  const { tools } = await ToolWorld.open();
  const inputOf = (name: string) => {
    const { properties = {}, required = [] } = tools.find(name)!.description.inputSchema;
    return { takes: Object.keys(properties).sort(), needs: required };
  };
  expect(inputOf('svc_account')).toEqual({ takes: [], needs: [] });
  expect(inputOf('svc_call_list')).toEqual({ takes: [], needs: [] });
  expect(inputOf('svc_call_status')).toEqual({ takes: ['call_id', 'since'], needs: ['call_id'] });
  expect(inputOf('svc_call_say')).toEqual({
    takes: ['call_id', 'idempotency_key', 'text'],
    needs: ['call_id', 'text'],
  });
  expect(inputOf('svc_call_join')).toEqual({
    takes: [
      'agent_name',
      'idempotency_key',
      'meeting_url',
      'platform',
      'stt_voice_config_id',
      'tts_voice_config_id',
    ],
    needs: ['platform'],
  });
  expect(inputOf('svc_inbox')).toEqual({
    takes: ['last_message_cursor', 'limit', 'offset', 'peer', 'platform', 'status', 'task', 'wait'],
    needs: [],
  });
  expect(inputOf('svc_dm_chat').needs).toEqual(['platform']);
  expect(inputOf('svc_file_upload_url')).toEqual({ takes: ['mime', 'name'], needs: ['name', 'mime'] });
});

test('what models are told speaks of tools that there are', async () => {
  const { tools } = await ToolWorld.open();
  const told = [INSTRUCTIONS, ...tools.descriptions.map(({ description }) => description)].join('\n');
  const named = new Set(told.match(/svc_[a-z_]*[a-z]/g));
  expect(NAMES).toEqual(expect.arrayContaining([...named]));
  for (const name of ['svc_account', 'svc_inbox', 'svc_dm_chat', 'svc_call_accept'])
    expect(INSTRUCTIONS).toContain(name);
});

test('only tools that look say that they change nothing, and what ends a call says so', async () => {
  const { tools } = await ToolWorld.open();
  const namesWith = (hint: 'readOnlyHint' | 'destructiveHint') =>
    tools.descriptions.filter(({ annotations }) => annotations![hint]).map(({ name }) => name);
  expect(namesWith('readOnlyHint').sort()).toEqual([
    'svc_account',
    'svc_call_list',
    'svc_call_status',
    'svc_inbox',
  ]);
  expect(namesWith('destructiveHint').sort()).toEqual(['svc_call_leave', 'svc_call_refuse']);
});

test('wrong arguments are named, all of them, wherever the endpoint has them', async () => {
  const world = await ToolWorld.open();
  const { error, meta } = await world.call('svc_call_status', { since: -1 });
  expect(error).toBe('422 call_id: Field required; since: Input should be greater than or equal to 0');
  expect(meta).toEqual({
    status: 422,
    detail: [
      { loc: ['arguments', 'call_id'], type: 'missing', msg: 'Field required' },
      { loc: ['arguments', 'since'], type: expect.any(String), msg: expect.any(String) },
    ],
    request_id: 'req_1',
  });
  expect(await world.fault('svc_call_status', { call_id: 'c', since: 'x' })).toMatch(/^422 since: /);
  expect(await world.fault('svc_call_say', { call_id: 'c', text: '' })).toMatch(/^422 text: /);
  expect(await world.fault('svc_call_join', { platform: 'fax' })).toMatch(/^422 platform: /);
  expect(await world.fault('svc_call_join', { platform: 'sip', idempotency_key: '' })).toMatch(
    /^422 idempotency_key: /,
  );
  expect(await world.fault('svc_call_join')).toBe('422 platform: Field required');
  expect(await world.fault('svc_dm_chat', { platform: 'telegram' })).toBe(
    '422 text: text or attachments is required',
  );
  expect(await world.fault('svc_inbox', { wait: 121 })).toMatch(/^422 wait: /);
  expect(await world.fault('svc_inbox', 'all of it')).toMatch(/^422 /);
  expect(world.failures).toEqual([]);
});

test('a bug is an internal error that tells nothing but its request id, and is reported', async () => {
  const world = await ToolWorld.open();
  const bug = new Error('the registry is upside down');
  world.calls.domain.registry.listOf = () => {
    throw bug;
  };
  const { error, meta } = await world.call('svc_call_list');
  expect(error).toBe('500 Internal error');
  expect(meta).toEqual({ status: 500, detail: 'Internal error', request_id: 'req_1' });
  expect(world.failures).toEqual([{ error: bug, requestId: 'req_1' }]);
});
