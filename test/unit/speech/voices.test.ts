import { expect, test } from 'vitest';
import type { VendorName } from '../../fakes/speech-vendor/all-vendors.ts';
import { presetWorld } from './preset-world.ts';

const path = (name: string) => `/api/providers/${name}/voices`;

const FIRST: Readonly<Record<Exclude<VendorName, 'assemblyai'>, [number, object]>> = {
  elevenlabs: [
    250,
    {
      id: 'voice000000000000000',
      name: 'Voice 0',
      // On one line, without the bell.
      description: 'Warm, and clear',
      languages: ['en', 'fr'],
      gender: 'female',
      preview_url: 'https://storage.example/previews/0.mp3',
    },
  ],
  deepgram: [
    2,
    {
      id: 'aura-2-thalia-en',
      name: 'thalia',
      description: 'American, Adult, feminine, clear',
      languages: ['en', 'en-US'],
      gender: 'feminine',
      preview_url: 'https://static.example/thalia.wav',
    },
  ],
  cartesia: [
    150,
    {
      id: 'f786b574-daa5-4673-aa0c-000000000000',
      name: 'Voice 0',
      description: 'A voice for calls',
      languages: ['en'],
      gender: 'feminine',
      preview_url: 'https://files.example/f786b574-daa5-4673-aa0c-000000000000.wav',
    },
  ],
  openai: [
    13,
    { id: 'alloy', name: 'alloy', description: null, languages: [], gender: null, preview_url: null },
  ],
};

test.each(Object.entries(FIRST))(
  'the voices of %s: all of them, in one form',
  async (name, [count, first]) => {
    const { settings, vendors, create } = await presetWorld();
    const api_key = vendors[name as VendorName].keyThatIs('valid');
    const { status, body } = await settings.post(path(name), { api_key });
    expect([status, body.voices.length, body.truncated, body.voices[0]]).toEqual([200, count, false, first]);
    expect(new Set(body.voices.map(({ id }: { id: string }) => id)).size).toBe(count);
    const preset = (await create(name as VendorName, { enabled: false })).body;
    expect((await settings.post(path(name), { voice_config_id: preset.id })).body).toEqual(body);
    expect(JSON.stringify(body)).not.toContain(api_key);
  },
);

test.each(Object.keys(FIRST))('the voices of %s need a key that works', async (name) => {
  const { settings, vendors } = await presetWorld();
  const wrong = await settings.post(path(name), { api_key: 'wrong' });
  expect([wrong.status, wrong.body.detail]).toEqual([400, expect.stringMatching(/^\w+ refused the key: ./)]);
  const limited = { api_key: vendors[name as VendorName].keyThatIs('missing_scope') };
  expect((await settings.post(path(name), limited)).status).toBe(400);
  vendors[name as VendorName].failNext({ kind: 'answer', reply: { status: 200, body: '[]]' } });
  const odd = await settings.post(path(name), { api_key: vendors[name as VendorName].keyThatIs('valid') });
  expect(odd.status).toBe(502);
});

test('a provider that only recognizes speech has no voices; local needs no key for its own', async () => {
  const { settings, vendors, create } = await presetWorld();
  const { status, body } = await settings.post(path('assemblyai'), {
    api_key: vendors.assemblyai.keyThatIs('valid'),
  });
  expect([status, body.detail]).toEqual([400, 'AssemblyAI only recognizes speech']);
  const local = (await settings.post(path('local'), {})).body;
  expect(local.voices.map(({ id }: { id: string }) => id)).toEqual(['slt', 'rms', 'awb', 'kal16']);
  const preset = (await create('local', { kind: 'tts' })).body;
  expect((await settings.post(path('local'), { voice_config_id: preset.id })).body).toEqual(local);
});

test('the key is given, or that of a preset is used: one of both', async () => {
  const { settings, create, vendors } = await presetWorld();
  const { id } = (await create('openai')).body;
  const api_key = vendors.openai.keyThatIs('valid');
  for (const body of [{}, { api_key, voice_config_id: id }, { api_key, base_url: 'https://x' }]) {
    const answer = await settings.post(path('openai'), body);
    expect([answer.status, answer.body.detail[0].loc[0]]).toEqual([422, 'body']);
  }
  expect((await settings.post(path('acme'), { api_key })).body.detail[0].loc).toEqual(['path', 'name']);
  // A key goes to its own provider only.
  const other = await settings.post(path('cartesia'), { voice_config_id: id });
  expect([other.status, other.body.detail]).toEqual([404, 'Voice config not found']);
  expect(vendors.cartesia.requests).toEqual([]);
});

test('voices that a vendor describes in an odd way are cleaned, or left out', async () => {
  const { settings, vendors } = await presetWorld();
  const api_key = vendors.elevenlabs.keyThatIs('valid');
  const voices = [
    { voice_id: `x${api_key}`, name: 'quotes the key in its id' },
    { voice_id: 'x'.repeat(101), name: 'too long an id' },
    { voice_id: 'odd', name: `of ${api_key}\u2028\u0000`, preview_url: 'javascript:alert(1)', labels: null },
    { voice_id: 'web', preview_url: `https://x.example/?key=${api_key}`, description: 'd'.repeat(5_000) },
  ];
  vendors.elevenlabs.failNext({ kind: 'answer', reply: { status: 200, body: { voices, has_more: false } } });
  const { body } = await settings.post(path('elevenlabs'), { api_key });
  const rest = { description: null, languages: [], gender: null, preview_url: null };
  expect(body.voices).toEqual([
    { ...rest, id: 'odd', name: 'of …' },
    { ...rest, id: 'web', name: 'web', description: 'd'.repeat(300) },
  ]);
});

test('a vendor whose pages never end is asked for five of them', async () => {
  const { settings, vendors } = await presetWorld();
  const page = (n: number) => ({ voices: [{ voice_id: `v${n}` }], has_more: true, next_page_token: 'again' });
  for (let n = 0; n < 9; n++)
    vendors.elevenlabs.failNext({ kind: 'answer', reply: { status: 200, body: page(n) } });
  const { body } = await settings.post(path('elevenlabs'), {
    api_key: vendors.elevenlabs.keyThatIs('valid'),
  });
  expect([body.voices.length, body.truncated, vendors.elevenlabs.requests.length]).toEqual([5, true, 5]);
});
