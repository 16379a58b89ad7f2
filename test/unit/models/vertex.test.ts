import { generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { gemini } from '../../../src/models/gemini/gemini.ts';
import { geminiAccess } from '../../../src/models/gemini/gemini-access.ts';
import type { ModelClient } from '../../../src/models/model-client.ts';
import { FakeVertex } from '../../fakes/gemini/fake-vertex.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { accountHttp, faultOf, loopbackHttp, NEVER, NotedTurn, type TestHttp, turnOf } from './turn-parts.ts';

let fake: FakeVertex;
let http: TestHttp;
let clock: ManualClock;

beforeEach(async () => {
  fake = await new FakeVertex().start();
  http = loopbackHttp();
  clock = new ManualClock();
});

afterEach(async () => {
  http.close();
  await fake.stop();
  expect(fake.offences).toEqual([]);
});

function client(config: Record<string, string> = {}, keyFile = fake.keyFile): ModelClient {
  const settings = {
    config: { model: 'gemini-3.8-flash', ...config },
    secrets: { service_account: keyFile },
  };
  return gemini.connect(settings, { http, clock, urls: { gemini: fake.url } });
}

describe('Gemini in Vertex AI', () => {
  it('remembers a conversation, and forgets it', async () => {
    const asked = client({ location: 'europe-west4' });
    const { memory } = await asked.turn(turnOf('Remember the word heron'), new NotedTurn());
    const { text } = await asked.turn(turnOf('Which word?', { memory }), new NotedTurn());
    expect(text).toBe('heron');
    await asked.forget(memory!, NEVER);
    expect(fake.interactions.size).toBe(1);
    expect(fake.requests[1]?.path).toBe(
      '/v1beta1/projects/fake-project-1/locations/europe-west4/interactions',
    );
  });

  it('finds and lists its models', async () => {
    await client().probe(NEVER);
    expect((await client().browse(NEVER)).models).toEqual([
      { id: 'gemini-3.8-flash', name: 'gemini-3.8-flash', endsAt: null },
    ]);
  });

  it('is asked with one token until shortly before its end', async () => {
    const asked = client();
    await Promise.all([asked.probe(NEVER), asked.probe(NEVER), asked.probe(NEVER)]);
    clock.advance(3_539_000);
    await asked.probe(NEVER);
    expect(fake.tokens).toHaveLength(1);
    clock.advance(1_000);
    await asked.probe(NEVER);
    expect(fake.tokens).toHaveLength(2);
  });

  it('gives others their token when the first who asked for it has gone', async () => {
    const asked = client();
    const abort = new AbortController();
    const first = asked.probe(abort.signal);
    const second = asked.probe(NEVER);
    abort.abort(new Error('gone'));
    await expect(first).rejects.toThrow('gone');
    await second;
    expect(fake.tokens).toHaveLength(1);
  });

  it('rejects the key of another account', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' });
    const keyFile = JSON.stringify({ ...JSON.parse(fake.keyFile), private_key: pem });
    const fault = await faultOf(client({}, keyFile).probe(NEVER));
    expect(fault).toMatchObject({ kind: 'key_rejected', message: 'invalid_grant: Invalid JWT Signature.' });
  });

  it('rejects a token that was revoked, then gives another one', async () => {
    const asked = client();
    await asked.probe(NEVER);
    fake.tokens[0] = 'revoked';
    expect(await faultOf(asked.probe(NEVER))).toMatchObject({ kind: 'key_rejected', status: 401 });
    await asked.probe(NEVER);
    expect(fake.tokens).toHaveLength(2);
  });

  it('shows no token', async () => {
    const asked = client();
    await asked.probe(NEVER);
    const [token] = fake.tokens;
    fake.fault = { kind: 'answer', status: 403, body: { error: { message: `Token ${token} is no use` } } };
    expect((await faultOf(asked.probe(NEVER))).message).toBe('Token [secret] is no use');
  });

  it.each([
    [429, 'rate_limited'],
    [503, 'overloaded'],
    [302, 'bad_endpoint'],
    [404, 'bad_endpoint'],
    [403, 'no_access'],
  ])('may fail to give a token: %d', async (status, kind) => {
    fake.fault = { kind: 'answer', status, body: 'no' };
    const message = `Google gave no access token (${status})`;
    expect(await faultOf(client().probe(NEVER))).toMatchObject({ kind, status, message });
  });
});

describe('the settings of Vertex AI', () => {
  it.each(['Europe', 'europe-west4.evil.example', 'a/b', '127.0.0.1', 'us-central1:80', ''])(
    'have no location "%s"',
    (location) => {
      expect(() => client({ location })).toThrow('location must be one of Google Cloud');
    },
  );

  it.each([
    ['not JSON', 'the JSON key file of a service account'],
    ['{"type":"authorized_user"}', 'the JSON key file of a service account'],
    [
      '{"type":"service_account","client_email":"a@b","private_key":"secret-0123456789"}',
      'the private_key of service_account cannot be read',
    ],
  ])('need a key file that can be read: %s', (keyFile, words) => {
    expect(() => client({}, keyFile)).toThrow(words);
  });

  it('need a project, an account or a key', () => {
    const keyFile = JSON.stringify({ ...JSON.parse(fake.keyFile), project_id: undefined });
    expect(() => client({}, keyFile)).toThrow('project is missing');
    expect(() => client({}, '')).toThrow('api_key is missing, or service_account');
  });

  it.each([
    [{}, 'aiplatform.googleapis.com/v1beta1/projects/fake-project-1/locations/global'],
    [
      { project: 'a/b', location: 'eu' },
      'aiplatform.eu.rep.googleapis.com/v1beta1/projects/a%2Fb/locations/eu',
    ],
    [
      { location: 'us-central1' },
      'us-central1-aiplatform.googleapis.com/v1beta1/projects/fake-project-1/locations/us-central1',
    ],
  ])('%j lead to %s', (config, base) => {
    const settings = { config, secrets: { service_account: fake.keyFile } };
    const { host, interactions } = geminiAccess(settings, { http, clock, urls: {} });
    expect(host + interactions).toBe(`https://${base}/interactions`);
  });

  it('have tokens from Google, whatever the key file says', async () => {
    const hosts: string[] = [];
    const noting = accountHttp({
      findAddresses: async (host) => {
        hosts.push(host);
        return [];
      },
      isOpen: () => true,
    });
    const settings = { config: { model: 'gemini-3.8-flash' }, secrets: { service_account: fake.keyFile } };
    const asked = gemini.connect(settings, { http: noting, clock, urls: {} });
    expect(await faultOf(asked.probe(NEVER))).toMatchObject({ kind: 'unreachable' });
    expect(hosts).toEqual(['oauth2.googleapis.com']);
    noting.close();
  });
});
