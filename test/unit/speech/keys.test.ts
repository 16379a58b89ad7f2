import { expect, test } from 'vitest';
import { VENDOR_NAMES, type VendorName } from '../../fakes/speech-vendor/all-vendors.ts';
import type { VendorFault } from '../../fakes/speech-vendor/fake-vendor.ts';
import type { Refusal } from '../../fakes/speech-vendor/vendor-manners.ts';
import { auditOf } from '../api/account-server.ts';
import { asked, PATH, presetWorld } from './preset-world.ts';

const WRONG_KEY = 'wrong-key-0123456789';

/** Each vendor's own words, as its fake has them. */
const WORDS: Readonly<Record<VendorName, Readonly<Record<Exclude<Refusal, 'down'>, string>>>> = {
  elevenlabs: {
    bad_key: 'Invalid API key',
    missing_scope: 'The API key you used is missing the permission voices_read to execute this operation.',
    out_of_funds: 'This request exceeds your quota of 10000. You have 0 credits remaining.',
    too_many: 'Rate limit exceeded',
  },
  deepgram: {
    bad_key: 'Invalid credentials.',
    missing_scope: 'User does not have sufficient permissions.',
    out_of_funds: 'Project does not have enough credits for an ASR request.',
    too_many: 'Too many requests. Please try again later',
  },
  cartesia: {
    bad_key: 'Unauthorized: Invalid API key',
    missing_scope: 'Forbidden: This API key may not list voices',
    out_of_funds: 'Quota exceeded: Your plan has no credits left',
    too_many: 'Too many requests: You have too many requests in flight',
  },
  assemblyai: {
    bad_key: 'Authentication error, API token missing/invalid',
    missing_scope: 'This API token may not stream',
    out_of_funds: 'Your current account balance is negative. Please top up to continue using the API.',
    too_many: 'Too many requests',
  },
  openai: {
    bad_key: 'Incorrect API key provided: wrong***key. You can find your API key at …',
    missing_scope: 'You have insufficient permissions for this operation. Missing scopes: api.model.read.',
    out_of_funds: 'You exceeded your current quota, please check your plan and billing details.',
    too_many: 'Rate limit reached for requests',
  },
};

test.each(VENDOR_NAMES)('%s accepts its key, once, and the answer does not show it', async (name) => {
  const { create, vendors, list } = await presetWorld();
  const { status, body } = await create(name);
  expect([status, body]).toEqual([
    200,
    expect.objectContaining({
      kind: 'stt',
      provider: name,
      enabled: true,
      key_status: 'valid',
      key_detail: null,
    }),
  ]);
  expect(body.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  const key = vendors[name].keyThatIs('valid');
  expect(vendors[name].requests.map((request) => [request.method, request.key])).toEqual([['GET', key]]);
  expect(await list()).toEqual([body]);
  expect(JSON.stringify([body, await list()])).not.toContain(key);
});

test.each(VENDOR_NAMES)('%s refuses a wrong key: 400 in its words, and nothing is stored', async (name) => {
  const { create, list, domain, owner } = await presetWorld();
  const { status, body } = await create(name, { api_key: WRONG_KEY });
  expect([status, body.detail]).toEqual([400, expect.stringMatching(/^\w+ refused the key: /)]);
  expect(body.detail.split(' refused the key: ')[1]).toBe(WORDS[name].bad_key);
  expect(await list()).toEqual([]);
  expect(await auditOf(domain.store, owner.accountId)).toEqual([]);
});

test.each(VENDOR_NAMES)(
  '%s: a key without a permission or money is stored, and shown as such',
  async (name) => {
    const { create, vendors } = await presetWorld();
    const limited = await create(name, { api_key: vendors[name].keyThatIs('missing_scope') });
    expect(limited.body).toMatchObject({
      key_status: 'limited_scope',
      key_detail: WORDS[name].missing_scope,
    });
    const broke = await create(name, { api_key: vendors[name].keyThatIs('out_of_funds') });
    expect(broke.body).toMatchObject({ key_status: 'out_of_funds', key_detail: WORDS[name].out_of_funds });
    expect([limited.status, broke.status]).toEqual([200, 200]);
  },
);

test.each(VENDOR_NAMES)('%s: rate limits and faults are 502, and nothing is stored', async (name) => {
  const { create, vendors, list } = await presetWorld();
  const vendor = vendors[name];
  for (const refusal of ['too_many', 'down'] as const) {
    vendor.failNext({ kind: 'answer', reply: vendor.manners.refuse(refusal) });
    const { status, body } = await create(name);
    expect([status, body.detail]).toEqual([
      502,
      expect.stringMatching(/^\w+ could not be asked: it answered HTTP/),
    ]);
    if (refusal === 'too_many') expect(body.detail).toContain(WORDS[name].too_many);
  }
  expect(await list()).toEqual([]);
});

const PAGE = '<html><body>Please sign in to the wireless network</body></html>';
const FAULTS: Readonly<Record<string, VendorFault>> = {
  'an HTML page': { kind: 'answer', reply: { status: 200, body: PAGE } },
  'a page in front of it (403)': { kind: 'answer', reply: { status: 403, body: PAGE } },
  'a page in front of it (401)': { kind: 'answer', reply: { status: 401, body: PAGE } },
  'an error of someone else': { kind: 'answer', reply: { status: 403, body: { error: 'blocked' } } },
  'no content': { kind: 'answer', reply: { status: 204, body: '' } },
  'a body that breaks off': { kind: 'cut' },
  'an endless body': { kind: 'flood' },
  'JSON nested too deeply': { kind: 'answer', reply: { status: 200, body: '['.repeat(100_000) } },
};

test.each(Object.entries(FAULTS))('%s from a vendor is 502, and nothing is stored', async (_what, fault) => {
  const { create, vendors, list } = await presetWorld();
  vendors.elevenlabs.failNext(fault);
  const { status, body } = await create('elevenlabs');
  expect([status, body.detail]).toEqual([502, expect.stringMatching(/^ElevenLabs could not be asked: /)]);
  expect(body.detail).not.toContain('wireless');
  expect(await list()).toEqual([]);
});

test.each([301, 302, 303, 307, 308])('a redirect (%s) is not followed with a key', async (status) => {
  const { create, vendors, list } = await presetWorld();
  const headers = { location: `${vendors.openai.url}/v1/models` };
  vendors.elevenlabs.failNext({ kind: 'answer', reply: { status, body: '', headers } });
  expect((await create('elevenlabs')).status).toBe(502);
  expect(vendors.openai.requests).toEqual([]);
  expect(await list()).toEqual([]);
});

test.each(['hang', 'drip'] as const)(
  'a vendor that answers too slowly (%s) is 502 after 5 s',
  async (kind) => {
    const { create, vendors, clock, list } = await presetWorld();
    vendors.deepgram.failNext({ kind });
    const creating = create('deepgram');
    await asked(vendors.deepgram, 1);
    clock.turn(5_000);
    const { status, body } = await creating;
    expect([status, body.detail]).toEqual([502, 'Deepgram could not be asked: it did not answer in time']);
    expect(await list()).toEqual([]);
  },
);

test('a vendor that is not there is 502, and says why', async () => {
  const { create, vendors, list } = await presetWorld();
  await vendors.cartesia.stop();
  const { status, body } = await create('cartesia');
  expect([status, body.detail]).toEqual([
    502,
    'Cartesia could not be asked: it cannot be reached (ECONNREFUSED)',
  ]);
  expect(await list()).toEqual([]);
});

test('a vendor that quotes the key back has it removed from its words', async () => {
  const { create, vendors, list } = await presetWorld();
  const key = 'secret/key+of=someone';
  const message = `Key ${key} (${encodeURIComponent(key)}) is\r\nwrong`;
  const reply = { status: 401, body: { detail: { status: 'invalid_api_key', message } } };
  vendors.elevenlabs.failNext({ kind: 'answer', reply });
  const { body } = await create('elevenlabs', { api_key: key });
  expect(body.detail).toBe('ElevenLabs refused the key: Key … (…) is wrong');
  vendors.elevenlabs.failNext({
    kind: 'answer',
    reply: { status: 401, body: { detail: { status: 'missing_permissions', message } } },
  });
  expect((await create('elevenlabs', { api_key: key })).body.key_detail).toBe('Key … (…) is wrong');
  expect(JSON.stringify(await list())).not.toContain(key);
});

test('local needs no key, and asks nobody', async () => {
  const { create, vendors } = await presetWorld();
  const { status, body } = await create('local', { kind: 'tts' });
  expect([status, body.key_status, body.region]).toEqual([200, 'not_needed', null]);
  const given = await create('local', { kind: 'tts', api_key: WRONG_KEY });
  expect([given.status, given.body.detail[0].loc]).toEqual([422, ['body', 'api_key']]);
  for (const vendor of Object.values(vendors)) expect(vendor.requests).toEqual([]);
});

test('an account may have providers asked 60 times in 15 minutes', async () => {
  const { create, settings, vendors, clock } = await presetWorld();
  for (let n = 0; n < 60; n++) expect((await create('openai', { api_key: WRONG_KEY })).status).toBe(400);
  const refused = await create('openai');
  expect([refused.status, refused.body.detail]).toEqual([
    429,
    'Providers may be asked 60 times in 15 minutes',
  ]);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(850);
  const voices = { api_key: vendors.openai.keyThatIs('valid') };
  expect((await settings.post('/api/providers/openai/voices', voices)).status).toBe(429);
  expect(vendors.openai.requests).toHaveLength(60);
  expect((await create('local')).status).toBe(200);
  clock.turn(15 * 60_000);
  expect((await create('openai')).status).toBe(200);
});

test('an account may have 100 presets, and at the limit no provider is asked', async () => {
  const { create, vendors, settings, list } = await presetWorld();
  for (let n = 0; n < 100; n++) expect((await create('local')).status).toBe(200);
  const { status, body } = await create('deepgram');
  expect([status, body.detail]).toEqual([409, 'An account may have at most 100 voice presets']);
  expect(vendors.deepgram.requests).toEqual([]);
  const [{ id }] = await list();
  expect((await settings.delete(`${PATH}/${id}`)).body).toEqual({ status: 'deleted' });
  expect((await create('deepgram')).status).toBe(200);
});
