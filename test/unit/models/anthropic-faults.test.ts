import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/time.ts';
import { anthropic } from '../../../src/models/anthropic/anthropic.ts';
import type { ModelClient, ModelMemory } from '../../../src/models/model-client.ts';
import type { ModelFaultKind } from '../../../src/models/model-fault.ts';
import { FakeAnthropic } from '../../fakes/anthropic/fake-anthropic.ts';
import type { ReplyPart } from '../../fakes/model-vendor/scripted-reply.ts';
import type { LostTurn } from '../../fakes/model-vendor/vendor-fault.ts';
import { waitFor } from '../../support/wait-for.ts';
import { faultOf, loopbackHttp, NEVER, NotedTurn, type TestHttp, turnOf } from './turn-parts.ts';

/** Answers by status, type and words. */
const ANSWERS: readonly (readonly [number, string, string, ModelFaultKind])[] = [
  [400, 'invalid_request_error', 'Your credit balance is too low to access the API.', 'quota'],
  [400, 'invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum', 'too_long'],
  [400, 'invalid_request_error', 'events: Field required', 'bad_request'],
  [413, 'request_too_large', 'Request exceeds the maximum size', 'too_long'],
  [504, 'timeout_error', 'Timed out', 'overloaded'],
];

/** What session.error says. */
const SESSION_ERRORS: readonly (readonly [string, ModelFaultKind, boolean])[] = [
  ['model_overloaded_error', 'overloaded', true],
  ['model_rate_limited_error', 'rate_limited', true],
  ['model_request_failed_error', 'overloaded', true],
  ['billing_error', 'quota', false],
  ['compaction_limit_reached_error', 'too_long', false],
  ['mcp_authentication_failed_error', 'no_access', false],
  ['something_new', 'overloaded', true],
  ['terminated', 'overloaded', true],
];

const BEARER = 'internal-bearer-0123456789';
const TOOLS = { url: 'https://gateway.example/mcp', bearer: BEARER };
const SEND = /POST .*\/events$/;
const STREAM = /GET .*\/stream$/;

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

async function started(client: ModelClient): Promise<ModelMemory> {
  const { memory } = await client.turn(turnOf('Hello'), new NotedTurn());
  return memory!;
}

describe('a fault', () => {
  it.each(ANSWERS)('of status %i with %s: %s is %s', async (status, type, message, kind) => {
    fake.failNext({ kind: 'answer', status, body: { type: 'error', error: { type, message } } }, SEND);
    const fault = await faultOf(clientOf().turn(turnOf('Hello'), new NotedTurn()));
    expect(fault).toMatchObject({ kind, status, message });
  });

  it.each(SESSION_ERRORS)('of a session: %s is %s', async (code, kind, isDoubtful) => {
    fake.reply = () => [{ kind: 'failure', code, message: `The ${code}\nhas come` }];
    const fault = await faultOf(clientOf().turn(turnOf('Hello'), new NotedTurn()));
    expect(fault).toMatchObject({ kind, isDoubtful, message: `The ${code} has come` });
  });

  it('is refused when the model declines', async () => {
    fake.reply = () => [{ kind: 'refusal', text: 'I would rather not' }];
    expect(await faultOf(clientOf().turn(turnOf('Hello'), new NotedTurn()))).toMatchObject({
      kind: 'refused',
      message: 'I would rather not',
    });
    fake.reply = () => [{ kind: 'filtered' }];
    expect((await faultOf(clientOf().turn(turnOf('Hello'), new NotedTurn()))).kind).toBe('refused');
  });

  it('is bad_endpoint for a list that is none', async () => {
    fake.failNext({ kind: 'answer', status: 200, body: { models: [] } }, /GET \/v1\/agents/);
    expect((await faultOf(clientOf().browse(NEVER))).kind).toBe('bad_endpoint');
  });

  it('of a session names no secret', async () => {
    fake.reply = () => [
      { kind: 'failure', code: 'billing_error', message: `Pay for ${BEARER} and ${fake.key}` },
    ];
    const said = await faultOf(clientOf().turn(turnOf('Hello', { tools: TOOLS }), new NotedTurn()));
    expect(said.message).toBe('Pay for [secret] and [secret]');
  });

  it('leaves nothing behind that keeps the next turn from working', async () => {
    const client = clientOf();
    fake.failNext({ kind: 'refuse', why: 'rate_limited' }, /POST \/v1\/agents/);
    expect((await faultOf(client.turn(turnOf('a'), new NotedTurn()))).kind).toBe('rate_limited');
    expect((await client.turn(turnOf('b'), new NotedTurn())).text).toBe('You said: b');
  });
});

describe('a doubtful turn', () => {
  const text = '[delivery-2] What now?';
  const again = (memory: ModelMemory) => turnOf(text, { memory, marker: 'delivery-2' });

  async function lost(turn: LostTurn, afterChunks: number, on: RegExp) {
    const client = clientOf();
    const memory = await started(client);
    fake.failNext({ kind: 'cut', afterChunks, turn }, on);
    const fault = await faultOf(client.turn(again(memory), new NotedTurn()));
    expect(fault.isDoubtful).toBe(true);
    return { client, memory, fault };
  }

  it.each([1, 2, 4, 7])('whose stream is cut after %i chunks is answered', async (afterChunks) => {
    const { client, memory, fault } = await lost('answered', afterChunks, STREAM);
    expect(fault.kind).toBe('cut');
    expect(await client.reconcile(again(memory))).toMatchObject({
      kind: 'answered',
      reply: { text: `You said: ${text}`, memory, usage: { inputTokens: 15, outputTokens: 5 } },
    });
  });

  it('whose stream never opened is absent', async () => {
    const { client, memory, fault } = await lost('absent', 0, STREAM);
    expect(fault.kind).toBe('unreachable');
    expect(await client.reconcile(again(memory))).toEqual({ kind: 'absent' });
    expect((await client.turn(again(memory), new NotedTurn())).text).toBe(`You said: ${text}`);
  });

  it('whose request is cut is answered, unanswered or absent', async () => {
    const answered = await lost('answered', 0, SEND);
    expect((await answered.client.reconcile(again(answered.memory))).kind).toBe('answered');
    const unanswered = await lost('unanswered', 0, SEND);
    expect((await unanswered.client.reconcile(again(unanswered.memory))).kind).toBe('unanswered');
    const absent = await lost('absent', 0, SEND);
    expect((await absent.client.reconcile(again(absent.memory))).kind).toBe('absent');
  });

  it('without a reply is answered without sending its text again', async () => {
    const { client, memory } = await lost('unanswered', 0, SEND);
    const seen: (readonly string[])[] = [];
    fake.reply = ({ history }) => {
      seen.push(history.map((turn) => turn.text));
      return 'This.';
    };
    const reply = await client.turn({ ...again(memory), text: null }, new NotedTurn());
    expect(reply.text).toBe('This.');
    expect(seen[0]?.filter((said) => said === text)).toHaveLength(1);
  });

  it('that still runs is waited for, and denied what it asks for meanwhile', async () => {
    const { promise: go, resolve } = Promise.withResolvers<void>();
    const client = clientOf();
    const memory = await started(client);
    fake.reply = async function* (): AsyncGenerator<ReplyPart, void> {
      yield { kind: 'approval', name: 'bash' };
      await go;
      yield { kind: 'text', text: 'At last.' };
    };
    fake.failNext({ kind: 'cut', afterChunks: 2, turn: 'answered' }, STREAM);
    expect((await faultOf(client.turn(again(memory), new NotedTurn()))).kind).toBe('cut');
    const fate = client.reconcile(again(memory));
    await waitFor('the denial', () =>
      fake.lastSession.log.kept.some(({ type }) => type === 'user.tool_confirmation'),
    );
    resolve();
    expect(await fate).toMatchObject({ kind: 'answered', reply: { text: 'At last.' } });
    expect(fake.offences).toEqual([]);
  });

  it('of a session that has ended is lost', async () => {
    const client = clientOf();
    const memory = await started(client);
    fake.reply = () => [{ kind: 'failure', code: 'terminated', message: 'Gone' }];
    await faultOf(client.turn(again(memory), new NotedTurn()));
    expect((await faultOf(client.turn(again(memory), new NotedTurn()))).kind).toBe('lost_memory');
  });

  it('without a session was never sent', async () => {
    expect(await clientOf().reconcile(turnOf('Hello'))).toEqual({ kind: 'absent' });
  });
});

describe('probing and browsing', () => {
  it('accept a model or agent that answers, and nothing else', async () => {
    await clientOf().probe(NEVER);
    expect((await faultOf(clientOf({ model: 'claude-9' }).probe(NEVER))).kind).toBe('not_found');
    expect((await faultOf(clientOf({ model: 'claude-2-1' }).probe(NEVER))).message).toContain('retired');
    const agent = fake.agents.add({ name: 'Concierge' });
    const client = clientOf({ agent_id: agent.id });
    await client.probe(NEVER);
    fake.archive(agent.id);
    expect((await faultOf(client.probe(NEVER))).message).toContain('archived');
    expect((await faultOf(clientOf({ agent_id: 'agent_none' }).probe(NEVER))).kind).toBe('not_found');
  });

  it('cost nothing', async () => {
    await clientOf().probe(NEVER);
    await clientOf().browse(NEVER);
    expect(fake.requests.every(({ method }) => method === 'GET')).toBe(true);
  });

  it('list models with their ends, and agents without those of the gateway', async () => {
    await clientOf().turn(turnOf('Hello'), new NotedTurn());
    const agents = Array.from({ length: 120 }, (_, count) => fake.agents.add({ name: `Agent ${count}` }));
    const choices = await clientOf().browse(NEVER);
    expect(choices.agents.map(({ id }) => id).toSorted()).toEqual(agents.map(({ id }) => id).toSorted());
    expect(choices.models).toContainEqual({
      id: 'claude-haiku-4-5',
      name: 'Claude Haiku 4.5',
      endsAt: '2027-02-01T00:00:00Z',
    });
    expect(choices.notice).toBeNull();
    expect(fake.offences).toEqual([]);
  });
});
