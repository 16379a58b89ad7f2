import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/time.ts';
import { custom } from '../../../src/models/custom/custom.ts';
import type { ModelClient } from '../../../src/models/model-client.ts';
import { FakeCustom, type MemoryManner } from '../../fakes/custom/fake-custom.ts';
import { faultOf, loopbackHttp, NEVER, NotedTurn, type TestHttp, turnOf } from './turn-parts.ts';

const TOOLS = { url: 'https://gateway.example/mcp', bearer: 'svc_bearer_0123456789' };
const TURN = /POST \/v1\/responses/;

let vendor: FakeCustom;
let http: TestHttp;
let client: ModelClient;

beforeEach(async () => {
  vendor = await new FakeCustom().start();
  http = loopbackHttp();
  client = connect();
});

afterEach(async () => {
  http.close();
  await vendor.stop();
});

function connect(config: Record<string, string> = {}): ModelClient {
  const all = { endpoint: `${vendor.url}/v1`, model: 'llama-5-8b', ...config };
  return custom.connect(
    { config: all, secrets: { api_key: vendor.key } },
    { http, clock: systemClock, urls: {} },
  );
}

/** Two turns of one conversation. Returns the second answer, and where the conversation is kept. */
async function talk(answered = client) {
  const noted = new NotedTurn();
  const first = await answered.turn(turnOf('Remember this word: willow'), noted);
  const history = [
    { role: 'user', text: 'Remember this word: willow' },
    { role: 'assistant', text: first.text },
  ] as const;
  const second = await answered.turn(turnOf('Which word?', { memory: first.memory, history }), noted);
  return { text: second.text, memory: second.memory, noted };
}

const RUNGS: readonly (readonly [MemoryManner, string, string])[] = [
  ['conversations', 'conversation', 'conversation'],
  ['chain', 'chain', 'history'],
  ['refused', 'history', 'history'],
  ['forgotten', 'history', 'history'],
];

describe('the memory of a custom endpoint', () => {
  it.each(RUNGS)('that has %s is kept by %s after a probe', async (manner, rung) => {
    vendor.memory = manner;
    await client.probe(NEVER);
    expect(vendor.stored.ids).toEqual([]);
    const { text, memory } = await talk();
    expect([text, memory?.rung]).toEqual(['willow', rung]);
  });

  it.each(RUNGS)('that has %s is found without a probe', async (manner, _rung, unprobed) => {
    vendor.memory = manner;
    const { text, memory, noted } = await talk();
    expect([text, memory?.rung]).toEqual(['willow', unprobed]);
    expect(noted.memories.at(-1)).toEqual(memory);
    const created = vendor.requests.filter(({ path }) => path === '/v1/conversations');
    expect(created).toHaveLength(1);
    await client.turn(turnOf('A new conversation'), noted);
    const isAskedAgain = manner === 'conversations';
    expect(vendor.requests.filter(({ path }) => path === '/v1/conversations')).toHaveLength(
      isAskedAgain ? 2 : 1,
    );
  });

  it('is found by another client in what the gateway stored', async () => {
    await client.probe(NEVER);
    const { memory } = await talk();
    const reply = await connect().turn(turnOf('Which word?', { memory }), new NotedTurn());
    expect([reply.text, reply.memory?.rung]).toEqual(['willow', 'chain']);
  });

  it('is lost when the response before is gone, and made again from the history', async () => {
    await client.probe(NEVER);
    const { memory } = await talk();
    vendor.stored.loseAll();
    const fault = await faultOf(client.turn(turnOf('Which word?', { memory }), new NotedTurn()));
    expect(fault).toMatchObject({ kind: 'lost_memory' });
    const history = [
      { role: 'user', text: 'Remember this word: willow' },
      { role: 'assistant', text: 'OK' },
    ] as const;
    const again = await client.turn(turnOf('Which word?', { history }), new NotedTurn());
    expect([again.text, again.memory?.rung]).toEqual(['willow', 'chain']);
  });

  it.each([
    [400, 'Conversation with id conv_1 not found.'],
    [404, "Response with id 'resp_1' not found."],
    [404, 'The previous response has expired.'],
  ])('is lost by status %i, %s', async (status, message) => {
    vendor.failNext({ kind: 'answer', status, body: { error: { message } } }, TURN);
    const turn = turnOf('Hello', { memory: { rung: 'chain', response: 'resp_1' } });
    expect(await faultOf(client.turn(turn, new NotedTurn()))).toMatchObject({ kind: 'lost_memory' });
  });

  it('is no conversation where its routes are refused in whatever way', async () => {
    for (const status of [400, 401, 403, 404, 405, 501]) {
      vendor.failNext({ kind: 'answer', status, body: { error: 'no' } }, /conversations/);
      expect((await connect().turn(turnOf('Hello'), new NotedTurn())).memory).toEqual({ rung: 'history' });
    }
  });

  it('is not decided by what a reply says', async () => {
    vendor.memory = 'conversations';
    vendor.reply = () => [{ kind: 'approval', name: 'delete_all' }];
    expect(await faultOf(client.turn(turnOf('Hello'), new NotedTurn()))).toMatchObject({
      kind: 'bad_request',
    });
    expect(vendor.turns).toHaveLength(1);
  });

  it('is not decided by a temporary fault', async () => {
    vendor.failNext({ kind: 'refuse', why: 'overloaded' }, /conversations/);
    expect(await faultOf(client.turn(turnOf('Hello'), new NotedTurn()))).toMatchObject({
      kind: 'overloaded',
    });
    expect(vendor.turns).toHaveLength(0);
  });

  it('of another kind is lost', async () => {
    const turn = turnOf('Hello', { memory: { interaction: 'v1_1' } });
    expect(await faultOf(client.turn(turn, new NotedTurn()))).toMatchObject({ kind: 'lost_memory' });
  });

  it('is sent again after a lost turn, except in a conversation that has it', async () => {
    const lost = turnOf('Hello [delivery-1]', { memory: { rung: 'chain', response: 'resp_1' } });
    expect(await client.reconcile(lost)).toEqual({ kind: 'absent' });
    vendor.memory = 'conversations';
    vendor.failNext({ kind: 'cut', afterChunks: 5, turn: 'answered' }, TURN);
    const noted = new NotedTurn();
    const turn = turnOf('Hello [delivery-1]');
    expect(await faultOf(client.turn(turn, noted))).toMatchObject({ kind: 'cut', isDoubtful: true });
    const fate = await client.reconcile({ ...turn, memory: noted.memories.at(-1)! });
    expect(fate).toMatchObject({ kind: 'answered', reply: { text: 'You said: Hello [delivery-1]' } });
    await client.forget(noted.memories[0]!, NEVER);
    expect(vendor.stored.ids).toEqual([]);
  });
});

describe('a turn at a custom endpoint', () => {
  it.each(['whole', 'sparse', 'never'] as const)('is read where streaming is %s', async (streaming) => {
    vendor.streaming = streaming;
    vendor.reply = () => [
      { kind: 'commentary', text: '<leave/>' },
      { kind: 'text', text: 'Good morning to you.' },
    ];
    const noted = new NotedTurn();
    const reply = await client.turn(turnOf('Hello'), noted);
    expect([reply.text, noted.whole]).toEqual(['Good morning to you.', 'Good morning to you.']);
    expect(noted.parts).toHaveLength(streaming === 'never' ? 1 : 3);
  });

  it('is cut if no final status was seen', async () => {
    vendor.streaming = 'unfinished';
    const noted = new NotedTurn();
    expect(await faultOf(client.turn(turnOf('Hello'), noted))).toMatchObject({
      kind: 'cut',
      isDoubtful: true,
    });
    expect(noted.whole).toBe('You said: Hello');
  });

  it('gives the bearer only where the owner has switched it on', async () => {
    for (const mcp of ['off', 'on'])
      await connect({ mcp }).turn(turnOf('Hello', { tools: TOOLS }), new NotedTurn());
    const [off, on] = vendor.turns;
    expect(JSON.stringify(off)).not.toContain(TOOLS.bearer);
    expect(on!.tools![0]!.authorization).toBe(TOOLS.bearer);
    expect(() => connect({ mcp: 'yes' })).toThrow('mcp must be on or off');
  });

  it.each([
    ['/v1', ''],
    ['/v1/', ''],
    ['/v1/responses', ''],
    ['/v1/responses/?api-version=preview', 'api-version=preview'],
    ['/v1?api-version=preview', 'api-version=preview'],
  ])('goes to the endpoint %s', async (path, query) => {
    await connect({ endpoint: `${vendor.url}${path}` }).turn(turnOf('Hello'), new NotedTurn());
    expect(vendor.requests.map((request) => `${request.path}?${request.query}`)).toEqual([
      `/v1/conversations?${query}`,
      `/v1/responses?${query}`,
    ]);
  });
});

describe('a custom endpoint', () => {
  it('lists its models, or says that it does not', async () => {
    expect((await client.browse(NEVER)).models.map(({ id }) => id)).toEqual(['llama-5-8b']);
    vendor.failNext({ kind: 'answer', status: 404, body: 'Not Found' });
    expect(await client.browse(NEVER)).toMatchObject({ models: [], notice: /does not list/ });
    vendor.failNext({ kind: 'refuse', why: 'bad_key' });
    expect(await faultOf(client.browse(NEVER))).toMatchObject({ kind: 'key_rejected' });
  });

  it.each([
    [401, { detail: 'Bad token' }, 'key_rejected'],
    [403, { message: 'No' }, 'no_access'],
    [402, { error: { message: 'Pay', code: 402 } }, 'quota'],
    [404, { error: { message: 'The model `x` does not exist.', code: 404 } }, 'not_found'],
    [422, { detail: [{ msg: 'wrong' }] }, 'bad_endpoint'],
    [429, { error: 'slow down' }, 'rate_limited'],
    [500, 'Internal Server Error', 'overloaded'],
    [504, '<html></html>', 'overloaded'],
  ])('fails its probe with %i %j as %s', async (status, body, kind) => {
    vendor.fault = { kind: 'answer', status, body };
    expect(await faultOf(client.probe(NEVER))).toMatchObject({ kind, status });
  });

  it('whose base lacks its /v1 tells the path that is not there', async () => {
    vendor.fault = { kind: 'answer', status: 404, body: '404 page not found' };
    const fault = await faultOf(connect({ endpoint: vendor.url }).probe(NEVER));
    expect(fault).toMatchObject({
      kind: 'bad_endpoint',
      message: 'the endpoint answered HTTP status 404 to POST /responses',
    });
  });

  it('has no server, or none that is allowed', async () => {
    const inside = connect({ endpoint: 'http://10.0.0.1/v1' });
    expect(await faultOf(inside.probe(NEVER))).toMatchObject({ kind: 'bad_endpoint' });
    expect(() => connect({ endpoint: 'nonsense' })).toThrow('not a URL');
    await vendor.stop();
    expect(await faultOf(client.probe(NEVER))).toMatchObject({ kind: 'unreachable', isDoubtful: false });
  });
});
