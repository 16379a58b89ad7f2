import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/time.ts';
import { mistral } from '../../../src/models/mistral/mistral.ts';
import type { ModelClient } from '../../../src/models/model-client.ts';
import { toolsDigest } from '../../../src/models/provider-conversation.ts';
import { FakeMistral } from '../../fakes/mistral/fake-mistral.ts';
import type { ModelTurnSeen } from '../../fakes/model-vendor/scripted-reply.ts';
import { faultOf, loopbackHttp, NEVER, NotedTurn, type TestHttp, turnOf } from './turn-parts.ts';

const TOOLS = { url: 'https://gateway.example/mcp', bearer: 'internal-bearer-0123456789' };
const INSTRUCTIONS = turnOf('').instructions;

let fake: FakeMistral;
let http: TestHttp;

beforeEach(async () => {
  fake = await new FakeMistral().start();
  http = loopbackHttp();
});

afterEach(async () => {
  http.close();
  await fake.stop();
});

function clientOf(config: Record<string, string> = { model: 'mistral-large-latest' }): ModelClient {
  const settings = { config, secrets: { api_key: fake.key } };
  return mistral.connect(settings, { http, clock: systemClock, urls: { mistral: fake.url } });
}

/** Notes what the model sees. */
function observed(): ModelTurnSeen[] {
  const seen: ModelTurnSeen[] = [];
  fake.reply = (turn) => {
    seen.push(turn);
    return 'Hello';
  };
  return seen;
}

describe('a turn', () => {
  it('streams the reply and ends with the whole of it', async () => {
    const noted = new NotedTurn();
    const reply = await clientOf().turn(turnOf('Hello'), noted);
    expect(reply).toMatchObject({ text: 'You said: Hello', finish: 'complete', memory: noted.memories[0] });
    expect(reply.usage).toEqual({ inputTokens: 10, outputTokens: 5 });
    expect(reply.replyId).toMatch(/^entry_/);
    expect(noted.parts.length).toBeGreaterThan(1);
    expect(noted.whole).toBe(reply.text);
    expect(fake.offences).toEqual([]);
  });

  it('joins several messages, and leaves out thoughts and tools', async () => {
    fake.reply = () => [
      { kind: 'reasoning', text: 'Hm' },
      { kind: 'text', text: 'Let me look.' },
      { kind: 'tool', name: 'inbox', output: '<leave/>' },
      { kind: 'text', text: 'Nothing there.' },
    ];
    const noted = new NotedTurn();
    const { text } = await clientOf().turn(turnOf('Hello'), noted);
    expect(text).toBe('Let me look.\nNothing there.');
    expect(noted.whole).toBe(text);
  });

  it('is cut off when the reply reaches its limit', async () => {
    fake.reply = () => [{ kind: 'text', text: 'And so' }, { kind: 'length' }];
    expect(await clientOf().turn(turnOf('Hello'), new NotedTurn())).toMatchObject({
      text: 'And so',
      finish: 'cut_off',
    });
  });

  it('sends instructions and limits', async () => {
    const seen = observed();
    await clientOf().turn(turnOf('Hello'), new NotedTurn());
    expect(seen[0]).toMatchObject({ model: 'mistral-large-latest', instructions: INSTRUCTIONS });
    expect(fake.requests[0]?.body).toMatchObject({ completion_args: { max_tokens: 500 }, store: true });
  });

  it.each([false, true])('remembers earlier turns (a new id each time: %s)', async (changesIds) => {
    fake.changesIds = changesIds;
    const client = clientOf();
    const first = await client.turn(turnOf('Remember the word: maple'), new NotedTurn());
    const noted = new NotedTurn();
    const second = await client.turn(turnOf('Well', { memory: first.memory }), noted);
    expect(noted.memories).toEqual(changesIds ? [second.memory] : []);
    const third = await client.turn(turnOf('Which word?', { memory: second.memory }), new NotedTurn());
    expect(third.text).toBe('maple');
    expect(fake.conversations.size).toBe(changesIds ? 3 : 1);
    expect(fake.offences).toEqual([]);
  });

  it('is told of earlier turns when the conversation is new', async () => {
    const history = [
      { role: 'user', text: 'Remember the word: maple' },
      { role: 'assistant', text: 'OK' },
    ] as const;
    const { text } = await clientOf().turn(turnOf('Which word?', { history }), new NotedTurn());
    expect(text).toBe('maple');
  });
});

describe('reading from the gateway', () => {
  it('goes by one connector with the bearer, found again after a restart', async () => {
    const seen = observed();
    await Promise.all([clientOf(), clientOf()].map((client) => client.probe(NEVER)));
    const client = clientOf();
    await Promise.all(['a', 'b'].map((text) => client.turn(turnOf(text, { tools: TOOLS }), new NotedTurn())));
    await clientOf().turn(turnOf('c', { tools: TOOLS }), new NotedTurn());
    expect(seen.map(({ tools }) => tools)).toEqual([[TOOLS], [TOOLS], [TOOLS]]);
    expect(fake.connectors.all).toHaveLength(1);
    const other = { ...TOOLS, bearer: 'rotated-bearer-0123456789' };
    await clientOf().turn(turnOf('d', { tools: other }), new NotedTurn());
    expect(seen.at(-1)?.tools).toEqual([other]);
    expect(fake.offences).toEqual([]);
  });

  it('ends with the connector of a bearer that was replaced', async () => {
    const client = clientOf();
    await client.turn(turnOf('a', { tools: TOOLS }), new NotedTurn());
    const other = { ...TOOLS, bearer: 'rotated-bearer-0123456789' };
    await client.turn(turnOf('b', { tools: other }), new NotedTurn());
    await client.forgetTools!(toolsDigest(TOOLS), NEVER);
    await client.forgetTools!(toolsDigest(TOOLS), NEVER);
    expect(fake.connectors.all.map(({ bearer }) => bearer)).toEqual([other.bearer]);
    expect(fake.offences).toEqual([]);
  });

  it('is left out when the key may not use connectors', async () => {
    fake.connectors.isAllowed = false;
    const seen = observed();
    await clientOf().turn(turnOf('a', { tools: TOOLS }), new NotedTurn());
    expect(seen[0]?.tools).toEqual([]);
  });

  it('works again after somebody has deleted the connector', async () => {
    const client = clientOf();
    await client.turn(turnOf('a', { tools: TOOLS }), new NotedTurn());
    fake.connectors.all.splice(0);
    expect((await faultOf(client.turn(turnOf('b', { tools: TOOLS }), new NotedTurn()))).kind).toBe(
      'not_found',
    );
    expect((await client.turn(turnOf('c', { tools: TOOLS }), new NotedTurn())).text).toBe('You said: c');
  });
});

describe('an agent that was picked', () => {
  it('keeps its own settings and is told the instructions first', async () => {
    const { id } = fake.addAgent('Concierge', { instructions: 'You are Ida.' });
    const seen = observed();
    const client = clientOf({ agent_id: id });
    const { memory } = await client.turn(turnOf('Hello', { tools: TOOLS }), new NotedTurn());
    await client.turn(turnOf('Again', { tools: TOOLS, memory }), new NotedTurn());
    expect(seen[0]).toMatchObject({ instructions: 'You are Ida.', text: 'Hello', tools: [] });
    expect(seen[0]?.history).toEqual([{ role: 'user', text: INSTRUCTIONS }]);
    expect(seen[1]?.history).toHaveLength(3);
    expect(fake.offences).toEqual([]);
  });

  it('that calls a function ends the turn', async () => {
    const { id } = fake.addAgent('Concierge');
    fake.reply = () => [{ kind: 'approval', name: 'crm' }];
    const fault = await faultOf(clientOf({ agent_id: id }).turn(turnOf('Hello'), new NotedTurn()));
    expect(fault).toMatchObject({ kind: 'bad_request', message: expect.stringContaining('function') });
  });
});

describe('memory', () => {
  it('is lost when the conversation is gone, or belongs to another key', async () => {
    const client = clientOf();
    const { memory } = await client.turn(turnOf('Hello'), new NotedTurn());
    fake.failNext({ kind: 'refuse', why: 'no_access' });
    expect((await faultOf(client.turn(turnOf('a', { memory }), new NotedTurn()))).kind).toBe('lost_memory');
    fake.conversations.clear();
    expect((await faultOf(client.turn(turnOf('a', { memory }), new NotedTurn()))).kind).toBe('lost_memory');
    expect((await faultOf(client.reconcile(turnOf('a', { memory })))).kind).toBe('lost_memory');
  });

  it('counts as lost when the instructions, the bearer or its own format have changed', async () => {
    const client = clientOf();
    const { memory } = await client.turn(turnOf('Hello'), new NotedTurn());
    for (const parts of [
      { memory, instructions: 'Be brief.' },
      { memory, tools: TOOLS },
      { memory: { id: 'x' } },
    ]) {
      const fault = await faultOf(client.turn(turnOf('a', parts), new NotedTurn()));
      expect(fault).toMatchObject({ kind: 'lost_memory', isDoubtful: false });
    }
  });

  it('holds no secret', async () => {
    const { memory } = await clientOf().turn(turnOf('Hello', { tools: TOOLS }), new NotedTurn());
    expect(JSON.stringify(memory)).not.toContain(TOOLS.bearer);
  });

  it('is deleted at Mistral', async () => {
    const client = clientOf();
    const { memory } = await client.turn(turnOf('Hello'), new NotedTurn());
    await client.forget(memory!, NEVER);
    expect(fake.conversations.size).toBe(0);
    await client.forget(memory!, NEVER);
    await client.forget({ anything: 'else' }, NEVER);
  });
});

describe('an aborted turn', () => {
  it('that has not been sent sends nothing', async () => {
    const signal = AbortSignal.abort(new Error('too late'));
    await expect(clientOf().turn(turnOf('Hello', { signal }), new NotedTurn())).rejects.toThrow('too late');
    expect(fake.requests).toEqual([]);
  });
});

describe('the region', () => {
  it('is one that Mistral has', () => {
    expect(() => clientOf({ model: 'mistral-large-latest', region: 'eu' })).not.toThrow();
    expect(() => clientOf({ model: 'mistral-large-latest', region: 'mars' })).toThrow('global, eu, us');
  });
});
