import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/time.ts';
import type { ModelClient } from '../../../src/models/model-client.ts';
import { openai } from '../../../src/models/openai/openai.ts';
import type { LostTurn } from '../../fakes/model-vendor/vendor-fault.ts';
import { FakeOpenAi } from '../../fakes/openai/fake-openai.ts';
import { faultOf, loopbackHttp, NEVER, NotedTurn, type TestHttp, turnOf } from './turn-parts.ts';

const MODEL = 'gpt-6-luna';
const TURN = /POST \/v1\/responses/;
const TOOLS = { url: 'https://gateway.example/mcp', bearer: 'svc_bearer_0123456789' };

let vendor: FakeOpenAi;
let http: TestHttp;
let client: ModelClient;

beforeEach(async () => {
  vendor = await new FakeOpenAi().start();
  http = loopbackHttp();
  client = connect({ model: MODEL });
});

afterEach(async () => {
  http.close();
  await vendor.stop();
});

function connect(config: Record<string, string>, nowIso = '2026-11-23T12:00:00.000Z'): ModelClient {
  const clock = { ...systemClock, nowIso: () => nowIso };
  const deps = { http, clock, urls: { openai: vendor.url } };
  return openai.connect({ config, secrets: { api_key: vendor.key } }, deps);
}

describe('a turn at OpenAI', () => {
  it('streams the final text alone', async () => {
    vendor.reply = () => [
      { kind: 'reasoning', text: 'The user greets me.' },
      { kind: 'commentary', text: '<write>Let me look.</write>' },
      { kind: 'tool', name: 'svc_dm_history', output: '<leave/>' },
      { kind: 'text', text: 'Good morning, ' },
      { kind: 'text', text: 'how can I help?' },
    ];
    const noted = new NotedTurn();
    const reply = await client.turn(turnOf('Hello'), noted);
    expect(reply).toMatchObject({ text: 'Good morning, how can I help?', finish: 'complete' });
    expect(noted.whole).toBe(reply.text);
    expect(noted.parts.length).toBeGreaterThan(2);
    expect(reply.usage.inputTokens).toBeGreaterThan(0);
    expect(reply.replyId).toMatch(/^resp_/);
    expect(vendor.offences).toEqual([]);
  });

  it('keeps the conversation, and says so before the first turn is sent', async () => {
    const noted = new NotedTurn();
    const sent: number[] = [];
    noted.memoryChanged = () => sent.push(vendor.turns.length);
    const first = await client.turn(turnOf('Remember this word: maple'), noted);
    const { text } = await client.turn(turnOf('Which word?', { memory: first.memory }), noted);
    expect(text).toBe('maple');
    expect(sent).toEqual([0]);
    expect(vendor.stored.ids).toEqual([first.memory!.conversation]);
  });

  it('begins a conversation with its history, however long', async () => {
    const history = [
      { role: 'user', text: 'Remember this word: larch' },
      { role: 'assistant', text: 'OK' },
      ...Array.from({ length: 48 }, (_, at) => ({ role: 'user' as const, text: `Line ${at}` })),
    ] as const;
    let told: unknown;
    vendor.reply = (turn) => {
      told = [...turn.history.map(({ text }) => text), ...turn.text.split('\n')];
      return 'larch';
    };
    await client.turn(turnOf('Which word?', { history }), new NotedTurn());
    expect(told).toEqual([...history.map(({ text }) => text), 'Which word?']);
    expect(vendor.offences).toEqual([]);
  });

  it('gives the bearer of the gateway with each turn, and asks for no approval', async () => {
    vendor.reply = () => [
      { kind: 'tool', name: 'svc_dm_history', output: '[]' },
      { kind: 'text', text: 'Nothing new.' },
    ];
    const reply = await client.turn(turnOf('Hello', { tools: TOOLS }), new NotedTurn());
    expect(reply.text).toBe('Nothing new.');
    expect(vendor.turns[0]!.tools).toEqual([
      {
        type: 'mcp',
        server_label: 'gateway',
        server_url: TOOLS.url,
        authorization: TOOLS.bearer,
        require_approval: 'never',
      },
    ]);
  });

  it('lets OpenAI sum up long conversations, except with models that cannot', async () => {
    const { memory } = await client.turn(turnOf('One'), new NotedTurn());
    vendor.hasCompaction = false;
    await client.turn(turnOf('Two', { memory }), new NotedTurn());
    const { text } = await client.turn(turnOf('Three', { memory }), new NotedTurn());
    expect(text).toContain('Three');
    const asked = vendor.turns.map(({ context_management }) => context_management !== undefined);
    expect(asked).toEqual([true, true, false, false]);
    expect(vendor.offences).toEqual([]);
  });

  it('asks models that think to hurry when the reply is spoken', async () => {
    await client.turn(turnOf('Hello', { isSpoken: true }), new NotedTurn());
    await client.turn(turnOf('Hello'), new NotedTurn());
    await connect({ model: 'gpt-4o-mini' }).turn(turnOf('Hello', { isSpoken: true }), new NotedTurn());
    expect(vendor.turns.map(({ reasoning }) => reasoning?.effort)).toEqual(['low', undefined, undefined]);
  });

  it('says when the reply was cut off', async () => {
    vendor.reply = () => [{ kind: 'text', text: 'Once upon a' }, { kind: 'length' }];
    const reply = await client.turn(turnOf('A story'), new NotedTurn());
    expect(reply).toMatchObject({ text: 'Once upon a', finish: 'cut_off' });
  });
});

describe('a doubtful turn at OpenAI', () => {
  const lose = async (turn: LostTurn) => {
    vendor.failNext({ kind: 'cut', afterChunks: 6, turn }, TURN);
    const noted = new NotedTurn();
    const sent = turnOf('Hello [delivery-1]');
    const fault = await faultOf(client.turn(sent, noted));
    expect(fault).toMatchObject({ kind: 'cut', isDoubtful: true });
    return { ...sent, memory: noted.memories[0]! };
  };

  it('is sent again if OpenAI does not have it', async () => {
    const turn = await lose('absent');
    expect(await client.reconcile(turn)).toEqual({ kind: 'absent' });
    expect((await client.turn(turn, new NotedTurn())).text).toBe('You said: Hello [delivery-1]');
  });

  it('gets a reply without its text if OpenAI has only that', async () => {
    const turn = await lose('unanswered');
    expect(await client.reconcile(turn)).toEqual({ kind: 'unanswered' });
    const reply = await client.turn({ ...turn, text: null }, new NotedTurn());
    expect(reply.text).toBe('You said: Hello [delivery-1]');
    expect(JSON.stringify(vendor.turns[1]!.input)).not.toContain('delivery-1');
  });

  it('has its reply if OpenAI has made one', async () => {
    vendor.reply = () => [
      { kind: 'commentary', text: 'Well.' },
      ...Array.from({ length: 60 }, () => ({ kind: 'tool', name: 'x', output: '' }) as const),
      { kind: 'text', text: 'Hello to you' },
    ];
    const turn = await lose('answered');
    const fate = await client.reconcile(turn);
    expect(fate).toMatchObject({ kind: 'answered', reply: { text: 'Hello to you', finish: 'complete' } });
    expect(vendor.requests.filter(({ method }) => method === 'GET')).toHaveLength(2);
  });

  it('is absent if the conversation is gone', async () => {
    const turn = await lose('absent');
    vendor.stored.loseAll();
    expect(await client.reconcile(turn)).toEqual({ kind: 'absent' });
    expect(await client.reconcile({ ...turn, memory: null })).toEqual({ kind: 'absent' });
  });

  it('is refused if OpenAI’s model declined', async () => {
    vendor.reply = () => [{ kind: 'refusal', text: 'I cannot help with that.' }];
    const turn = await lose('answered');
    expect(await faultOf(client.reconcile(turn))).toMatchObject({ kind: 'refused' });
  });
});

describe('probe and browse at OpenAI', () => {
  it('answer for a key and a model that work, and leave nothing behind', async () => {
    await client.probe(NEVER);
    expect(vendor.turns).toHaveLength(1);
    expect(vendor.stored.ids).toEqual([]);
  });

  it('leave nothing behind when the probe fails', async () => {
    const fault = await faultOf(connect({ model: 'gpt-0' }).probe(NEVER));
    expect(fault).toMatchObject({ kind: 'not_found', status: 404 });
    expect(vendor.stored.ids).toEqual([]);
  });

  it('list the models of text with their ends', async () => {
    const { models, agents, notice } = await client.browse(NEVER);
    expect(models.map(({ id }) => id)).toEqual([MODEL, 'gpt-6.1-sol', 'gpt-4o-mini']);
    expect(models.at(-1)).toEqual({ id: 'gpt-4o-mini', name: 'gpt-4o-mini', endsAt: '2027-01-14' });
    expect([agents, notice]).toEqual([[], null]);
  });

  it('forget a conversation, and one that is gone', async () => {
    const { memory } = await client.turn(turnOf('Hello'), new NotedTurn());
    await client.forget(memory!, NEVER);
    await client.forget(memory!, NEVER);
    expect(vendor.stored.ids).toEqual([]);
  });
});

describe('a stored prompt', () => {
  const PROMPT = { prompt_id: 'pmpt_123', prompt_version: '2' };
  const AFTER_THE_END = '2026-11-30T00:00:00.000Z';

  it('answers until OpenAI ends it', async () => {
    vendor.prompts.add('pmpt_123');
    const reply = await connect(PROMPT).turn(turnOf('Hello'), new NotedTurn());
    expect(reply.text).toBe('You said: Hello');
    expect(vendor.turns[0]!.prompt).toEqual({ id: 'pmpt_123', version: '2' });
    expect((await connect(PROMPT).browse(NEVER)).notice).toBeNull();
  });

  it('is told as ended from then on', async () => {
    const ended = connect(PROMPT, AFTER_THE_END);
    const fault = await faultOf(ended.turn(turnOf('Hello'), new NotedTurn()));
    expect(fault).toMatchObject({ kind: 'bad_request' });
    expect(fault.message).toContain('30 November 2026');
    expect((await ended.browse(NEVER)).notice).toContain('30 November 2026');
  });
});
