import Cartesia from '@cartesia/cartesia-js';
import { DeepgramClient, DeepgramError } from '@deepgram/sdk';
import { AssemblyAI } from 'assemblyai';
import { expect, onTestFinished, test } from 'vitest';
import { VENDORS, type VendorName } from '../fakes/speech-vendor/all-vendors.ts';
import { FakeVendor } from '../fakes/speech-vendor/fake-vendor.ts';

async function vendor(name: VendorName): Promise<FakeVendor> {
  const fake = await FakeVendor.start(VENDORS[name]);
  onTestFinished(() => fake.stop());
  return fake;
}

test("Cartesia's own client lists all voices of the fake, and understands its refusals", async () => {
  const fake = await vendor('cartesia');
  const client = (apiKey: string) => new Cartesia({ apiKey, baseURL: fake.url, maxRetries: 0 });
  const names: string[] = [];
  for await (const voice of client(fake.keyThatIs('valid')).voices.list({ limit: 100 }))
    names.push(voice.name);
  expect([names.length, names[0], names.at(-1)]).toEqual([150, 'Voice 0', 'Voice 149']);
  // It asks until a page is empty.
  expect(fake.requests.map(({ headers }) => headers['cartesia-version'])).toEqual(
    Array(3).fill(expect.stringMatching(/^2026-/)),
  );
  const refusals = {
    wrong: 401,
    [fake.keyThatIs('missing_scope')]: 403,
    [fake.keyThatIs('out_of_funds')]: 402,
  };
  for (const [key, status] of Object.entries(refusals))
    await expect(client(key).voices.list()).rejects.toMatchObject({ status });
});

test("Deepgram's own client lists the models of the fake, with any key", async () => {
  const fake = await vendor('deepgram');
  const client = new DeepgramClient({ apiKey: 'wrong', baseUrl: fake.url, maxRetries: 0 });
  const { tts } = await client.manage.v1.models.list();
  expect(tts?.map((voice) => voice.canonical_name)).toEqual(['aura-2-thalia-en', 'aura-2-apollo-en']);
  expect(fake.requests.map(({ key }) => key)).toEqual(['wrong']);
  fake.failNext({ kind: 'answer', reply: fake.manners.refuse('too_many') });
  const error = await client.manage.v1.models.list().catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(DeepgramError);
  expect(error).toMatchObject({ statusCode: 429, body: { err_code: 'TOO_MANY_REQUESTS' } });
});

test("AssemblyAI's own client gets a token from the fake, and its words when the key is wrong", async () => {
  const fake = await vendor('assemblyai');
  const client = (apiKey: string) => new AssemblyAI({ apiKey, streamingBaseUrl: fake.url });
  const wanted = { expires_in_seconds: 60 };
  const token = await client(fake.keyThatIs('valid')).streaming.createTemporaryToken(wanted);
  expect(token).toBe('temporary-token');
  await expect(client('wrong').streaming.createTemporaryToken(wanted)).rejects.toThrow(/API token missing/);
  await expect(
    client(fake.keyThatIs('valid')).streaming.createTemporaryToken({ expires_in_seconds: 0 }),
  ).rejects.toThrow(/from 1 to 600/);
});

test('every fake answers unknown paths, methods and parameters with errors of its own', async () => {
  for (const name of Object.keys(VENDORS) as VendorName[]) {
    const fake = await vendor(name);
    const [path] = Object.keys(fake.manners.endpoints);
    const key = fake.keyThatIs('valid');
    const headers = {
      'xi-api-key': key,
      authorization: { deepgram: `Token ${key}`, assemblyai: key }[name as string] ?? `Bearer ${key}`,
      'cartesia-version': '2026-03-01',
    };
    const status = async (to: string, method = 'GET') =>
      (await fetch(`${fake.url}${to}`, { method, headers })).status;
    expect([name, await status('/v9/nothing'), await status(path!, 'POST')]).toEqual([name, 404, 405]);
    if (name !== 'deepgram')
      expect([name, await status(`${path}?nonsense=1`)]).toEqual([
        name,
        expect.toSatisfy((one: number) => one === 400 || one === 422),
      ]);
  }
});

test('Cartesia refuses requests without a version, and Deepgram unknown parameters of its models', async () => {
  const cartesia = await vendor('cartesia');
  const key = cartesia.keyThatIs('valid');
  expect(
    (await fetch(`${cartesia.url}/voices`, { headers: { authorization: `Bearer ${key}` } })).status,
  ).toBe(400);
  const deepgram = await vendor('deepgram');
  expect((await fetch(`${deepgram.url}/v1/models?nonsense=1`)).status).toBe(400);
});
