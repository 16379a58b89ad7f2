import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/time.ts';
import { gemini } from '../../../src/models/gemini/gemini.ts';
import type { ModelClient } from '../../../src/models/model-client.ts';
import { FakeGemini } from '../../fakes/gemini/fake-gemini.ts';
import { faultOf, loopbackHttp, NEVER, NotedTurn, type TestHttp, turnOf } from './turn-parts.ts';

let fake: FakeGemini;
let http: TestHttp;

beforeEach(async () => {
  fake = await new FakeGemini().start();
  http = loopbackHttp();
});

afterEach(async () => {
  http.close();
  await fake.stop();
  expect(fake.offences).toEqual([]);
});

function client({ key = fake.key, model = 'gemini-3.8-flash' } = {}): ModelClient {
  const settings = { config: { model }, secrets: { api_key: key } };
  return gemini.connect(settings, { http, clock: systemClock, urls: { gemini: fake.url } });
}

describe('a turn with Gemini', () => {
  it('streams the reply and counts its tokens', async () => {
    const noted = new NotedTurn();
    const reply = await client().turn(turnOf('Good morning to you'), noted);
    expect(reply.text).toBe('You said: Good morning to you');
    expect(noted.whole).toBe(reply.text);
    expect(noted.parts.length).toBeGreaterThan(2);
    expect(reply.finish).toBe('complete');
    expect(reply.usage).toEqual({ inputTokens: 5, outputTokens: 8 });
    expect(reply.replyId).toBe('v1_000001');
    expect(noted.memories).toEqual([reply.memory]);
  });

  it('leaves its connection to the next one', async () => {
    for (const text of ['one', 'two', 'three']) await client().turn(turnOf(text), new NotedTurn());
    expect(fake.openSockets).toBe(1);
  });

  it('is complete even if the connection breaks at its end', async () => {
    fake.reply = () => 'Hello';
    fake.failNext({ kind: 'cut', afterChunks: 6, turn: 'answered' });
    expect(await client().turn(turnOf('Hi'), new NotedTurn())).toMatchObject({ text: 'Hello' });
  });

  it('is remembered by the next one', async () => {
    const asked = client();
    let memory = null;
    for (const text of ['Remember the word heron', 'Hello', 'And now?']) {
      memory = (await asked.turn(turnOf(text, { memory }), new NotedTurn())).memory;
    }
    const { text } = await asked.turn(turnOf('Which word?', { memory }), new NotedTurn());
    expect(text).toBe('heron');
  });

  it('sends the history only when Gemini does not have it', async () => {
    const history = [
      { role: 'user', text: 'Remember the word heron' },
      { role: 'assistant', text: 'OK' },
    ] as const;
    const asked = client();
    const first = await asked.turn(turnOf('Which word?', { history }), new NotedTurn());
    expect(first.text).toBe('heron');
    await asked.turn(turnOf('Hello', { history, memory: first.memory }), new NotedTurn());
    expect(fake.requests.map(({ body }) => (body as { input: unknown }).input)).toEqual([
      [
        { type: 'user_input', content: [{ type: 'text', text: 'Remember the word heron' }] },
        { type: 'model_output', content: [{ type: 'text', text: 'OK' }] },
        { type: 'user_input', content: [{ type: 'text', text: 'Which word?' }] },
      ],
      'Hello',
    ]);
  });

  it('has lost its memory once the interaction has expired', async () => {
    const asked = client();
    const { memory } = await asked.turn(turnOf('Hello'), new NotedTurn());
    fake.interactions.clear();
    const fault = await faultOf(asked.turn(turnOf('Hello?', { memory }), new NotedTurn()));
    expect(fault).toMatchObject({ kind: 'lost_memory', status: 400, isDoubtful: false });
  });

  it('has lost its memory when the chain has grown too long for Gemini', async () => {
    const error = { code: 'invalid_request', message: 'Invalid input received.' };
    fake.fault = { kind: 'answer', status: 400, body: { error } };
    const memory = { interaction: 'v1_000001' };
    expect(await faultOf(client().turn(turnOf('Hello', { memory }), new NotedTurn()))).toMatchObject({
      kind: 'lost_memory',
    });
    expect(await faultOf(client().turn(turnOf('Hello'), new NotedTurn()))).toMatchObject({
      kind: 'bad_request',
    });
  });

  it('may read from the gateway with its bearer', async () => {
    const tools = { url: 'https://gateway.example/mcp', bearer: 'internal-bearer-0123456789' };
    fake.reply = ({ tools: given }) => JSON.stringify(given);
    const { text } = await client().turn(turnOf('Hello', { tools }), new NotedTurn());
    expect(JSON.parse(text)).toEqual([tools]);
  });

  it('is thought about less when it is spoken', async () => {
    await client().turn(turnOf('Hello', { isSpoken: true }), new NotedTurn());
    await client().turn(turnOf('Hello'), new NotedTurn());
    const levels = fake.requests.map(({ body }) => body as { generation_config: object });
    expect(levels.map(({ generation_config: config }) => config)).toEqual([
      { max_output_tokens: 500, thinking_level: 'low' },
      { max_output_tokens: 500 },
    ]);
  });

  it('counts nothing but the text of the model', async () => {
    fake.reply = () => [
      { kind: 'reasoning', text: '<write>thought</write>' },
      { kind: 'commentary', text: 'One moment.' },
      { kind: 'tool', name: 'list_calls', output: '<write>tool</write>' },
      { kind: 'reasoning', text: '<write>again</write>' },
      { kind: 'text', text: 'No calls' },
      { kind: 'reasoning', text: 'hm' },
      { kind: 'text', text: ' today.' },
    ];
    const noted = new NotedTurn();
    const reply = await client().turn(turnOf('Any calls?'), noted);
    expect(reply.text).toBe('One moment.\nNo calls today.');
    expect(noted.whole).toBe(reply.text);
  });

  it('is cut off by the limit of its length', async () => {
    fake.reply = () => [{ kind: 'text', text: 'Once upon' }, { kind: 'length' }];
    const reply = await client().turn(turnOf('Tell me'), new NotedTurn());
    expect(reply).toMatchObject({ text: 'Once upon', finish: 'cut_off' });
    fake.reply = () => 'Once upon';
    fake.ending = { status: 'requires_continuation' };
    expect(await client().turn(turnOf('Tell me'), new NotedTurn())).toMatchObject({ finish: 'cut_off' });
  });
});

describe('Gemini’s conversations', () => {
  it('are deleted interaction by interaction', async () => {
    const asked = client();
    let memory = null;
    for (const text of ['one', 'two', 'three'])
      memory = (await asked.turn(turnOf(text, { memory }), new NotedTurn())).memory;
    await asked.turn(turnOf('another conversation'), new NotedTurn());
    await asked.forget(memory!, NEVER);
    expect(fake.interactions.size).toBe(1);
    await asked.forget(memory!, NEVER);
  });

  it('are deleted to the end by a second attempt', async () => {
    const asked = client();
    let memory = null;
    for (const text of ['one', 'two', 'three'])
      memory = (await asked.turn(turnOf(text, { memory }), new NotedTurn())).memory;
    fake.failNext({ kind: 'refuse', why: 'overloaded' }, /DELETE .*000002/);
    expect((await faultOf(asked.forget(memory!, NEVER))).kind).toBe('overloaded');
    expect(fake.interactions.size).toBe(2);
    await asked.forget(memory!, NEVER);
    expect(fake.interactions.size).toBe(0);
  });

  it('are not deleted with a wrong key', async () => {
    const { memory } = await client().turn(turnOf('Hello'), new NotedTurn());
    const fault = await faultOf(client({ key: 'wrong-key' }).forget(memory!, NEVER));
    expect(fault.kind).toBe('key_rejected');
    expect(fake.interactions.size).toBe(1);
  });

  it('take a lost turn again, after the same interaction', async () => {
    const asked = client();
    const { memory } = await asked.turn(turnOf('Remember the word heron'), new NotedTurn());
    const turn = turnOf('Which word?', { memory });
    fake.failNext({ kind: 'cut', afterChunks: 4, turn: 'answered' });
    expect(await faultOf(asked.turn(turn, new NotedTurn()))).toMatchObject({ kind: 'cut', isDoubtful: true });
    expect(await asked.reconcile(turn)).toEqual({ kind: 'absent' });
    expect((await asked.turn(turn, new NotedTurn())).text).toBe('heron');
  });
});

describe('Gemini’s models', () => {
  it('are found by their names', async () => {
    await client().probe(NEVER);
    await client({ model: 'models/gemini-3.8-flash' }).probe(NEVER);
    expect(await faultOf(client({ model: 'gemini-0' }).probe(NEVER))).toMatchObject({ kind: 'not_found' });
    expect(await faultOf(client({ model: '' }).probe(NEVER))).toMatchObject({ kind: 'bad_request' });
    expect(fake.requests.every(({ query }) => query.size === 0)).toBe(true);
  });

  it('can be chosen if they write texts, whatever page they are on', async () => {
    fake.pageSize = 1;
    expect(await client({ model: '' }).browse(NEVER)).toEqual({
      models: [
        { id: 'gemini-3.8-flash', name: 'Gemini 3.8 Flash', endsAt: null },
        { id: 'gemini-3.1-pro-preview', name: 'Gemini 3.1 Pro Preview', endsAt: null },
      ],
      agents: [],
      notice: null,
    });
  });

  it('are no models when the endpoint is another', async () => {
    fake.fault = { kind: 'answer', status: 200, body: 'hello' };
    expect(await faultOf(client().browse(NEVER))).toMatchObject({ kind: 'bad_endpoint' });
  });
});
