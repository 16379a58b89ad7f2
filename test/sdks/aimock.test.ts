import { LLMock } from '@copilotkit/aimock';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/time.ts';
import { custom } from '../../src/models/custom/custom.ts';
import type { ModelClient } from '../../src/models/model-client.ts';
import { faultOf, loopbackHttp, NEVER, NotedTurn, type TestHttp, turnOf } from '../unit/models/turn-parts.ts';

let mock: LLMock;
let http: TestHttp;
let client: ModelClient;

beforeEach(async () => {
  mock = new LLMock({ port: 0, logLevel: 'silent' });
  await mock.start();
  http = loopbackHttp();
  const config = { endpoint: `${mock.url}/v1/responses`, model: 'gpt-4o-mini' };
  client = custom.connect(
    { config, secrets: { api_key: 'mock-key' } },
    { http, clock: systemClock, urls: {} },
  );
});

afterEach(async () => {
  http.close();
  await mock.stop();
});

/** The Responses API as somebody else understands it: without Conversations, and without a memory. */
describe('a turn at aimock', () => {
  it('streams the final text, without the reasoning', async () => {
    const content = 'The trains run every ten minutes, also at night.';
    mock.addFixture({
      match: { userMessage: 'trains' },
      response: { content, reasoning: 'The user asks about <leave/> trains.' },
      chunkSize: 5,
    });
    const noted = new NotedTurn();
    const reply = await client.turn(turnOf('When do the trains run?'), noted);
    expect(reply).toMatchObject({ text: content, finish: 'complete', memory: { rung: 'history' } });
    expect(noted.parts.length).toBeGreaterThan(5);
    expect(noted.whole).toBe(content);
    expect(reply.replyId).toMatch(/^resp/);
  });

  it('brings the history, and the probe finds that it must', async () => {
    mock.onMessage(/word/i, { content: 'OK' });
    mock.onMessage(/Hello/, { content: 'Hello to you' });
    await client.probe(NEVER);
    const history = [
      { role: 'user', text: 'My name is Ada.' },
      { role: 'assistant', text: 'Good morning, Ada.' },
    ] as const;
    await client.turn(turnOf('Hello again', { history }), new NotedTurn());
    const last = mock.getRequests().at(-1)!.body as { messages: { role: string; content: string }[] };
    expect(last.messages.map(({ role, content }) => [role, content])).toEqual([
      ['system', 'Answer briefly.'],
      ['user', 'My name is Ada.'],
      ['assistant', 'Good morning, Ada.'],
      ['user', 'Hello again'],
    ]);
  });

  it('fails as aimock says', async () => {
    mock.addFixture({
      match: { userMessage: 'busy' },
      response: { error: { message: 'Slow down.', type: 'requests' }, status: 429, retryAfter: 7 },
    });
    const fault = await faultOf(client.turn(turnOf('Are you busy?'), new NotedTurn()));
    expect(fault).toMatchObject({ kind: 'rate_limited', status: 429, retryAfterMs: 7_000 });
    expect(fault.message).toBe('Slow down.');
  });

  it('is cut where aimock breaks off', async () => {
    mock.addFixture({
      match: { userMessage: 'story' },
      response: { content: 'Once upon a time there was a gateway.' },
      chunkSize: 5,
      truncateAfterChunks: 6,
      latency: 5,
    });
    const fault = await faultOf(client.turn(turnOf('Tell me a story'), new NotedTurn()));
    expect(fault).toMatchObject({ kind: 'cut', isDoubtful: true });
  });

  it('lists its models', async () => {
    expect((await client.browse(NEVER)).models.length).toBeGreaterThan(0);
  });
});
