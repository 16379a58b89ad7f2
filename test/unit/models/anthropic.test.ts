import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/time.ts';
import { anthropic } from '../../../src/models/anthropic/anthropic.ts';
import type { ModelClient } from '../../../src/models/model-client.ts';
import { toolsDigest } from '../../../src/models/provider-conversation.ts';
import { FakeAnthropic } from '../../fakes/anthropic/fake-anthropic.ts';
import type { ModelTurnSeen } from '../../fakes/model-vendor/scripted-reply.ts';
import { waitFor } from '../../support/wait-for.ts';
import { HALF_A_REPLY } from './aborted-turn.ts';
import { faultOf, loopbackHttp, NEVER, NotedTurn, type TestHttp, turnOf } from './turn-parts.ts';

const TOOLS = { url: 'https://gateway.example/mcp', bearer: 'internal-bearer-0123456789' };
const INSTRUCTIONS = turnOf('').instructions;

let fake: FakeAnthropic;
let http: TestHttp;

beforeEach(async () => {
  fake = await new FakeAnthropic().start();
  http = loopbackHttp();
});

afterEach(async () => {
  http.close();
  await fake.stop();
});

function clientOf(
  config: Record<string, string> = { model: 'claude-opus-5-5' },
  key = fake.key,
): ModelClient {
  const settings = { config, secrets: { api_key: key } };
  return anthropic.connect(settings, { http, clock: systemClock, urls: { anthropic: fake.url } });
}

/** Notes what the model sees. */
function observed(reply: string): ModelTurnSeen[] {
  const seen: ModelTurnSeen[] = [];
  fake.reply = (turn) => {
    seen.push(turn);
    return reply;
  };
  return seen;
}

describe('a turn', () => {
  it('streams the reply and ends with the whole of it', async () => {
    const noted = new NotedTurn();
    const reply = await clientOf().turn(turnOf('Hello'), noted);
    expect(reply).toMatchObject({ text: 'You said: Hello', finish: 'complete', memory: noted.memories[0] });
    expect(reply.usage).toEqual({ inputTokens: 15, outputTokens: 5 });
    expect(noted.parts.length).toBeGreaterThan(1);
    expect(noted.whole).toBe(reply.text);
    expect(fake.offences).toEqual([]);
  });

  it('passes on the whole message where its parts are missing', async () => {
    fake.hasDeltas = false;
    const noted = new NotedTurn();
    const reply = await clientOf().turn(turnOf('Hello'), noted);
    expect(noted.parts).toEqual(['You said: Hello']);
    expect(reply.text).toBe('You said: Hello');
  });

  it('joins several messages, and leaves out thoughts and tools', async () => {
    fake.reply = () => [
      { kind: 'reasoning', text: 'Hm' },
      { kind: 'text', text: 'Let me look.' },
      { kind: 'tool', name: 'inbox', output: '<leave/>' },
      { kind: 'text', text: 'Nothing there.' },
    ];
    const noted = new NotedTurn();
    const { text } = await clientOf().turn(turnOf('Hello', { tools: TOOLS }), noted);
    expect(text).toBe('Let me look.\nNothing there.');
    expect(noted.whole).toBe(text);
  });

  it('remembers earlier turns by the session', async () => {
    const client = clientOf();
    const first = await client.turn(turnOf('Remember the word: maple'), new NotedTurn());
    const noted = new NotedTurn();
    const second = await client.turn(turnOf('Which word?', { memory: first.memory }), noted);
    expect(second.text).toBe('maple');
    expect(noted.memories).toEqual([]);
    expect(fake.sessions.size).toBe(1);
  });

  it('is told of earlier turns when the session is new', async () => {
    const history = [
      { role: 'user', text: 'Remember the word: maple' },
      { role: 'assistant', text: 'OK' },
    ] as const;
    const { text } = await clientOf().turn(turnOf('Which word?', { history }), new NotedTurn());
    expect(text).toBe('maple');
  });

  it('waits while the service tries again', async () => {
    fake.reply = () => [
      { kind: 'failure', code: 'retrying', message: 'busy' },
      { kind: 'text', text: 'Here I am' },
    ];
    expect((await clientOf().turn(turnOf('Hello'), new NotedTurn())).text).toBe('Here I am');
  });

  it('with little effort is spoken, unless the model takes none', async () => {
    await clientOf().turn(turnOf('Hello', { isSpoken: true }), new NotedTurn());
    const bodies = fake.requests.filter(({ path, method }) => method === 'POST' && path === '/v1/sessions');
    expect(bodies[0]?.body).toMatchObject({ agent: { model: { id: 'claude-opus-5-5', effort: 'low' } } });
    const old = clientOf({ model: 'claude-haiku-4-5' });
    expect((await old.turn(turnOf('Hello', { isSpoken: true }), new NotedTurn())).text).toBe(
      'You said: Hello',
    );
  });
});

describe('what the gateway makes at Anthropic', () => {
  it('is one agent and one environment for all conversations, also after a restart', async () => {
    const client = clientOf();
    await Promise.all(['a', 'b', 'c'].map((text) => client.turn(turnOf(text), new NotedTurn())));
    await clientOf({ model: 'claude-haiku-5-5' }).turn(turnOf('d'), new NotedTurn());
    expect(fake.sessions.size).toBe(4);
    expect(fake.agents.all).toHaveLength(1);
    expect(fake.environments.all).toHaveLength(1);
    expect(fake.lastSession.setup).toMatchObject({ model: 'claude-haiku-5-5', system: INSTRUCTIONS });
  });

  it('is found among many others, and made again once it is archived', async () => {
    for (let count = 0; count < 230; count++) fake.agents.add({ name: `Agent ${count}` });
    const client = clientOf();
    await client.turn(turnOf('a'), new NotedTurn());
    const own = fake.agents.all.find(({ name }) => name === 'Voice and chat gateway')!;
    for (let count = 0; count < 230; count++) fake.agents.add({ name: `Agent ${count}` });
    await clientOf().turn(turnOf('b'), new NotedTurn());
    expect(fake.agents.all).toHaveLength(461);
    fake.archive(own.id);
    await client.turn(turnOf('c'), new NotedTurn());
    expect(fake.agents.all).toHaveLength(462);
  });

  it('holds the bearer in one vault, found again after a restart', async () => {
    const seen = observed('Hello');
    await clientOf().turn(turnOf('a', { tools: TOOLS }), new NotedTurn());
    await clientOf().turn(turnOf('b', { tools: TOOLS }), new NotedTurn());
    expect(seen.map(({ tools }) => tools)).toEqual([[TOOLS], [TOOLS]]);
    expect(fake.vaults.all).toHaveLength(1);
    const other = { ...TOOLS, bearer: 'rotated-bearer-0123456789' };
    await clientOf().turn(turnOf('c', { tools: other }), new NotedTurn());
    expect(seen.at(-1)?.tools).toEqual([other]);
    expect(fake.offences).toEqual([]);
  });

  it('is nothing to read from when the key may not keep secrets', async () => {
    fake.hasVaults = false;
    const seen = observed('Hello');
    await clientOf().turn(turnOf('a', { tools: TOOLS }), new NotedTurn());
    expect(seen[0]?.tools).toEqual([]);
  });

  it('ends with the vault of a bearer that was replaced', async () => {
    await clientOf().turn(turnOf('a', { tools: TOOLS }), new NotedTurn());
    const other = { ...TOOLS, bearer: 'rotated-bearer-0123456789' };
    await clientOf().turn(turnOf('b', { tools: other }), new NotedTurn());
    const kept = fake.vaults.all[0];
    const client = clientOf();
    await client.forgetTools!(toolsDigest(TOOLS), NEVER);
    await client.forgetTools!(toolsDigest(TOOLS), NEVER);
    expect(fake.vaults.all).toEqual([kept]);
    expect(fake.offences).toEqual([]);
  });
});

describe('an agent that was picked', () => {
  const schema = { type: 'object' };

  function pick(): ModelClient {
    const tools = [{ type: 'custom', name: 'crm', description: 'Customers', input_schema: schema }];
    const model = { id: 'claude-opus-5-5' };
    const agent = fake.agents.add({
      name: 'Concierge',
      system: 'You are Ida.',
      model,
      tools,
      mcp_servers: [],
    });
    return clientOf({ agent_id: agent.id });
  }

  it('keeps its own instructions and tools, and gets those of the gateway', async () => {
    await pick().turn(turnOf('Hello', { tools: TOOLS }), new NotedTurn());
    const { system, tools, model } = fake.lastSession.setup;
    expect(system).toBe(`You are Ida.\n\n${INSTRUCTIONS}`);
    expect(tools.map(({ type }) => type)).toEqual(['custom', 'mcp_toolset']);
    expect(model).toBe('claude-opus-5-5');
    expect(fake.agents.all[0]).toMatchObject({ name: 'Concierge', system: 'You are Ida.' });
  });

  it('is denied what it asks for, and goes on', async () => {
    fake.reply = () => [
      { kind: 'approval', name: 'bash' },
      { kind: 'approval', name: 'crm' },
      { kind: 'text', text: 'Without them, then.' },
    ];
    const reply = await pick().turn(turnOf('Hello'), new NotedTurn());
    expect(reply.text).toBe('Without them, then.');
    const types = fake.lastSession.log.kept.map(({ type }) => type);
    expect(types).toContain('user.tool_confirmation');
    expect(types).toContain('user.custom_tool_result');
    expect(fake.offences).toEqual([]);
  });

  it('that asks without end ends the turn', async () => {
    fake.reply = () => Array.from({ length: 30 }, () => ({ kind: 'approval', name: 'bash' }) as const);
    expect(await faultOf(pick().turn(turnOf('Hello'), new NotedTurn()))).toMatchObject({
      kind: 'bad_request',
    });
  });
});

describe('memory', () => {
  it('is lost when the session is gone or archived', async () => {
    const client = clientOf();
    const { memory } = await client.turn(turnOf('Hello'), new NotedTurn());
    fake.lastSession.archived_at = systemClock.nowIso();
    expect((await faultOf(client.turn(turnOf('a', { memory }), new NotedTurn()))).kind).toBe('lost_memory');
    fake.sessions.clear();
    expect((await faultOf(client.turn(turnOf('a', { memory }), new NotedTurn()))).kind).toBe('lost_memory');
    expect((await faultOf(client.reconcile(turnOf('a', { memory })))).kind).toBe('lost_memory');
  });

  it('counts as lost when the instructions, the bearer or its own format have changed', async () => {
    const client = clientOf();
    const { memory } = await client.turn(turnOf('Hello'), new NotedTurn());
    const changed = [
      { memory, instructions: 'Be brief.' },
      { memory, tools: TOOLS },
      { memory: { session: 'x' } },
    ];
    for (const parts of changed) {
      const fault = await faultOf(client.turn(turnOf('a', parts), new NotedTurn()));
      expect(fault).toMatchObject({ kind: 'lost_memory', isDoubtful: false });
    }
  });

  it('holds no secret', async () => {
    const { memory } = await clientOf().turn(turnOf('Hello', { tools: TOOLS }), new NotedTurn());
    expect(JSON.stringify(memory)).not.toContain(TOOLS.bearer);
  });

  it('is deleted at Anthropic, also while the session is still running', async () => {
    const client = clientOf();
    const { memory } = await client.turn(turnOf('Hello'), new NotedTurn());
    fake.lastSession.deletesRefused = 2;
    await client.forget(memory!, NEVER);
    expect(fake.sessions.size).toBe(0);
    await client.forget(memory!, NEVER);
    await client.forget({ anything: 'else' }, NEVER);
    expect(fake.offences).toEqual([]);
  });
});

describe('an aborted turn', () => {
  it('is interrupted before the next turn, which gets only its own reply', async () => {
    const client = clientOf();
    const { memory } = await client.turn(turnOf('Hello'), new NotedTurn());
    fake.reply = HALF_A_REPLY;
    const abort = new AbortController();
    const noted = new NotedTurn();
    const turn = client.turn(turnOf('[d-2] Talk', { memory, marker: 'd-2', signal: abort.signal }), noted);
    await noted.firstPart();
    abort.abort(new Error('interrupted'));
    await expect(turn).rejects.toThrow('interrupted');
    fake.reply = () => 'Yes?';
    const next = await client.turn(turnOf('[d-3] Wait', { memory, marker: 'd-3' }), new NotedTurn());
    expect(next.text).toBe('Yes?');
    expect(fake.lastSession.interruptions).toBe(1);
  });

  it('that has not been sent sends nothing', async () => {
    const signal = AbortSignal.abort(new Error('too late'));
    await expect(clientOf().turn(turnOf('Hello', { signal }), new NotedTurn())).rejects.toThrow('too late');
    expect(fake.sessions.size).toBe(0);
  });

  it('ends while the gateway still makes its agent', async () => {
    fake.failNext({ kind: 'hang' }, /GET \/v1\/agents/);
    const abort = new AbortController();
    const turn = clientOf().turn(turnOf('Hello', { signal: abort.signal }), new NotedTurn());
    await waitFor('the request', () => fake.requests.some(({ path }) => path === '/v1/agents'));
    abort.abort(new Error('enough'));
    await expect(turn).rejects.toThrow('enough');
  });
});
