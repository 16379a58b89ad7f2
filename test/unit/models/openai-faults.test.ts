import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/time.ts';
import type { ModelClient } from '../../../src/models/model-client.ts';
import type { ModelFaultKind } from '../../../src/models/model-fault.ts';
import { openai } from '../../../src/models/openai/openai.ts';
import type { ReplyPart } from '../../fakes/model-vendor/scripted-reply.ts';
import { sseEvent } from '../../fakes/model-vendor/vendor-exchange.ts';
import type { VendorFault } from '../../fakes/model-vendor/vendor-fault.ts';
import { FakeOpenAi } from '../../fakes/openai/fake-openai.ts';
import { faultOf, loopbackHttp, NEVER, NotedTurn, type TestHttp, turnOf } from './turn-parts.ts';

const TURN = /POST \/v1\/responses/;
const TOOLS = { url: 'https://gateway.example/mcp', bearer: 'svc_bearer_0123456789' };

let vendor: FakeOpenAi;
let http: TestHttp;
let client: ModelClient;

beforeEach(async () => {
  vendor = await new FakeOpenAi().start();
  http = loopbackHttp();
  client = connect(vendor.key);
});

afterEach(async () => {
  http.close();
  await vendor.stop();
});

function connect(key: string, endpoint?: string): ModelClient {
  const config = { model: 'gpt-6-luna', ...(endpoint !== undefined && { endpoint }) };
  const deps = { http, clock: systemClock, urls: { openai: vendor.url } };
  return openai.connect({ config, secrets: { api_key: key } }, deps);
}

function ask(text = 'Hello') {
  return faultOf(client.turn(turnOf(text, { tools: TOOLS }), new NotedTurn()));
}

const answer = (status: number, code: string | null, message: string): VendorFault => ({
  kind: 'answer',
  status,
  body: { error: { message, type: 'invalid_request_error', param: null, code } },
});

const SCOPE = 'You have insufficient permissions for this operation. Missing scopes: api.responses.write.';

const ANSWERS: readonly (readonly [VendorFault, ModelFaultKind])[] = [
  [answer(401, null, SCOPE), 'no_access'],
  [answer(400, 'context_length_exceeded', 'Too long.'), 'too_long'],
  [answer(413, null, 'Payload too large'), 'too_long'],
  [answer(400, 'invalid_prompt', 'Your prompt was flagged.'), 'refused'],
  [answer(400, 'content_filter', 'Filtered.'), 'refused'],
  [answer(400, 'conversation_locked', 'Busy.'), 'locked'],
  [answer(400, 'unknown_parameter', "Unknown parameter: 'x'."), 'bad_request'],
  [answer(402, null, 'Pay.'), 'quota'],
  [{ kind: 'answer', status: 404, body: '<html>Not here</html>' }, 'bad_endpoint'],
  [{ kind: 'answer', status: 502, body: '<html>Bad gateway</html>' }, 'overloaded'],
  [{ kind: 'answer', status: 307, body: '', headers: { location: 'http://127.0.0.1/x' } }, 'bad_endpoint'],
];

describe('a refusal by OpenAI', () => {
  it.each(ANSWERS)('%o is %s', async (given, kind) => {
    vendor.failNext(given, TURN);
    expect(await ask()).toMatchObject({ kind });
  });

  it('of a model that does not exist names it', async () => {
    const deps = { http, clock: systemClock, urls: { openai: vendor.url } };
    const wrong = openai.connect({ config: { model: 'gpt-0' }, secrets: { api_key: vendor.key } }, deps);
    const fault = await faultOf(wrong.turn(turnOf('Hello'), new NotedTurn()));
    expect(fault).toMatchObject({ kind: 'not_found', status: 404 });
    expect(fault.message).toContain('gpt-0');
  });

  it('of a whole conversation is lost memory', async () => {
    const { memory } = await client.turn(turnOf('Hello'), new NotedTurn());
    vendor.stored.loseAll();
    const again = turnOf('Still there?', { memory });
    expect(await faultOf(client.turn(again, new NotedTurn()))).toMatchObject({ kind: 'lost_memory' });
    const foreign = turnOf('Hello', { memory: { response: 'resp_1' } });
    expect(await faultOf(client.turn(foreign, new NotedTurn()))).toMatchObject({ kind: 'lost_memory' });
  });

  it('of a second turn on a conversation is a lock', async () => {
    const { memory } = await client.turn(turnOf('Hello'), new NotedTurn());
    let release = (): void => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    vendor.reply = async function* () {
      yield { kind: 'text', text: 'Wait' };
      await released;
    };
    const noted = new NotedTurn();
    const slow = client.turn(turnOf('One', { memory }), noted);
    await noted.firstPart();
    expect(await faultOf(client.turn(turnOf('Two', { memory }), new NotedTurn()))).toMatchObject({
      kind: 'locked',
    });
    release();
    expect((await slow).text).toBe('Wait');
  });

  it('of too much context is too long', async () => {
    expect(await ask('word '.repeat(100_000))).toMatchObject({ kind: 'too_long' });
  });
});

const REPLIES: readonly (readonly [readonly ReplyPart[], ModelFaultKind, boolean])[] = [
  [[{ kind: 'refusal', text: 'I cannot help with that.' }], 'refused', false],
  [[{ kind: 'text', text: 'Well' }, { kind: 'filtered' }], 'refused', false],
  [[{ kind: 'approval', name: 'delete_all' }], 'bad_request', false],
  [[{ kind: 'failure', code: 'server_error', message: 'Sorry.' }], 'overloaded', true],
  [[{ kind: 'failure', code: 'rate_limit_exceeded', message: 'Slow.' }], 'rate_limited', false],
  [[{ kind: 'failure', code: 'something_new', message: '' }], 'overloaded', true],
];

describe('a reply of OpenAI that is none', () => {
  it.each(REPLIES)('%j is %s', async (parts, kind, isDoubtful) => {
    vendor.reply = () => parts;
    expect(await ask()).toMatchObject({ kind, isDoubtful });
  });

  it('is an error within the stream', async () => {
    const error = { type: 'error', code: 'server_is_overloaded', message: 'Busy.', param: null };
    const body = sseEvent('error', { ...error, sequence_number: 0 });
    vendor.failNext(
      { kind: 'answer', status: 200, body, headers: { 'content-type': 'text/event-stream' } },
      TURN,
    );
    expect(await ask()).toMatchObject({ kind: 'overloaded', message: 'Busy.' });
  });

  it('is no response at all', async () => {
    vendor.failNext({ kind: 'answer', status: 200, body: { hello: 'world' } }, TURN);
    expect(await ask()).toMatchObject({ kind: 'cut' });
    vendor.failNext({ kind: 'answer', status: 200, body: 'welcome' });
    expect(await faultOf(client.browse(NEVER))).toMatchObject({ kind: 'bad_endpoint' });
  });
});

describe('secrets', () => {
  it('are in no words of a failed reply', async () => {
    vendor.reply = () => [{ kind: 'failure', code: 'server_error', message: `MCP: ${TOOLS.bearer}` }];
    expect((await ask()).message).toBe('MCP: [secret]');
  });

  it('that cannot be sent are told apart', async () => {
    const fault = await faultOf(connect('sk-ключ').browse(NEVER));
    expect(fault).toMatchObject({ kind: 'key_rejected' });
  });

  it('go to the endpoint that was configured', async () => {
    const endpoint = `${vendor.url}/v1/responses?tier=b`;
    await connect(vendor.key, endpoint).turn(turnOf('Hello'), new NotedTurn());
    expect(vendor.requests.map(({ path, query }) => `${path}?${query}`)).toEqual([
      '/v1/conversations?tier=b',
      '/v1/responses?tier=b',
    ]);
  });
});
