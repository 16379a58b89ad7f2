import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/time.ts';
import { custom } from '../../../src/models/custom/custom.ts';
import type { ModelClient } from '../../../src/models/model-client.ts';
import { type ChatStrictness, FakeChat } from '../../fakes/custom/fake-chat.ts';
import type { ReplyPart } from '../../fakes/model-vendor/scripted-reply.ts';
import { faultOf, loopbackHttp, NEVER, NotedTurn, type TestHttp, turnOf } from './turn-parts.ts';

const TURN = /POST \/v1\/chat\/completions/;

let vendor: FakeChat;
let http: TestHttp;
let client: ModelClient;

beforeEach(async () => {
  vendor = await new FakeChat().start();
  http = loopbackHttp();
  client = connect();
});

afterEach(async () => {
  http.close();
  await vendor.stop();
  expect(vendor.offences).toEqual([]);
});

function connect(config: Record<string, string> = {}): ModelClient {
  const all = { endpoint: `${vendor.url}/v1/chat/completions`, model: 'qwen-7', ...config };
  const settings = { config: all, secrets: { api_key: vendor.key } };
  return custom.connect(settings, { http, clock: systemClock, urls: {} });
}

describe('Chat Completions of a custom endpoint', () => {
  it.each([
    ['/v1/chat/completions', {}],
    ['/v1/chat/completions/', {}],
    ['/v1', { api: 'chat_completions' }],
    ['/v1/', { api: 'chat_completions' }],
  ])('are spoken at %s with %j', async (path, config) => {
    const asked = connect({ endpoint: `${vendor.url}${path}`, ...config });
    expect((await asked.turn(turnOf('Hello'), new NotedTurn())).text).toBe('You said: Hello');
    expect(vendor.requests.map((request) => request.path)).toEqual(['/v1/chat/completions']);
  });

  it('are not spoken where the settings ask for what they do not have', () => {
    expect(() => connect({ api: 'grpc' })).toThrow('api must be responses or chat_completions');
    expect(() => connect({ mcp: 'on' })).toThrow('reading by MCP needs a Responses API');
    expect(() => connect({ prompt_id: 'pmpt_1' })).toThrow('a stored prompt needs a Responses API');
    expect(() => connect({ endpoint: `${vendor.url}/v1/completions` })).toThrow('another API');
    expect(() => connect({ api: 'responses' })).toThrow('another API');
  });

  it.each([true, false])('are read whether or not they are streamed: %s', async (canStream) => {
    vendor.canStream = canStream;
    vendor.reply = () => [
      { kind: 'reasoning', text: 'The user greets me.' },
      { kind: 'text', text: 'Good morning to you.' },
    ];
    for (const field of ['reasoning_content', 'reasoning'] as const) {
      vendor.reasoningField = field;
      const noted = new NotedTurn();
      const reply = await client.turn(turnOf('Hello'), noted);
      expect(reply).toMatchObject({
        text: 'Good morning to you.',
        finish: 'complete',
        memory: { rung: 'history' },
        usage: { inputTokens: 12, outputTokens: 10 },
        replyId: expect.stringMatching(/^chatcmpl/),
      });
      expect(noted.whole).toBe(reply.text);
      expect(noted.parts.length).toBe(canStream ? 3 : 1);
    }
    const { messages, max_tokens } = vendor.turns[0]!;
    expect(messages[0]).toEqual({ role: 'system', content: 'Answer briefly.' });
    expect(max_tokens).toBe(500);
  });

  it('get the history with each turn', async () => {
    const noted = new NotedTurn();
    const first = await client.turn(turnOf('Remember this word: willow'), noted);
    expect(client.needsHistory!(first.memory!)).toBe(true);
    const history = [
      { role: 'assistant', text: 'Welcome.' },
      { role: 'user', text: 'Remember this word: willow' },
      { role: 'user', text: 'Please.' },
      { role: 'assistant', text: first.text },
    ] as const;
    const second = await client.turn(turnOf('Which word?', { memory: first.memory, history }), noted);
    expect([second.text, noted.memories]).toEqual(['willow', [{ rung: 'history' }]]);
    expect(await client.reconcile(turnOf('Which word?'))).toEqual({ kind: 'absent' });
  });

  it.each<readonly [ChatStrictness, object]>([
    ['max_tokens', { max_completion_tokens: 500 }],
    ['stream_options', { max_tokens: 500, stream: true }],
    ['system', { messages: [{ role: 'user', content: 'Answer briefly.\n\nHello' }] }],
  ])('work with a server that refuses %s, and that is asked once', async (refused, expected) => {
    vendor.strictness.add(refused);
    for (let turns = 0; turns < 2; turns++)
      expect((await client.turn(turnOf('Hello'), new NotedTurn())).text).toContain('Hello');
    expect(vendor.turns).toHaveLength(3);
    expect(vendor.turns[2]).toMatchObject(expected);
  });

  it('work with a server that refuses all of them', async () => {
    for (const refused of ['max_tokens', 'stream_options', 'system'] as const) vendor.strictness.add(refused);
    expect((await client.turn(turnOf('Hello'), new NotedTurn())).text).toContain('Hello');
  });

  it.each<readonly [readonly ReplyPart[], object]>([
    [[{ kind: 'approval', name: 'look' }], { kind: 'bad_request', message: /answer its call of look/ }],
    [
      [
        { kind: 'text', text: 'One moment.' },
        { kind: 'tool', name: 'look', output: '' },
      ],
      { kind: 'bad_request', message: /answer its call of look/ },
    ],
    [[{ kind: 'refusal', text: 'I will not.' }], { kind: 'refused', message: /declined: I will not\./ }],
    [[{ kind: 'filtered' }], { kind: 'refused', message: /content filter/ }],
  ])('that end with %j are a fault, streamed or not', async (parts, fault) => {
    vendor.reply = () => parts;
    for (const canStream of [true, false]) {
      vendor.canStream = canStream;
      const { message, ...rest } = fault as { message: RegExp };
      const found = await faultOf(client.turn(turnOf('Hello'), new NotedTurn()));
      expect(found).toMatchObject(rest);
      expect(found.message).toMatch(message);
    }
  });

  it('say when the reply was cut off, and have no words if there was only reasoning', async () => {
    vendor.reply = () => [{ kind: 'reasoning', text: 'Hm.' }, { kind: 'length' }];
    const reply = await client.turn(turnOf('Hello'), new NotedTurn());
    expect([reply.text, reply.finish]).toEqual(['', 'cut_off']);
  });

  it('are probed, and their models listed', async () => {
    await client.probe(NEVER);
    expect((await client.browse(NEVER)).models.map(({ id }) => id)).toEqual(['qwen-7', 'gpt-oss-20b']);
    expect(await faultOf(connect({ model: 'llama-0' }).probe(NEVER))).toMatchObject({ kind: 'not_found' });
  });

  it('are cut if nothing ends them', async () => {
    vendor.failNext({ kind: 'cut', afterChunks: 2, turn: 'answered' }, TURN);
    const noted = new NotedTurn();
    expect(await faultOf(client.turn(turnOf('Hello'), noted))).toMatchObject({ kind: 'cut' });
    expect(noted.whole).toBe('You sai');
  });
});

const ERRORS: readonly (readonly [server: string, status: number, body: object | string, kind: string])[] = [
  [
    'Ollama',
    404,
    { error: { message: 'model "x" not found, try pulling it first', type: 'api_error' } },
    'not_found',
  ],
  ['Ollama', 500, { error: 'llama runner process has terminated' }, 'overloaded'],
  [
    'vLLM',
    400,
    {
      object: 'error',
      message: "This model's maximum context length is 4096 tokens. However, you requested 5000.",
      type: 'BadRequestError',
      code: 400,
    },
    'too_long',
  ],
  [
    'vLLM',
    404,
    { error: { message: 'The model `x` does not exist.', type: 'NotFoundError', code: 404 } },
    'not_found',
  ],
  [
    'llama.cpp',
    400,
    {
      error: {
        code: 400,
        message: 'the request exceeds the available context size',
        type: 'exceed_context_size_error',
        n_prompt_tokens: 5_000,
        n_ctx: 4_096,
      },
    },
    'too_long',
  ],
  [
    'llama.cpp',
    503,
    { error: { code: 503, message: 'Loading model', type: 'unavailable_error' } },
    'overloaded',
  ],
  [
    'llama.cpp',
    401,
    { error: { code: 401, message: 'Invalid API Key', type: 'authentication_error' } },
    'key_rejected',
  ],
  [
    'LiteLLM',
    401,
    { error: { message: 'Authentication Error', type: 'auth_error', param: 'None', code: '401' } },
    'key_rejected',
  ],
  [
    'LiteLLM',
    400,
    { error: { message: 'Budget has been exceeded!', type: 'budget_exceeded', code: '400' } },
    'quota',
  ],
  [
    'LiteLLM',
    400,
    { error: { message: 'litellm.ContextWindowExceededError: …', type: null, param: null, code: '400' } },
    'too_long',
  ],
  ['a proxy', 502, '<html>Bad Gateway</html>', 'overloaded'],
];

describe('an error of Chat Completions', () => {
  it.each(ERRORS)('of %s with status %i, %j, is %s', async (_, status, body, kind) => {
    vendor.failNext({ kind: 'answer', status, body }, TURN);
    const fault = await faultOf(client.turn(turnOf('Hello'), new NotedTurn()));
    expect(fault).toMatchObject({ kind, status, isDoubtful: false });
  });

  it.each([
    ['{"error":{"message":"litellm.APIError: no","type":null,"param":null,"code":"500"}}', 'overloaded'],
    ['{"error":"out of memory"}', 'overloaded'],
    ['{"error":{"code":400,"message":"too big","type":"exceed_context_size_error"}}', 'too_long'],
  ])('within a stream, %s, is %s', async (error, kind) => {
    const body = `data: {"choices":[{"index":0,"delta":{"content":"He"}}]}\n\ndata: ${error}\n\ndata: [DONE]\n\n`;
    const headers = { 'content-type': 'text/event-stream' };
    vendor.failNext({ kind: 'answer', status: 200, body, headers }, TURN);
    expect(await faultOf(client.turn(turnOf('Hello'), new NotedTurn()))).toMatchObject({ kind });
  });
});

const chunk = (choice: object, rest: object = {}) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, ...choice }], ...rest })}\n\n`;

describe('a stream of Chat Completions', () => {
  it.each([
    ['without a reason for its end', [chunk({ delta: { content: 'Hi' } }), 'data: [DONE]\n\n']],
    ['without [DONE]', [chunk({ delta: { content: 'Hi' } }), chunk({ delta: {}, finish_reason: 'stop' })]],
    [
      'with the whole message at its end',
      [
        chunk({ delta: { content: 'Hi' } }),
        chunk({ message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }),
      ],
    ],
    [
      'whose message is only at its end',
      [chunk({ message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' })],
    ],
    [
      'with parts that think',
      [
        chunk({ delta: { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] }] } }),
        chunk({ delta: { content: [{ type: 'text', text: 'Hi' }] }, finish_reason: 'stop' }),
      ],
    ],
    [
      'with thoughts in its text',
      [
        chunk({ delta: { content: '<think>Hm.</thi' } }),
        chunk({ delta: { content: 'nk>Hi' }, finish_reason: 'stop' }),
      ],
    ],
    [
      'with nulls and a second choice',
      [
        chunk({ delta: { role: 'assistant', content: null, tool_calls: null }, finish_reason: null }),
        chunk({ index: 1, delta: { content: 'No' } }),
        chunk(
          { delta: { content: 'Hi', refusal: null, function_call: null }, finish_reason: 'eos' },
          { usage: null },
        ),
      ],
    ],
  ])('%s is read', async (_, chunks) => {
    const headers = { 'content-type': 'text/event-stream' };
    vendor.failNext({ kind: 'answer', status: 200, body: chunks.join(''), headers }, TURN);
    const noted = new NotedTurn();
    const reply = await client.turn(turnOf('Hello'), noted);
    expect([reply.text, noted.whole, reply.finish]).toEqual(['Hi', 'Hi', 'complete']);
  });
});
