import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/time.ts';
import { bedrock } from '../../../src/models/bedrock/bedrock.ts';
import type { ModelClient } from '../../../src/models/model-client.ts';
import {
  EXPIRED_KEY,
  type FakeAccessKey,
  LASTING_KEY,
  TEMPORARY_KEY,
} from '../../fakes/bedrock/access-keys.ts';
import { CLAUDE, CLAUDE_IN_EUROPE, NOVA } from '../../fakes/bedrock/bedrock-models.ts';
import { FakeBedrock } from '../../fakes/bedrock/fake-bedrock.ts';
import { accountHttp, faultOf, loopbackHttp, NEVER, NotedTurn, type TestHttp, turnOf } from './turn-parts.ts';

let fake: FakeBedrock;
let http: TestHttp;

beforeEach(async () => {
  fake = await new FakeBedrock().start();
  http = loopbackHttp();
});

afterEach(async () => {
  http.close();
  await fake.stop();
  expect(fake.offences).toEqual([]);
});

function client({ model = NOVA, key = fake.key, region = fake.region } = {}): ModelClient {
  return connect({ region, model }, { api_key: key });
}

function clientWith({ accessKeyId, secretAccessKey, sessionToken = '' }: FakeAccessKey): ModelClient {
  const secrets = { secret_access_key: secretAccessKey, session_token: sessionToken };
  return connect({ region: fake.region, model: CLAUDE_IN_EUROPE, access_key_id: accessKeyId }, secrets);
}

function connect(config: Record<string, string>, secrets: Record<string, string>): ModelClient {
  return bedrock.connect({ config, secrets }, { http, clock: systemClock, urls: { bedrock: fake.url } });
}

describe('a turn with Bedrock', () => {
  it('streams the reply and counts its tokens', async () => {
    const noted = new NotedTurn();
    const reply = await client().turn(turnOf('Good morning to you'), noted);
    expect(reply).toEqual({
      text: 'You said: Good morning to you',
      finish: 'complete',
      memory: null,
      usage: { inputTokens: 5, outputTokens: 8 },
      replyId: null,
    });
    expect(noted.whole).toBe(reply.text);
    expect(noted.parts.length).toBeGreaterThan(2);
    expect(noted.memories).toEqual([]);
  });

  it('leaves its connection to the next one', async () => {
    for (const text of ['one', 'two', 'three']) await client().turn(turnOf(text), new NotedTurn());
    expect(fake.openSockets).toBe(1);
  });

  it('takes the whole history along', async () => {
    const history = [
      { role: 'user', text: 'Remember the word heron' },
      { role: 'assistant', text: 'OK' },
    ] as const;
    const { text } = await client().turn(turnOf('Which word?', { history }), new NotedTurn());
    expect(text).toBe('heron');
  });

  it('begins with the user, lets roles alternate and leaves out what is blank', async () => {
    const history = [
      { role: 'assistant', text: 'Hello, this is Anna.' },
      { role: 'user', text: 'Hi' },
      { role: 'user', text: ' ' },
      { role: 'user', text: 'Can you hear me?' },
      { role: 'assistant', text: '' },
    ] as const;
    await client().turn(turnOf('Hello?', { history, instructions: ' ' }), new NotedTurn());
    expect(fake.requests[0]?.body).toEqual({
      messages: [
        { role: 'user', content: [{ text: '(The conversation begins.)' }] },
        { role: 'assistant', content: [{ text: 'Hello, this is Anna.' }] },
        { role: 'user', content: [{ text: 'Hi\n\nCan you hear me?\n\nHello?' }] },
      ],
      inferenceConfig: { maxTokens: 500 },
    });
  });

  it('counts no reasoning', async () => {
    fake.reply = () => [
      { kind: 'reasoning', text: '<write>thought</write>' },
      { kind: 'text', text: 'Done.' },
    ];
    expect(await client().turn(turnOf('Go'), new NotedTurn())).toMatchObject({ text: 'Done.' });
  });

  it('is cut off by the limit of its length', async () => {
    fake.reply = () => [{ kind: 'text', text: 'Once upon' }, { kind: 'length' }];
    expect(await client().turn(turnOf('Tell me'), new NotedTurn())).toMatchObject({
      text: 'Once upon',
      finish: 'cut_off',
    });
  });

  it('is complete when only its usage is lost', async () => {
    fake.reply = () => 'Hello';
    fake.failNext({ kind: 'cut', afterChunks: 4, turn: 'absent' });
    expect(await client().turn(turnOf('Hi'), new NotedTurn())).toMatchObject({
      text: 'Hello',
      usage: { inputTokens: null, outputTokens: null },
    });
  });

  it('leaves nothing behind', async () => {
    const asked = client();
    expect(await asked.reconcile(turnOf('Hello'))).toEqual({ kind: 'absent' });
    await asked.forget({}, NEVER);
    expect(fake.requests).toEqual([]);
  });
});

describe('access to Bedrock', () => {
  it.each([
    ['lasting', LASTING_KEY],
    ['temporary', TEMPORARY_KEY],
  ])('is given by %s access keys, for turns, probes and lists', async (_, key) => {
    const asked = clientWith(key);
    expect(await asked.turn(turnOf('Grüße'), new NotedTurn())).toMatchObject({ text: 'You said: Grüße' });
    await asked.probe(NEVER);
    expect((await asked.browse(NEVER)).models).toHaveLength(3);
  });

  it.each([
    ['expired', EXPIRED_KEY],
    ['unknown', { ...LASTING_KEY, accessKeyId: 'AKIAFAKE000000000009' }],
    ['wrong', { ...LASTING_KEY, secretAccessKey: 'wrong' }],
    ['tokenless', { ...TEMPORARY_KEY, sessionToken: '' }],
  ])('is refused to %s access keys', async (_, key) => {
    expect(await faultOf(clientWith(key).probe(NEVER))).toMatchObject({ kind: 'key_rejected', status: 403 });
  });

  it('is refused to a wrong Bedrock key, and to one of another region', async () => {
    const fault = await faultOf(client({ key: 'wrong' }).probe(NEVER));
    expect(fault).toMatchObject({ kind: 'key_rejected', status: 403 });
    expect(fault.message).toMatch(/API Key is valid\. A Bedrock key is valid in its own region only\.$/);
  });

  it.each(['', 'eu-west', 'eu-west-3.evil.example', 'EU-WEST-3', 'eu-west-3/', 'a-b-1', '169.254.169.254'])(
    'has no region "%s"',
    (region) => {
      expect(() => client({ region })).toThrow('region must be the name of an AWS region, such as eu-west-3');
    },
  );

  it.each([
    [{}, {}, 'api_key is missing, or access_key_id with secret_access_key'],
    [{ access_key_id: 'AKIA' }, {}, 'access_key_id needs secret_access_key'],
    [{}, { secret_access_key: 'secret' }, 'secret_access_key needs access_key_id'],
  ])('needs whole keys (%j, %j)', (config, secrets, words) => {
    expect(() => connect({ region: 'eu-west-3', model: NOVA, ...config }, secrets)).toThrow(words);
  });

  it('goes to the hosts of its region', async () => {
    const hosts: string[] = [];
    const noting = accountHttp({
      findAddresses: async (host) => {
        hosts.push(host);
        return [];
      },
      isOpen: () => true,
    });
    const settings = { config: { region: 'eu-west-3', model: NOVA }, secrets: { api_key: fake.key } };
    const asked = bedrock.connect(settings, { http: noting, clock: systemClock, urls: {} });
    expect(await faultOf(asked.probe(NEVER))).toMatchObject({ kind: 'unreachable', isDoubtful: false });
    expect(await faultOf(asked.browse(NEVER))).toMatchObject({ kind: 'unreachable' });
    expect(new Set(hosts)).toEqual(
      new Set(['bedrock-runtime.eu-west-3.amazonaws.com', 'bedrock.eu-west-3.amazonaws.com']),
    );
    noting.close();
  });
});

describe('Bedrock’s models', () => {
  it('are asked for one token', async () => {
    await client().probe(NEVER);
    expect(fake.requests[0]).toMatchObject({
      path: '/model/amazon.nova-lite-v1%3A0/converse',
      body: { inferenceConfig: { maxTokens: 1 } },
    });
    expect(await faultOf(client({ model: 'amazon.none' }).probe(NEVER))).toMatchObject({ kind: 'not_found' });
    expect(await faultOf(client({ model: '' }).probe(NEVER))).toMatchObject({ kind: 'bad_request' });
  });

  it('say that they need an inference profile', async () => {
    const fault = await faultOf(client({ model: CLAUDE }).turn(turnOf('Hello'), new NotedTurn()));
    expect(fault.kind).toBe('bad_request');
    expect(fault.message).toContain(
      `Choose its id as the model: ${CLAUDE} with a prefix such as eu., us. or global.`,
    );
  });

  it('can be chosen by their own ids or by inference profiles, whatever page they are on', async () => {
    fake.pageSize = 1;
    expect(await client({ model: '' }).browse(NEVER)).toEqual({
      models: [
        { id: CLAUDE_IN_EUROPE, name: 'EU Claude Sonnet 5', endsAt: null },
        { id: `global.${CLAUDE}`, name: 'Global Claude Sonnet 5', endsAt: null },
        { id: NOVA, name: 'Amazon Nova Lite', endsAt: '2027-03-01' },
      ],
      agents: [],
      notice: null,
    });
  });

  it('cannot be listed by every key that can call them', async () => {
    fake.mayList = false;
    const { models, notice } = await client().browse(NEVER);
    expect(models).toEqual([]);
    expect(notice).toContain('The key may not list models');
    await client().probe(NEVER);
  });

  it('are no models when the endpoint is another', async () => {
    fake.fault = { kind: 'answer', status: 200, body: 'hello' };
    expect(await faultOf(client().browse(NEVER))).toMatchObject({ kind: 'bad_endpoint' });
  });
});
