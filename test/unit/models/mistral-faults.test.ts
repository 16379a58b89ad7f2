import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/time.ts';
import { mistral } from '../../../src/models/mistral/mistral.ts';
import type { ModelClient, ModelMemory } from '../../../src/models/model-client.ts';
import type { ModelFaultKind } from '../../../src/models/model-fault.ts';
import { FakeMistral } from '../../fakes/mistral/fake-mistral.ts';
import type { LostTurn } from '../../fakes/model-vendor/vendor-fault.ts';
import { faultOf, loopbackHttp, NEVER, NotedTurn, type TestHttp, turnOf } from './turn-parts.ts';

/** Codes of an error within a stream. */
const STREAM_ERRORS: readonly (readonly [string, ModelFaultKind, boolean])[] = [
  ['429', 'rate_limited', true],
  ['500', 'overloaded', true],
  ['400', 'bad_request', false],
  ['3051', 'overloaded', true],
];

const START = /POST \/v1\/conversations$/;
const APPEND = /POST \/v1\/conversations\/[^/]+$/;

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

function clientOf(
  config: Record<string, string> = { model: 'mistral-large-latest' },
  key = fake.key,
): ModelClient {
  const settings = { config, secrets: { api_key: key } };
  return mistral.connect(settings, { http, clock: systemClock, urls: { mistral: fake.url } });
}

async function started(client: ModelClient, text = 'Hello'): Promise<ModelMemory> {
  const { memory } = await client.turn(turnOf(text), new NotedTurn());
  return memory!;
}

describe('a fault', () => {
  it.each(STREAM_ERRORS)('in a stream: %s is %s', async (code, kind, isDoubtful) => {
    fake.reply = () => [
      { kind: 'text', text: 'Well' },
      { kind: 'failure', code, message: `It went\nwrong with ${fake.key}` },
    ];
    const fault = await faultOf(clientOf().turn(turnOf('Hello'), new NotedTurn()));
    expect(fault).toMatchObject({ kind, isDoubtful, message: 'It went wrong with [secret]' });
  });

  it('of a retired model is not_found, and of a long conversation too_long', async () => {
    const gone = clientOf({ model: 'mistral-tiny-2312' });
    expect(await faultOf(gone.turn(turnOf('Hello'), new NotedTurn()))).toMatchObject({
      kind: 'not_found',
      message: 'Invalid model: mistral-tiny-2312',
    });
    const long = turnOf('x'.repeat(400_000));
    expect((await faultOf(clientOf().turn(long, new NotedTurn()))).kind).toBe('too_long');
  });

  it('names the fields of a request that is wrong', async () => {
    const detail = [{ loc: ['body', 'inputs', 0], msg: 'Field required', type: 'missing' }];
    for (const body of [{ detail }, { object: 'error', message: { detail } }]) {
      fake.failNext({ kind: 'answer', status: 422, body });
      const fault = await faultOf(clientOf().turn(turnOf('Hello'), new NotedTurn()));
      expect(fault).toMatchObject({ kind: 'bad_request', message: 'body.inputs.0: Field required' });
    }
  });
});

describe('a doubtful turn', () => {
  const text = '[delivery-2] What now?';
  const again = (memory: ModelMemory | null) => turnOf(text, { memory, marker: 'delivery-2' });

  async function lost(turn: LostTurn, afterChunks: number) {
    const client = clientOf();
    const memory = await started(client, 'Remember the word: maple');
    fake.failNext({ kind: 'cut', afterChunks, turn }, APPEND);
    const fault = await faultOf(client.turn(again(memory), new NotedTurn()));
    expect(fault).toMatchObject({ kind: afterChunks === 0 ? 'unreachable' : 'cut', isDoubtful: true });
    return { client, memory };
  }

  it.each([0, 1, 3])('that was answered is found after a cut at %i events', async (afterChunks) => {
    const { client, memory } = await lost('answered', afterChunks);
    expect(await client.reconcile(again(memory))).toMatchObject({
      kind: 'answered',
      reply: { text: `You said: ${text}`, memory },
    });
  });

  it.each([0, 2])('that is absent is sent again (cut at %i events)', async (afterChunks) => {
    const { client, memory } = await lost('absent', afterChunks);
    expect(await client.reconcile(again(memory))).toEqual({ kind: 'absent' });
    expect((await client.turn(again(memory), new NotedTurn())).text).toBe(`You said: ${text}`);
  });

  it('that is unanswered is answered from the entry before it', async () => {
    const { client, memory } = await lost('unanswered', 2);
    expect(await client.reconcile(again(memory))).toEqual({ kind: 'unanswered' });
    const histories: (readonly string[])[] = [];
    fake.reply = ({ history }) => {
      histories.push(history.map((turn) => turn.text));
      return 'This.';
    };
    const noted = new NotedTurn();
    const reply = await client.turn({ ...again(memory), text: null }, noted);
    expect(reply.text).toBe('This.');
    expect(histories).toEqual([['Remember the word: maple', 'OK']]);
    expect(noted.memories).toEqual([reply.memory]);
    expect(reply.memory).not.toEqual(memory);
    expect(fake.offences).toEqual([]);
  });

  it('that is unanswered and the first starts another conversation', async () => {
    const client = clientOf();
    fake.failNext({ kind: 'cut', afterChunks: 2, turn: 'unanswered' }, START);
    const noted = new NotedTurn();
    await faultOf(client.turn(again(null), noted));
    const [memory = null] = noted.memories;
    expect(await client.reconcile(again(memory))).toEqual({ kind: 'unanswered' });
    expect((await client.turn({ ...again(memory), text: null }, noted)).text).toBe(`You said: ${text}`);
  });

  it('whose message is not there after all has lost its memory', async () => {
    const client = clientOf();
    const memory = await started(client);
    const fault = await faultOf(client.turn({ ...again(memory), text: null }, new NotedTurn()));
    expect(fault.kind).toBe('lost_memory');
  });

  it('is looked for where it went, when the id changes', async () => {
    fake.changesIds = true;
    const client = clientOf();
    const memory = await started(client);
    fake.failNext({ kind: 'cut', afterChunks: 2, turn: 'answered' }, APPEND);
    const noted = new NotedTurn();
    await faultOf(client.turn(again(memory), noted));
    expect(await client.reconcile(again(memory))).toEqual({ kind: 'absent' });
    expect((await client.reconcile(again(noted.memories[0]!))).kind).toBe('answered');
  });

  it('without a conversation was never sent', async () => {
    expect(await clientOf().reconcile(turnOf('Hello'))).toEqual({ kind: 'absent' });
  });
});

describe('probing and browsing', () => {
  it('accept a model or agent that there is, and nothing else', async () => {
    await clientOf().probe(NEVER);
    expect((await faultOf(clientOf({ model: 'mistral-9' }).probe(NEVER))).kind).toBe('not_found');
    await clientOf({ agent_id: fake.addAgent('Concierge').id }).probe(NEVER);
    expect((await faultOf(clientOf({ agent_id: 'ag_none' }).probe(NEVER))).kind).toBe('not_found');
  });

  it('list models that talk, with their ends, and all agents', async () => {
    const agents = Array.from({ length: 230 }, (_, count) => fake.addAgent(`Agent ${count}`));
    const choices = await clientOf().browse(NEVER);
    expect(choices.models).toEqual([
      { id: 'mistral-large-latest', name: 'mistral-large-latest', endsAt: null },
      { id: 'mistral-medium-2508', name: 'mistral-medium-2508', endsAt: '2027-03-31T12:00:00Z' },
    ]);
    expect(choices.agents.map(({ id }) => id)).toEqual(agents.map(({ id }) => id));
    expect(choices.notice).toBeNull();
    expect(fake.requests.every(({ method }) => method === 'GET')).toBe(true);
    expect(fake.offences).toEqual([]);
  });

  it('tell of a key without connectors', async () => {
    fake.connectors.isAllowed = false;
    expect((await clientOf().browse(NEVER)).notice).toContain('connectors');
  });
});
