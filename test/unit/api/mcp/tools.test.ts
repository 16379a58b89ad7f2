import { ListToolsResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, test } from 'vitest';
import { INSTRUCTIONS } from '../../../../src/api/mcp/mcp-contents.ts';
import { readingTools } from '../../../../src/api/mcp/tools/mcp-tools.ts';
import { availabilityOf } from '../../../../src/api/mcp/tools/tool-lists.ts';
import type { Account } from '../../../../src/api/schema/account.ts';
import { READING_TOOLS } from '../../../../src/api/schema/agent-policy.ts';
import { portabilityFaults } from '../../../support/schema-portability.ts';
import { ToolWorld } from './tool-world.ts';

/** Specification, "MCP tools (15)", and one for reactions. */
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
  'svc_dm_react',
  'svc_file_upload_url',
  'svc_account',
];

const MAX_INSTRUCTION_CHARACTERS = 2_000;

test('there are the 15 tools of the specification, and one for reactions', async () => {
  const { tools, agent } = await ToolWorld.open();
  const list = await tools.list(agent);
  expect(list.map(({ name }) => name).sort()).toEqual([...NAMES].sort());
  expect(ListToolsResultSchema.parse({ tools: list })).toEqual({ tools: list });
  for (const { name } of list) expect(tools.find(name)!.description.name).toBe(name);
  expect(tools.find('svc_call')).toBeUndefined();
  expect(INSTRUCTIONS.length).toBeLessThanOrEqual(MAX_INSTRUCTION_CHARACTERS);
});

test('the policies of agents name the tools that only read', async () => {
  const { tools, agent } = await ToolWorld.open();
  const reading = await readingTools(tools).list(agent);
  expect(reading.map(({ name }) => name).sort()).toEqual([...READING_TOOLS].sort());
});

test('every tool has schemas without references, and hints', async () => {
  const { tools, agent } = await ToolWorld.open();
  for (const { name, title, description, inputSchema, outputSchema, annotations } of await tools.list(
    agent,
  )) {
    for (const schema of [inputSchema, outputSchema]) {
      expect(schema).toMatchObject({ type: 'object' });
      expect(JSON.stringify(schema)).not.toMatch(/"\$(?:ref|defs|schema)"/);
      expect(portabilityFaults(schema), name).toEqual([]);
    }
    expect(inputSchema).toMatchObject({ additionalProperties: false });
    expect(title).not.toBe('');
    expect(description!.length).toBeGreaterThan(40);
    expect(annotations).toEqual({
      readOnlyHint: expect.any(Boolean),
      destructiveHint: expect.any(Boolean),
      idempotentHint: expect.any(Boolean),
      openWorldHint: expect.any(Boolean),
    });
  }
});

test.each([
  ['a list of types', { type: ['string', 'null'] }],
  ['a bare true', { properties: { a: true } }],
  ['a reference elsewhere', { anyOf: [{ $ref: 'https://example.org/a.json' }] }],
  ['nothing', { properties: { a: { description: 'anything' } } }],
  ['half a condition', { items: { if: { const: 1 } } }],
])('a schema with %s would be found', (_what, schema) => {
  expect(portabilityFaults({ type: 'object', ...schema })).toHaveLength(1);
});

test('every argument is described, with its default and its limits', async () => {
  const { tools } = await ToolWorld.open();
  for (const name of NAMES) {
    const { properties = {}, required = [] } = tools.find(name)!.description.inputSchema;
    for (const [param, property] of Object.entries(properties)) {
      const { description = '', maximum, maxLength, maxItems } = property as Record<string, unknown>;
      const where = `${name} ${param}`;
      expect(`${description}`, where).toMatch(/^[A-Za-z0-9`].{10,}\.$|^1 to 10000 characters\.$/);
      const isOptional = !required.includes(param) && param !== 'text' && param !== 'meeting_url';
      if (isOptional && param !== 'last_message_cursor') expect(description, where).toContain('Default');
      for (const limit of [maximum, maxLength, maxItems])
        if (limit !== undefined) expect(description, where).toContain(`${limit}`);
    }
  }
});

describe('the list of tools shows what the account can use now', () => {
  const nowOf = async (world: ToolWorld, name: string, as = world.agent): Promise<string> => {
    const tool = (await world.tools.list(as)).find((each) => each.name === name)!;
    return /Now: .*$/.exec(tool.description!)?.[0] ?? '';
  };

  test('names what is not connected', async () => {
    const world = await ToolWorld.open();
    expect(await nowOf(world, 'svc_dm_chat')).toBe('Now: agent.');
    expect(await nowOf(world, 'svc_call_join')).toBe('Now: unavailable, no connected platform has calls.');
    expect(await nowOf(world, 'svc_call_chat')).toBe(
      'Now: unavailable, no connected platform has a call chat.',
    );
    expect(await nowOf(world, 'svc_inbox')).toBe('');
  });

  test('respects what the client was granted', async () => {
    const world = await ToolWorld.open();
    const none = { ...world.agent, credentialId: 'key_2', platforms: new Set(['sip'] as const) };
    expect(await nowOf(world, 'svc_dm_chat', none)).toBe(
      'Now: unavailable, no messaging platform is connected.',
    );
  });

  test('depends on the ability to speak, write and call', () => {
    const features = { hosted_stt: 'ready', hosted_tts: 'byok' };
    const sip = { status: 'ok', capabilities: ['audio_in', 'audio_out'], files: false };
    const telegram = { status: 'ok', capabilities: ['read', 'write', 'typing', 'files'], files: true };
    const discord = { status: 'Unauthorized', capabilities: ['audio_in', 'read', 'write'], files: true };
    const zoom = { status: 'ok', capabilities: ['audio_in', 'read', 'write'], files: false };
    const account = { features, platforms: { sip } } as unknown as Account;
    const now = availabilityOf(account, false);
    expect(now.get('svc_call_join')).toBe('Now: sip.');
    expect(now.get('svc_call_say')).toBe('Now: only keys, no text-to-speech preset is enabled (400).');
    expect(now.get('svc_call_status')).toBe('');
    const speaking = { ...account, features: { ...features, hosted_tts: 'ready' } } as unknown as Account;
    expect(availabilityOf(speaking, false).get('svc_call_say')).toBe('Now: sip.');
    const all = { features, platforms: { discord, zoom, telegram, sip } } as unknown as Account;
    expect(availabilityOf(all, true).get('svc_dm_chat')).toBe('Now: telegram, agent.');
    expect(availabilityOf(all, true).get('svc_call_chat')).toBe('Now: zoom.');
    expect(availabilityOf(all, true).get('svc_call_join')).toBe('Now: zoom, sip.');
  });

  test('stays the same list for an unchanged account', async () => {
    const { tools, agent } = await ToolWorld.open();
    expect(await tools.list(agent)).toBe(await tools.list(agent));
  });
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
    takes: ['call_id', 'dtmf', 'idempotency_key', 'text'],
    needs: ['call_id'],
  });
  expect(inputOf('svc_call_join')).toEqual({
    takes: [
      'agent_name',
      'dtmf',
      'idempotency_key',
      'login_id',
      'machine_detection',
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

test('the texts for models mention only existing tools', async () => {
  const { tools, agent } = await ToolWorld.open();
  const told = [INSTRUCTIONS, ...(await tools.list(agent)).map(({ description }) => description)].join('\n');
  const named = new Set(told.match(/svc_[a-z_]*[a-z]/g));
  expect(NAMES).toEqual(expect.arrayContaining([...named]));
  for (const name of ['svc_account', 'svc_inbox', 'svc_dm_chat', 'svc_call_accept'])
    expect(INSTRUCTIONS).toContain(name);
});

test('only reading tools are marked read-only, and those that end a call destructive', async () => {
  const { tools, agent } = await ToolWorld.open();
  const list = await tools.list(agent);
  const namesWith = (hint: 'readOnlyHint' | 'destructiveHint') =>
    list.filter(({ annotations }) => annotations![hint]).map(({ name }) => name);
  expect(namesWith('readOnlyHint').sort()).toEqual([
    'svc_account',
    'svc_call_list',
    'svc_call_status',
    'svc_inbox',
  ]);
  expect(namesWith('destructiveHint').sort()).toEqual(['svc_call_leave', 'svc_call_refuse']);
});

test('all wrong arguments are named, at any position', async () => {
  const world = await ToolWorld.open();
  const { error, meta } = await world.call('svc_call_status', { since: -1 });
  expect(error).toBe('422 call_id: Field required; since: Input should be greater than or equal to 0');
  expect(meta).toEqual({
    status: 422,
    code: 'validation_failed',
    detail: [
      { loc: ['arguments', 'call_id'], type: 'missing', msg: 'Field required' },
      { loc: ['arguments', 'since'], type: expect.any(String), msg: expect.any(String) },
    ],
    retry: 'no',
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

describe('an unknown argument is an error that suggests the right one', () => {
  test.each([
    ['svc_inbox', 'cursor', 'last_message_cursor'],
    ['svc_inbox', 'lastMessageCursor', 'last_message_cursor'],
    ['svc_inbox', 'timeout', 'wait'],
    ['svc_dm_chat', 'message', 'text'],
    ['svc_dm_chat', 'to', 'peer'],
    ['svc_dm_chat', 'conversationId', 'conversation_id'],
    ['svc_dm_chat', 'plattform', 'platform'],
    ['svc_call_join', 'phone_number', 'meeting_url'],
    ['svc_call_status', 'id', 'call_id'],
    ['svc_file_upload_url', 'mime_type', 'mime'],
  ])('%s: %s', async (tool, wrong, right) => {
    const world = await ToolWorld.open();
    const fault = await world.fault(tool, { [wrong]: 'x', platform: 'telegram', text: 'x', call_id: 'c' });
    expect(fault).toMatch(/^422 /);
    expect(fault).toContain(`${wrong}: Unknown argument "${wrong}"; did you mean "${right}"?`);
  });

  test('without a similar name lists all arguments', async () => {
    const world = await ToolWorld.open();
    expect(await world.fault('svc_dm_typing', { platform: 'telegram', colour: 'red' })).toBe(
      '422 colour: Unknown argument "colour"; the arguments are "platform", "conversation_id"',
    );
    expect(await world.fault('svc_account', { verbose: true })).toBe(
      '422 verbose: Unknown argument "verbose"; no arguments are taken here',
    );
  });

  test('handles names of object members and very long names like any other', async () => {
    const world = await ToolWorld.open();
    for (const name of ['constructor', 'toString', 'x'.repeat(100_000), ''])
      expect(await world.fault('svc_account', { [name]: 1 })).toContain('Unknown argument');
    const args = JSON.parse('{"__proto__": 1}');
    expect(await world.fault('svc_account', args)).toContain('__proto__: Unknown argument "__proto__"');
  });

  test('names at most the first 20', async () => {
    const world = await ToolWorld.open();
    const args = Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`argument_${n}`, n]));
    expect((await world.call('svc_account', args)).meta.detail).toHaveLength(20);
  });

  test('a loop that passes the cursor under a wrong name gets an error at once', async () => {
    const world = await ToolWorld.open();
    const { cursor } = await world.ask('svc_inbox');
    expect(await world.fault('svc_inbox', { cursor, wait: 55 })).toContain('last_message_cursor');
  });
});

test.each([
  ['svc_dm_typing', { platform: 'Telegram' }, 'did you mean "telegram"?'],
  ['svc_dm_typing', { platform: 'telegramm' }, 'did you mean "telegram"?'],
  ['svc_call_join', { platform: 'SIP' }, 'did you mean "sip"?'],
  ['svc_inbox', { status: 'unread' }, 'Input should be one of "active", "closed", "all"'],
])('a wrong choice is an error that lists the right ones: %s %j', async (tool, args, words) => {
  const world = await ToolWorld.open();
  const fault = await world.fault(tool, args);
  expect(fault).toMatch(/^422 /);
  expect(fault).toContain(words);
});

test('a bug is returned as an internal error with nothing but its request id, and is reported', async () => {
  const world = await ToolWorld.open();
  const bug = new Error('the registry is upside down');
  world.calls.domain.registry.listOf = () => {
    throw bug;
  };
  const { error, meta } = await world.call('svc_call_list');
  expect(error).toBe('500 Internal error');
  expect(meta).toEqual({
    status: 500,
    code: 'internal_error',
    detail: 'Internal error',
    retry: 'unsure',
    request_id: 'req_1',
  });
  expect(world.failures).toEqual([{ error: bug, requestId: 'req_1' }]);
});
