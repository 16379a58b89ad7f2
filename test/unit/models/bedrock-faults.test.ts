import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/time.ts';
import { bedrock } from '../../../src/models/bedrock/bedrock.ts';
import type { ModelClient } from '../../../src/models/model-client.ts';
import type { ModelFaultKind } from '../../../src/models/model-fault.ts';
import { LASTING_KEY } from '../../fakes/bedrock/access-keys.ts';
import { NOVA } from '../../fakes/bedrock/bedrock-models.ts';
import { FakeBedrock } from '../../fakes/bedrock/fake-bedrock.ts';
import { faultOf, loopbackHttp, NEVER, NotedTurn, type TestHttp, turnOf } from './turn-parts.ts';

/** Answers by status, exception and words. */
const ANSWERS: readonly (readonly [number, string, string, ModelFaultKind])[] = [
  [400, 'ValidationException', 'Wrong', 'bad_request'],
  [400, 'ValidationException', 'Input is too long for requested model.', 'too_long'],
  [
    400,
    'ValidationException',
    'The maximum tokens you requested exceed the model limit of 4096.',
    'bad_request',
  ],
  [400, 'ServiceQuotaExceededException', 'No more', 'quota'],
  [404, 'ResourceNotFoundException', 'Model not found.', 'not_found'],
  [408, 'ModelTimeoutException', 'Too slow', 'overloaded'],
  [424, 'ModelErrorException', 'Broken', 'overloaded'],
  [429, 'ModelNotReadyException', 'Not yet', 'overloaded'],
  [403, 'InvalidSignatureException', 'Signature expired', 'key_rejected'],
  [401, '', 'Who?', 'key_rejected'],
  [402, '', 'Pay', 'quota'],
  [403, '', 'No', 'no_access'],
  [404, '', 'Nothing', 'not_found'],
  [429, '', 'Slow down', 'rate_limited'],
  [502, '', 'Bad gateway', 'overloaded'],
  [301, '', 'Elsewhere', 'bad_endpoint'],
];

/** Exceptions after a 200. */
const FRAMES: readonly (readonly [string, ModelFaultKind])[] = [
  ['throttlingException', 'rate_limited'],
  ['modelStreamErrorException', 'overloaded'],
  ['internalServerException', 'overloaded'],
  ['serviceUnavailableException', 'overloaded'],
  ['validationException', 'bad_request'],
  ['somethingNew', 'overloaded'],
];

const STOPS: readonly (readonly [string, ModelFaultKind])[] = [
  ['guardrail_intervened', 'refused'],
  ['tool_use', 'bad_request'],
  ['content_filtered', 'refused'],
  ['model_context_window_exceeded', 'too_long'],
  ['malformed_model_output', 'cut'],
];

let fake: FakeBedrock;
let http: TestHttp;

beforeEach(async () => {
  fake = await new FakeBedrock().start();
  http = loopbackHttp();
});

afterEach(async () => {
  http.close();
  await fake.stop();
});

function client(): ModelClient {
  const settings = { config: { region: fake.region, model: NOVA }, secrets: { api_key: fake.key } };
  return bedrock.connect(settings, { http, clock: systemClock, urls: { bedrock: fake.url } });
}

function turnFault(): ReturnType<typeof faultOf> {
  return faultOf(client().turn(turnOf('Hello'), new NotedTurn()));
}

describe('a fault of Bedrock', () => {
  it('fails a list as well, unless the key lacks only that permission', async () => {
    fake.fault = { kind: 'refuse', why: 'bad_key' };
    expect(await faultOf(client().browse(NEVER))).toMatchObject({ kind: 'key_rejected' });
    fake.fault = { kind: 'refuse', why: 'no_access' };
    expect((await client().browse(NEVER)).notice).not.toBeNull();
  });

  it.each(ANSWERS)('%d %s "%s" is %s', async (status, name, message, kind) => {
    const headers = { 'x-amzn-errortype': `${name}:http://internal.amazon.com/` };
    fake.fault = { kind: 'answer', status, body: { message }, headers };
    expect(await turnFault()).toMatchObject({ kind, status, message });
    fake.fault = { kind: 'answer', status, body: { __type: `com.amazon.coral#${name}`, Message: message } };
    expect(await turnFault()).toMatchObject({ kind, status, message });
  });

  it('points to another kind of provider where Converse is not supported', async () => {
    const message = 'The model is not supported on this route.';
    fake.fault = { kind: 'answer', status: 400, body: { message } };
    expect((await turnFault()).message).toContain('Use the provider "custom"');
  });

  it.each(FRAMES)('%s after a 200 is %s', async (code, kind) => {
    fake.reply = () => [
      { kind: 'text', text: 'Well' },
      { kind: 'failure', code, message: 'It went wrong.' },
    ];
    expect(await turnFault()).toMatchObject({ kind, status: null, message: 'It went wrong.' });
  });

  it.each(STOPS)('is a reply that stops with %s: %s', async (stopReason, kind) => {
    fake.stopReason = stopReason;
    expect(await turnFault()).toMatchObject({ kind });
  });

  it('is an answer that is no event stream', async () => {
    fake.fault = { kind: 'answer', status: 200, body: 'data: {"text":"Hello"}' };
    expect(await turnFault()).toMatchObject({ kind: 'cut', message: 'the stream cannot be read' });
  });

  it('has none of the secrets of an access key among its words', async () => {
    const { accessKeyId, secretAccessKey } = LASTING_KEY;
    const sessionToken = 'session-token-0123456789';
    const asked = bedrock.connect(
      {
        config: { region: fake.region, model: NOVA, access_key_id: accessKeyId },
        secrets: { secret_access_key: secretAccessKey, session_token: sessionToken },
      },
      { http, clock: systemClock, urls: { bedrock: fake.url } },
    );
    const message = `Not ${secretAccessKey}\n${sessionToken} ${'x'.repeat(400)}`;
    fake.fault = { kind: 'answer', status: 400, body: { message } };
    const { message: words } = await faultOf(asked.probe(NEVER));
    expect(words).toContain('Not [secret] [secret] xxx');
    expect(words.length).toBe(300);
  });
});
