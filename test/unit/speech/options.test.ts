import { expect, test } from 'vitest';
import { z } from 'zod';
import { effectiveOptions, optionsSchema } from '../../../src/speech/options/options-schema.ts';
import { SPEECH_PROVIDERS } from '../../../src/speech/providers/speech-providers.ts';
import { PATH, presetWorld } from './preset-world.ts';

const SERVICES = SPEECH_PROVIDERS.flatMap(({ name, kinds }) =>
  Object.entries(kinds).map(([kind, service]) => ({ name, kind, service })),
);

/** Values that some option takes, and others refuse. */
// biome-ignore format: one line per type
const VALUES = [
  '', 'en', 'auto', 'off', ' x ', 'slt', 'x'.repeat(201), 'x'.repeat(3_000), 'a\nb',
  0, 0.5, 1, 1.5, -1, 300, 1_000, 1e9,
  true, false,
  [], ['Zürich'], [''], [1], ['x'.repeat(20)], ['x'.repeat(101)], Array(200).fill('x'),
  {}, { nested: { deeply: [{}] } },
];

test('the defaults are those of the specification', () => {
  const defaults = Object.fromEntries(
    SERVICES.map(({ name, kind, service }) => [`${name} ${kind}`, effectiveOptions(service.fields, {})]),
  );
  expect(defaults).toMatchObject({
    'elevenlabs tts': { model: 'eleven_turbo_v2_5' },
    'deepgram stt': { model: 'nova-3' },
    'deepgram tts': { voice: 'thalia-en' },
    'cartesia tts': { model: 'sonic-3' },
    'assemblyai stt': { format_turns: true, speaker_labels: false },
    'openai tts': { model: 'gpt-4o-mini-tts' },
  });
  expect(Object.keys(defaults).sort()).toEqual([
    'assemblyai stt',
    'cartesia stt',
    'cartesia tts',
    'deepgram stt',
    'deepgram tts',
    'elevenlabs stt',
    'elevenlabs tts',
    'local stt',
    'local tts',
    'openai stt',
    'openai tts',
  ]);
  // Formatting means something for this family only, and its last text of a turn is the formatted one.
  expect(defaults['assemblyai stt']!.model).toMatch(/^universal-streaming-/);
});

test('every text-to-speech preset says what happens when it is interrupted', () => {
  const spoken = SERVICES.filter(({ kind }) => kind === 'tts');
  expect(spoken).toHaveLength(5);
  for (const { service } of spoken) expect(effectiveOptions(service.fields, {}).interruption).toBe('auto');
});

test.each(SERVICES)(
  'the options of $name $kind have unique names, and defaults that are valid',
  ({ service }) => {
    const names = service.fields.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    const defaults = effectiveOptions(service.fields, {});
    expect(optionsSchema(service.fields).parse(defaults)).toEqual(defaults);
  },
);

test('the schema that clients get describes exactly what is accepted', async () => {
  const { settings } = await presetWorld();
  const { providers } = (await settings.get(`${PATH}/schema`)).body;
  const disagreements: unknown[] = [];
  let accepted = 0;
  for (const { name, kind, service } of SERVICES) {
    const wire = providers.find((one: { name: string }) => one.name === name).kinds[kind].schema;
    const described = z.fromJSONSchema(wire);
    const validated = optionsSchema(service.fields);
    expect(described.safeParse({ nonsense: 1 }).success).toBe(false);
    for (const field of service.fields) {
      for (const value of VALUES) {
        const options = { [field.name]: value };
        // JSON Schema trims nothing, and the description leaves out that texts may not be blank or have control characters.
        const isPlain =
          JSON.stringify(value) === JSON.stringify(validated.safeParse(options).data?.[field.name]);
        const isText = typeof value === 'string' || Array.isArray(value);
        const [ours, theirs] = [validated.safeParse(options).success, described.safeParse(options).success];
        if (ours) accepted += 1;
        if (ours ? isPlain && !theirs : theirs && !isText) disagreements.push([name, kind, options]);
      }
    }
  }
  expect(disagreements).toEqual([]);
  expect(accepted).toBeGreaterThan(100);
});

test('the schema is enough to draw a form', async () => {
  const { settings } = await presetWorld();
  const { providers } = (await settings.get(`${PATH}/schema`)).body;
  const elevenlabs = providers.find((one: { name: string }) => one.name === 'elevenlabs');
  expect(elevenlabs).toMatchObject({ title: 'ElevenLabs', needs_key: true });
  expect(elevenlabs.regions.map(({ name }: { name: string }) => name)).toEqual([
    'global',
    'us',
    'eu',
    'in',
    'sg',
  ]);
  expect(elevenlabs.kinds.tts.schema.properties).toMatchObject({
    model: {
      type: 'string',
      default: 'eleven_turbo_v2_5',
      examples: expect.arrayContaining(['eleven_flash_v2_5']),
    },
    speed: { type: 'number', default: 1, minimum: 0.7, maximum: 1.2 },
    use_speaker_boost: { type: 'boolean', default: true },
    interruption: { type: 'string', enum: ['auto', 'pause', 'off'], default: 'auto' },
  });
  expect(elevenlabs.kinds.stt.schema.properties.keyterms).toMatchObject({
    type: 'array',
    maxItems: 50,
    items: { type: 'string', maxLength: 20 },
  });
  const local = providers.find((one: { name: string }) => one.name === 'local');
  expect(local).toMatchObject({ needs_key: false, regions: [] });
  const assemblyai = providers.find((one: { name: string }) => one.name === 'assemblyai');
  expect(Object.keys(assemblyai.kinds)).toEqual(['stt']);
});

const TTS = { kind: 'tts', provider: 'elevenlabs', api_key: 'x' };
const WRONG: readonly [string, object, string[], string][] = [
  ['an unknown provider', { ...TTS, provider: 'acme' }, ['provider'], 'enum'],
  ['an unknown kind', { ...TTS, kind: 'both' }, ['kind'], 'enum'],
  ['a kind that the provider lacks', { ...TTS, provider: 'assemblyai' }, ['kind'], 'value_error'],
  ['an unknown option', { ...TTS, options: { pitch: 1 } }, ['options', 'pitch'], 'extra_forbidden'],
  [
    'an option of the other kind',
    { ...TTS, options: { keyterms: [] } },
    ['options', 'keyterms'],
    'extra_forbidden',
  ],
  ['an option beside `options`', { ...TTS, model: 'x' }, ['model'], 'extra_forbidden'],
  [
    'a URL to send the key to',
    { ...TTS, options: { base_url: 'https://x' } },
    ['options', 'base_url'],
    'extra_forbidden',
  ],
  ['a number out of range', { ...TTS, options: { speed: 2 } }, ['options', 'speed'], 'less_than_equal'],
  ['a text for a number', { ...TTS, options: { speed: '1' } }, ['options', 'speed'], 'float_type'],
  ['a nested option', { ...TTS, options: { voice: { a: [] } } }, ['options', 'voice'], 'string_type'],
  ['a long option', { ...TTS, options: { voice: 'x'.repeat(101) } }, ['options', 'voice'], 'string_too_long'],
  ['a line break', { ...TTS, options: { voice: 'a\r\nb' } }, ['options', 'voice'], 'string_pattern_mismatch'],
  ['a wrong choice', { ...TTS, options: { interruption: 'on' } }, ['options', 'interruption'], 'enum'],
  ['options that are a list', { ...TTS, options: [] }, ['options'], 'dict_type'],
  ['an unknown region', { ...TTS, region: 'mars' }, ['region'], 'value_error'],
  ['a region of `local`', { kind: 'tts', provider: 'local', region: 'eu' }, ['region'], 'value_error'],
  ['no key', { kind: 'tts', provider: 'openai' }, ['api_key'], 'missing'],
  ['an empty key', { ...TTS, api_key: '' }, ['api_key'], 'string_pattern_mismatch'],
  ['a key with a line break', { ...TTS, api_key: 'a\r\nX-Other: b' }, ['api_key'], 'string_pattern_mismatch'],
  ['a key that is no ASCII', { ...TTS, api_key: 'schlüssel' }, ['api_key'], 'string_pattern_mismatch'],
  ['an empty name', { ...TTS, name: ' ' }, ['name'], 'string_too_short'],
];

test.each(WRONG)('%s is 422, and no provider is asked', async (_what, body, loc, type) => {
  const { settings, vendors, list } = await presetWorld();
  const answer = await settings.post(PATH, body);
  expect([answer.status, answer.body.detail]).toEqual([
    422,
    [{ loc: ['body', ...loc], type, msg: expect.any(String) }],
  ]);
  for (const vendor of Object.values(vendors)) expect(vendor.requests).toEqual([]);
  expect(await list()).toEqual([]);
});

test('a wrong change is 422 in the same way, and changes nothing', async () => {
  const { create, settings, list } = await presetWorld();
  const preset = (await create('elevenlabs', { kind: 'tts' })).body;
  const wrong: [object, string[]][] = [
    [{ options: { speed: 9 } }, ['options', 'speed']],
    [{ options: { constructor: 1 } }, ['options', 'constructor']],
    [{ provider: 'openai' }, ['provider']],
    [{ kind: 'stt' }, ['kind']],
    [{ region: 'mars' }, ['region']],
  ];
  for (const [body, loc] of wrong) {
    const answer = await settings.patch(`${PATH}/${preset.id}`, body);
    expect([answer.status, answer.body.detail[0].loc]).toEqual([422, ['body', ...loc]]);
  }
  expect(await list()).toEqual([preset]);
});

test('options cannot be used to reach the prototype of anything', async () => {
  const { settings, list } = await presetWorld();
  const body = '{"kind":"tts","provider":"local","options":{"__proto__":{"voice":"kal","admin":true}}}';
  const answer = await settings.request('POST', PATH, body);
  expect([200, 422]).toContain(answer.status);
  for (const { options } of await list()) expect(options).toEqual({ voice: 'slt', interruption: 'auto' });
  expect(({} as Record<string, unknown>).admin).toBeUndefined();
});

test('a body beyond 64 KB is 413, and one with thousands of options 422 with 20 faults', async () => {
  const { settings } = await presetWorld();
  const many = Object.fromEntries(Array.from({ length: 3_000 }, (_, n) => [`option${n}`, n]));
  const body = { kind: 'tts', provider: 'local' };
  const answer = await settings.post(PATH, { ...body, options: many });
  expect([answer.status, answer.body.detail.length]).toEqual([422, 20]);
  expect((await settings.post(PATH, { ...body, options: { voice: 'x'.repeat(70_000) } })).status).toBe(413);
});

test('a model that its provider has ended is refused, with the one to use instead', async () => {
  const { create, settings, list } = await presetWorld();
  for (const model of ['sonic-2', 'sonic-2-2025-04-16', 'sonic-turbo']) {
    const { status, body } = await create('cartesia', { kind: 'tts', options: { model } });
    const ended = model.replace('-2025-04-16', '');
    const msg = `Cartesia ended ${ended} on 2026-06-01; use sonic-3.5`;
    expect([status, body.detail]).toEqual([
      422,
      [{ loc: ['body', 'options', 'model'], type: 'value_error', msg }],
    ]);
  }
  const kept = (await create('cartesia', { kind: 'tts', options: { model: 'sonic-3-2026-01-12' } })).body;
  expect(kept.notices).toEqual([]);
  expect((await settings.patch(`${PATH}/${kept.id}`, { options: { model: 'sonic' } })).status).toBe(422);
  expect(await list()).toEqual([kept]);
});

const DAY_MS = 86_400_000;

test('a preset says when its model ends, and can only be enabled before', async () => {
  const { create, settings, list, clock } = await presetWorld();
  clock.turn(Date.parse('2026-12-01') - Date.parse(clock.nowIso()));
  const { id, notices } = (await create('openai', { kind: 'tts' })).body;
  expect(notices).toEqual(['OpenAI ends gpt-4o-mini-tts on 2027-01-06']);
  clock.turn(60 * DAY_MS);
  expect((await list())[0].notices).toEqual(['OpenAI ended gpt-4o-mini-tts on 2027-01-06']);
  const enable = () => settings.patch(`${PATH}/${id}`, { enabled: true });
  expect((await enable()).body.detail[0].loc).toEqual(['body', 'options', 'model']);
  expect((await settings.patch(`${PATH}/${id}`, { enabled: false, name: 'old' })).status).toBe(200);
  expect((await settings.patch(`${PATH}/${id}`, { options: { model: 'gpt-tts-2' } })).body.notices).toEqual(
    [],
  );
  expect((await enable()).status).toBe(200);
});
