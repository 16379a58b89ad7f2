import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/time.ts';
import { custom } from '../../../src/models/custom/custom.ts';
import type { ModelClient } from '../../../src/models/model-client.ts';
import { FakeCustom } from '../../fakes/custom/fake-custom.ts';
import { faultOf, loopbackHttp, NotedTurn, type TestHttp, turnOf } from './turn-parts.ts';

type Event = { readonly type: string; readonly [field: string]: unknown };

let vendor: FakeCustom;
let http: TestHttp;
let client: ModelClient;

beforeEach(async () => {
  vendor = await new FakeCustom().start();
  vendor.memory = 'refused';
  http = loopbackHttp();
  const config = { endpoint: `${vendor.url}/v1`, model: 'llama-5-8b' };
  client = custom.connect(
    { config, secrets: { api_key: vendor.key } },
    { http, clock: systemClock, urls: {} },
  );
});

afterEach(async () => {
  http.close();
  await vendor.stop();
});

const at = (item_id: string | null, output_index: number | null, content_index: number | null = 0) => ({
  ...(item_id !== null && { item_id }),
  ...(output_index !== null && { output_index }),
  ...(content_index !== null && { content_index }),
});
const added = (item: object, output_index: number): Event => ({
  type: 'response.output_item.added',
  output_index,
  item,
});
const itemDone = (item: object, output_index: number): Event => ({
  type: 'response.output_item.done',
  output_index,
  item,
});
const delta = (text: string, place: object): Event => ({
  type: 'response.output_text.delta',
  ...place,
  delta: text,
});
const textDone = (text: string, place: object): Event => ({
  type: 'response.output_text.done',
  ...place,
  text,
});
const partDone = (text: string, place: object): Event => ({
  type: 'response.content_part.done',
  ...place,
  part: { type: 'output_text', text, annotations: [] },
});
const thought = (text: string, place: object): Event => ({
  type: 'response.reasoning_text.delta',
  ...place,
  delta: text,
});
const message = (id: string, text = '', fields: object = {}) => ({
  id,
  type: 'message',
  role: 'assistant',
  content: text === '' ? [] : [{ type: 'output_text', text }],
  ...fields,
});
const reasoning = (id: string, text = '') => ({
  id,
  type: 'reasoning',
  summary: [],
  content: [{ type: 'output_text', text }],
});
const completed = (output?: readonly object[], fields: object = {}): Event => ({
  type: 'response.completed',
  response: { id: 'resp_1', status: 'completed', ...(output && { output }), ...fields },
});

/** Sends a stream as the answer to a turn. */
async function replyTo(events: readonly Event[], noted: NotedTurn) {
  const body = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
  const headers = { 'content-type': 'text/event-stream' };
  vendor.failNext({ kind: 'answer', status: 200, body, headers }, /POST \/v1\/responses/);
  return await client.turn(turnOf('Hello'), noted);
}

const commentary = message('m0', 'I look.', { phase: 'commentary' });

const STREAMS: Readonly<Record<string, readonly [events: readonly Event[], text: string, parts: number]>> = {
  'reasoning and message share id and place': [
    [
      added(reasoning('x'), 0),
      thought('Hm.', at('x', 0)),
      itemDone(reasoning('x', 'Hm.'), 0),
      added(message('x'), 0),
      delta('Good ', at('x', 0)),
      delta('day', at('x', 0)),
      completed([]),
    ],
    'Good day',
    2,
  ],
  'a message that is not announced has the place of the reasoning': [
    [
      added(reasoning('rs_1'), 0),
      thought('Hm.', at('rs_1', 0)),
      delta('Good ', at('msg_1', 0)),
      delta('day', at('msg_1', 0)),
      completed([reasoning('rs_1', 'Hm.'), message('msg_1', 'Good day')]),
    ],
    'Good day',
    2,
  ],
  'the reasoning ends under the place of the message': [
    [
      added(reasoning('m7'), 7),
      itemDone(reasoning('m7', 'Hm.'), 8),
      added(message('m8'), 8),
      delta('Good ', at('m8', 8, 5)),
      delta('day', at('m8', 8, 5)),
      textDone('Good day', at('m8', 8, 5)),
      partDone('Good day', at('m8', 8, 5)),
      itemDone(message('m8', 'Good day'), 9),
      completed(),
    ],
    'Good day',
    2,
  ],
  'ids change with each event': [
    [
      added(commentary, 0),
      delta('I look.', at('r1', 0)),
      itemDone({ ...commentary, id: 'r2' }, 0),
      added(message('r3'), 1),
      delta('Good ', at('r4', 1)),
      delta('day', at('r5', 1)),
      textDone('Good day', at('r6', 1)),
      itemDone(message('r7', 'Good day'), 1),
      completed([{ ...commentary, id: 'r8' }, message('r9', 'Good day')]),
    ],
    'Good day',
    2,
  ],
  'commentary and message share id and place': [
    [
      added(commentary, 0),
      delta('I look.', at('m0', 0)),
      textDone('I look.', at('m0', 0)),
      itemDone(commentary, 0),
      added(message('m0'), 0),
      delta('Good day', at('m0', 0)),
      itemDone(message('m0', 'Good day'), 0),
      completed([]),
    ],
    'Good day',
    1,
  ],
  'two messages share id and place, and end late': [
    [
      added(message('m'), 0),
      delta('Good ', at('m', 0)),
      added(message('m'), 0),
      delta('day', at('m', 0)),
      itemDone(message('m', 'Good '), 0),
      itemDone(message('m', 'day'), 0),
      completed([]),
    ],
    'Good day',
    2,
  ],
  'two messages without announcements share id and place': [
    [
      delta('Good ', at('m', 0)),
      delta('day', at('m', 0)),
      itemDone(message('m', 'Good '), 0),
      textDone('day', at('m', 0)),
      itemDone(message('m', 'day'), 0),
      completed([]),
    ],
    'Good day',
    2,
  ],
  'two parts that end late': [
    [
      added(message('m'), 0),
      delta('Good ', at('m', 0, 0)),
      delta('day', at('m', 0, 1)),
      textDone('Good ', at('m', 0, 0)),
      textDone('day', at('m', 0, 1)),
      completed([]),
    ],
    'Good day',
    2,
  ],
  'text only in response.output_text.done': [
    [textDone('Good day', at('m', 0)), completed([])],
    'Good day',
    1,
  ],
  'text only in response.content_part.done, and an end without output': [
    [partDone('Good day', at('m', 0)), completed()],
    'Good day',
    1,
  ],
  'text only in response.output_item.done': [
    [itemDone(message('m', 'Good day'), 0), completed([])],
    'Good day',
    1,
  ],
  'an end without a response': [
    [textDone('Good day', at(null, null, null)), { type: 'response.completed' }],
    'Good day',
    1,
  ],
  'text in all the events that end it, and no delta': [
    [
      added(message('m'), 0),
      textDone('Good day', at('m', 0)),
      partDone('Good day', at('m', 0)),
      itemDone(message('m', 'Good day'), 0),
      completed([message('m', 'Good day')]),
    ],
    'Good day',
    1,
  ],
  'two texts without delta, place or announcement': [
    [textDone('Good ', {}), partDone('Good ', {}), textDone('day', {}), partDone('day', {}), completed([])],
    'Good day',
    2,
  ],
  'deltas that miss the end': [
    [
      added(message('m'), 0),
      delta('Good', at('m', 0)),
      textDone('Good day', at('m', 0)),
      itemDone(message('m', 'Good day'), 0),
      completed([message('m', 'Good day')]),
    ],
    'Good day',
    2,
  ],
  'deltas of the first message alone': [
    [
      added(message('m1'), 0),
      delta('Good ', at('m1', 0)),
      completed([message('m1', 'Good '), message('m2', 'day')]),
    ],
    'Good day',
    2,
  ],
  'a final message without its text': [
    [added(message('m'), 0), delta('Good day', at('m', 0)), completed([message('m')])],
    'Good day',
    1,
  ],
  'a commentary only in the events that end it': [
    [
      added(commentary, 0),
      textDone('I look.', at('m0', 0)),
      partDone('I look.', at('m0', 0)),
      itemDone(commentary, 0),
      itemDone(message('m1', 'Good day'), 1),
      completed([]),
    ],
    'Good day',
    1,
  ],
};

describe('a stream of a copy of the Responses API', () => {
  it.each(Object.entries(STREAMS))('is read where there are %s', async (_, [events, text, parts]) => {
    const noted = new NotedTurn();
    const reply = await replyTo(events, noted);
    expect([reply.text, noted.whole]).toEqual([text, text]);
    expect(noted.parts).toHaveLength(parts);
  });

  it.each([
    { type: 'response.refusal.done', refusal: 'I will not.' },
    { type: 'response.content_part.done', part: { type: 'refusal', refusal: 'I will not.' } },
  ])('tells a refusal that is only in $type', async (event) => {
    const fault = await faultOf(replyTo([event, completed([])], new NotedTurn()));
    expect(fault).toMatchObject({ kind: 'refused', message: 'the model declined: I will not.' });
  });
});

const CALLS = [
  { type: 'computer_call', call_id: 'c1', status: 'completed', pending_safety_checks: [{ id: 's1' }] },
  { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{}', status: 'completed' },
  { type: 'function_call', name: 'look', arguments: '{}' },
  { type: 'local_shell_call', call_id: 'c1', status: 'completed' },
  { type: 'shell_call', call_id: 'c1', status: 'completed' },
  { type: 'apply_patch_call', call_id: 'c1', status: 'completed' },
  { type: 'tool_search_call', call_id: 'c1', execution: 'client', status: 'completed' },
  { type: 'teleport_call', call_id: 'c1', status: 'completed' },
  { type: 'signature_request', id: 'r1' },
];

describe('a reply that waits for its client', () => {
  const text = message('m', 'One moment.');

  it.each(CALLS)('is a fault that names the $type, with and without a text before it', async (call) => {
    for (const events of [
      [completed([call])],
      [completed([text, call])],
      [itemDone(call, 0), completed([])],
      [added(call, 0), completed()],
    ]) {
      const fault = await faultOf(replyTo(events, new NotedTurn()));
      expect(fault.kind).toBe('bad_request');
      expect(fault.message).toContain(`waits for somebody to answer its ${call.type}`);
    }
  });

  it('is a fault without a text where the kind of call is unknown', async () => {
    const fault = await faultOf(replyTo([completed([{ type: 'teleport_call' }])], new NotedTurn()));
    expect(fault.message).toContain('teleport_call');
  });

  it.each([
    [
      { type: 'shell_call', call_id: 'c1' },
      { type: 'shell_call_output', call_id: 'c1' },
    ],
    [
      { type: 'bing_grounding_call', call_id: 'c1' },
      { type: 'bing_grounding_call_output', call_id: 'c1' },
    ],
    [{ type: 'web_search_call', status: 'completed' }],
    [{ type: 'tool_search_call', call_id: 'c1', execution: 'server' }],
    [{ type: 'unheard_of_call', status: 'completed' }],
  ])('is none where the provider has carried the call out: %j', async (...items) => {
    const reply = await replyTo([completed([...items, text])], new NotedTurn());
    expect(reply.text).toBe('One moment.');
  });
});
