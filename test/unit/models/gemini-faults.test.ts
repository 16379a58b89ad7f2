import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/time.ts';
import { gemini } from '../../../src/models/gemini/gemini.ts';
import type { ModelClient } from '../../../src/models/model-client.ts';
import type { ModelFaultKind } from '../../../src/models/model-fault.ts';
import { FakeGemini } from '../../fakes/gemini/fake-gemini.ts';
import { faultOf, loopbackHttp, NotedTurn, type TestHttp, turnOf } from './turn-parts.ts';

/** Answers by status, code and words: what the API's pages list, and what was seen. */
const ANSWERS: readonly (readonly [number, unknown, string, ModelFaultKind])[] = [
  [401, 'authentication', 'Unknown key', 'key_rejected'],
  [402, 'payment_required', 'Add a card', 'quota'],
  [403, 'permission_denied', 'Not allowed', 'no_access'],
  [404, 'model_not_found', 'No such model', 'not_found'],
  [404, 'not_found', 'No such thing', 'not_found'],
  [400, 'invalid_request', 'Wrong', 'bad_request'],
  [400, 'failed_precondition', 'Not in your country', 'bad_request'],
  [400, 'prohibited_content', 'Blocked', 'refused'],
  [400, 400, 'The input token count (9) exceeds the maximum number of tokens allowed (8).', 'too_long'],
  [429, 'rate_limit_exceeded', 'Slow down', 'rate_limited'],
  [429, 'quota_exceeded', 'No more', 'quota'],
  [429, 429, 'Your prepayment credits are depleted.', 'quota'],
  [502, undefined, 'Bad gateway', 'overloaded'],
  [302, undefined, 'Elsewhere', 'bad_endpoint'],
];

/** Errors within a stream: code and kind. */
const STREAM_ERRORS: readonly (readonly [string, ModelFaultKind])[] = [
  ['rate_limit_exceeded', 'rate_limited'],
  ['service_unavailable', 'overloaded'],
  ['prohibited_content', 'refused'],
  ['something_new', 'overloaded'],
];

const ENDINGS: readonly (readonly [string, ModelFaultKind])[] = [
  ['failed', 'overloaded'],
  ['budget_exceeded', 'quota'],
  ['requires_action', 'bad_request'],
  ['cancelled', 'cut'],
];

let fake: FakeGemini;
let http: TestHttp;

beforeEach(async () => {
  fake = await new FakeGemini().start();
  http = loopbackHttp();
});

afterEach(async () => {
  http.close();
  await fake.stop();
});

function client(): ModelClient {
  const settings = { config: { model: 'gemini-3.8-flash' }, secrets: { api_key: fake.key } };
  return gemini.connect(settings, { http, clock: systemClock, urls: { gemini: fake.url } });
}

function turnFault(): ReturnType<typeof faultOf> {
  return faultOf(client().turn(turnOf('Hello'), new NotedTurn()));
}

describe('a fault of Gemini', () => {
  it.each(ANSWERS)('%d %s "%s" is %s', async (status, code, message, kind) => {
    fake.fault = { kind: 'answer', status, body: { error: { code, message } } };
    expect(await turnFault()).toMatchObject({ kind, status, message });
  });

  it('is read from a list', async () => {
    const error = { code: 401, status: 'UNAUTHENTICATED', message: 'No key' };
    fake.failNext({ kind: 'answer', status: 401, body: [{ error }] });
    expect(await turnFault()).toMatchObject({ kind: 'key_rejected', message: 'No key' });
  });

  it('says how long to wait', async () => {
    fake.fault = { kind: 'refuse', why: 'rate_limited', retryAfterS: 1.5 };
    expect(await turnFault()).toMatchObject({ kind: 'rate_limited', retryAfterMs: 1_500 });
  });

  it.each(STREAM_ERRORS)('%s within a stream is %s', async (code, kind) => {
    fake.reply = () => [
      { kind: 'text', text: 'Well' },
      { kind: 'failure', code, message: 'It went wrong.' },
    ];
    expect(await turnFault()).toMatchObject({ kind, status: null, message: 'It went wrong.' });
  });

  it.each([false, true])('of the content filter is read, bare or not (%s)', async (isBare) => {
    fake.hasBareErrors = isBare;
    fake.reply = () => [{ kind: 'filtered' }];
    expect(await turnFault()).toMatchObject({ kind: 'refused' });
  });

  it.each(ENDINGS)('is the status %s: %s', async (status, kind) => {
    fake.ending = { status };
    expect(await turnFault()).toMatchObject({ kind });
  });

  it('is the error of an interaction that failed', async () => {
    fake.ending = { status: 'failed', errors: [{ code: 'quota_exceeded', message: 'All used' }] };
    expect(await turnFault()).toMatchObject({ kind: 'quota', message: 'All used' });
  });
});
