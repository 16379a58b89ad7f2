import { expect, test, vi } from 'vitest';
import { exportAccount } from '../../../src/accounts/account/export-account.ts';
import { deleteAccess } from '../../../src/store/people/account-access.ts';
import { plaintextsIn, storedText } from '../../support/plaintext.ts';
import { auditOf } from '../api/account-server.ts';
import { NOW } from '../store/temporary.ts';
import { asked, PATH, presetWorld } from './preset-world.ts';

const NOBODYS_ID = 'f786b574-daa5-4673-aa0c-cbe3e8534c02';
const NOT_FOUND = [404, { detail: 'Voice config not found', code: 'voice_config_not_found' }];

test('enabling a preset disables the other one of its kind, which keeps its key and options', async () => {
  const { create, list, settings, vendors } = await presetWorld();
  const first = (await create('deepgram', { options: { language: 'fr' } })).body;
  const other = (await create('local', { kind: 'tts' })).body;
  const second = (await create('assemblyai')).body;
  const enabled = async () => (await list()).filter((preset) => preset.enabled).map(({ id }) => id);
  expect(await enabled()).toEqual([other.id, second.id]);

  const { status, body } = await settings.patch(`${PATH}/${first.id}`, { enabled: true });
  expect([status, body]).toEqual([
    200,
    { ...first, enabled: true, checked_at: body.checked_at, updated_at: body.updated_at },
  ]);
  expect(await enabled()).toEqual([first.id, other.id]);
  // Its stored key was used.
  expect(vendors.deepgram.requests.map(({ key }) => key)).toEqual(
    Array(2).fill(vendors.deepgram.keyThatIs('valid')),
  );
});

test('a preset can be created disabled, and then changes nothing', async () => {
  const { create, list } = await presetWorld();
  const first = (await create('local')).body;
  const second = (await create('local', { enabled: false })).body;
  expect(second.enabled).toBe(false);
  expect((await list()).map(({ id, enabled }) => [id, enabled])).toEqual([
    [first.id, true],
    [second.id, false],
  ]);
});

test('of presets enabled at the same time, one is enabled', async () => {
  const { create, list, settings } = await presetWorld();
  const ids: string[] = [];
  for (let n = 0; n < 10; n++) ids.push((await create('cartesia', { enabled: false })).body.id);
  const answers = await Promise.all(ids.map((id) => settings.patch(`${PATH}/${id}`, { enabled: true })));
  expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
  expect((await list()).filter(({ enabled }) => enabled)).toHaveLength(1);
});

test('the database itself refuses a second enabled preset of a kind', async () => {
  const { create, domain } = await presetWorld();
  await create('local');
  const { id } = (await create('local', { enabled: false })).body;
  const enable = domain.store.db.updateTable('voiceConfigs').set({ enabled: true }).where('id', '=', id);
  await expect(enable.execute()).rejects.toThrow(/unique/i);
});

test('enabling a preset whose key no longer works is refused, and the preset says so', async () => {
  const { create, list, settings, vendors } = await presetWorld();
  const { id } = (await create('openai', { enabled: false })).body;
  vendors.openai.keys.clear();
  const { status, body } = await settings.patch(`${PATH}/${id}`, { enabled: true, name: 'new' });
  expect([status, body.detail]).toEqual([400, expect.stringMatching(/^OpenAI refused the key: Incorrect/)]);
  expect(await list()).toMatchObject([{ enabled: false, key_status: 'invalid', name: 'OpenAI' }]);
  vendors.openai.keys.set('a-new-key-of-openai', 'valid');
  const renewed = await settings.patch(`${PATH}/${id}`, { enabled: true, api_key: 'a-new-key-of-openai' });
  expect(renewed.body).toMatchObject({ enabled: true, key_status: 'valid', key_detail: null });
});

test('a new key that does not work leaves the preset as it is', async () => {
  const { create, list, settings } = await presetWorld();
  const preset = (await create('elevenlabs')).body;
  const { status } = await settings.patch(`${PATH}/${preset.id}`, {
    api_key: 'wrong',
    options: { language: 'fr' },
  });
  expect(status).toBe(400);
  expect(await list()).toEqual([preset]);
});

test('a preset that changes while its provider is asked is not overwritten', async () => {
  const { create, settings, vendors } = await presetWorld();
  const { id } = (await create('elevenlabs', { enabled: false })).body;
  vendors.elevenlabs.keys.set('another-key', 'valid');
  const held = async (fields: object, meanwhile: () => Promise<unknown>) => {
    vendors.elevenlabs.holdNext();
    const before = vendors.elevenlabs.requests.length;
    const changing = settings.patch(`${PATH}/${id}`, fields);
    await asked(vendors.elevenlabs, before + 1);
    await meanwhile();
    vendors.elevenlabs.release();
    return await changing;
  };
  const replaced = await held({ enabled: true }, () =>
    settings.patch(`${PATH}/${id}`, { api_key: 'another-key' }),
  );
  expect([replaced.status, replaced.body.detail]).toEqual([
    409,
    'Voice config was changed by another request; try again',
  ]);
  const renamed = await held({ enabled: true }, () => settings.patch(`${PATH}/${id}`, { name: 'renamed' }));
  expect(renamed.body).toMatchObject({ enabled: true, name: 'renamed' });
  const deleted = await held({ enabled: true }, () => settings.delete(`${PATH}/${id}`));
  expect([deleted.status, deleted.body]).toEqual(NOT_FOUND);
});

test('changes merge: what is left out stays, and null brings a default back', async () => {
  const { create, settings } = await presetWorld();
  const fields = { kind: 'tts', name: 'Reception', region: 'eu', options: { speed: 1.1, stability: 0.2 } };
  const { id, ...created } = (await create('elevenlabs', fields)).body;
  expect(created).toMatchObject({
    name: 'Reception',
    region: 'eu',
    options: { speed: 1.1, stability: 0.2, model: 'eleven_turbo_v2_5', interruption: 'auto' },
  });
  const change = { options: { speed: null, interruption: 'off' }, region: null };
  const { body } = await settings.patch(`${PATH}/${id}`, change);
  expect(body).toMatchObject({
    name: 'Reception',
    region: 'global',
    options: { speed: 1, stability: 0.2, interruption: 'off' },
  });
  expect((await settings.patch(`${PATH}/${id}`, {})).body.options).toEqual(body.options);
});

test('only a new key, a new region and enabling have the provider asked', async () => {
  const { create, settings, vendors } = await presetWorld();
  const { id } = (await create('elevenlabs', { kind: 'tts' })).body;
  const changes = [{ name: 'x' }, { options: { speed: 0.8 } }, { enabled: false }, {}];
  for (const change of changes) expect((await settings.patch(`${PATH}/${id}`, change)).status).toBe(200);
  expect(vendors.elevenlabs.requests).toHaveLength(1);
  for (const change of [{ region: 'us' }, { enabled: true }])
    expect((await settings.patch(`${PATH}/${id}`, change)).status).toBe(200);
  expect(vendors.elevenlabs.requests).toHaveLength(3);
});

test('agent keys may list presets and nothing else', async () => {
  const { agent, create } = await presetWorld();
  const preset = (await create('local')).body;
  expect((await agent.get(PATH)).body).toEqual({ voice_configs: [preset] });
  expect((await agent.get(`${PATH}/schema`)).status).toBe(200);
  const statuses = [
    await agent.post(PATH, { kind: 'stt', provider: 'local' }),
    await agent.patch(`${PATH}/${preset.id}`, { name: 'x' }),
    await agent.delete(`${PATH}/${preset.id}`),
    await agent.post('/api/providers/local/voices', {}),
  ].map(({ status }) => status);
  expect(statuses).toEqual([403, 403, 403, 403]);
});

test('a preset of another account does not exist, whatever is asked of it', async () => {
  const { create, stranger, list } = await presetWorld();
  const preset = (await create('openai', { kind: 'tts' })).body;
  expect((await stranger.get(PATH)).body).toEqual({ voice_configs: [] });
  const heard = async (id: string) => [
    await stranger.patch(`${PATH}/${id}`, { enabled: true }),
    await stranger.patch(`${PATH}/${id}`, { api_key: 'x', options: { nonsense: 1 } }),
    await stranger.delete(`${PATH}/${id}`),
    await stranger.post('/api/providers/openai/voices', { voice_config_id: id }),
  ];
  for (const id of [preset.id, NOBODYS_ID, preset.id.toUpperCase()])
    for (const { status, body } of await heard(id)) expect([status, body]).toEqual(NOT_FOUND);
  expect(await list()).toEqual([preset]);
});

test('ids work in capitals, and are unknown when they are no UUIDs', async () => {
  const { create, settings } = await presetWorld();
  const { id } = (await create('local')).body;
  expect((await settings.patch(`${PATH}/${id.toUpperCase()}`, { name: 'x' })).status).toBe(200);
  const { status, body } = await settings.delete(`${PATH}/1`);
  expect([status, body]).toEqual(NOT_FOUND);
});

test('keys are in no database, export or audit log', async () => {
  const { create, settings, domain, dataDir, owner, allKeys, vendors } = await presetWorld();
  const { id } = (await create('deepgram', { options: { keyterms: ['Zürich'] } })).body;
  await create('openai');
  await create('elevenlabs', { api_key: 'refused-key-0123456789' });
  await settings.patch(`${PATH}/${id}`, { api_key: vendors.deepgram.keyThatIs('out_of_funds') });
  await settings.delete(`${PATH}/${id}`);
  const kept = (await create('cartesia')).body;
  const actor = { ...owner, kind: 'settings', credentialId: 'key_1' } as const;
  let document = '';
  for await (const part of exportAccount(domain, actor)) document += part;
  const secrets = [...allKeys, 'refused-key-0123456789'];
  expect(plaintextsIn(`${storedText(dataDir)}\n${document}`, secrets)).toEqual([]);
  const { voice_configs } = JSON.parse(document);
  expect(voice_configs).toHaveLength(2);
  expect(voice_configs).toContainEqual(
    expect.objectContaining({ id: kept.id, provider: 'cartesia', options: {}, enabled: 1 }),
  );
  expect(document).not.toContain('sealed');
  const log = await auditOf(domain.store, owner.accountId);
  expect(log.map(([action]) => action)).toEqual([
    'voice_config.create',
    'voice_config.create',
    'voice_config.change',
    'voice_config.delete',
    'voice_config.create',
    'account.export',
  ]);
});

test('whoever takes an account over finds no presets, which would send its speech elsewhere', async () => {
  const { create, list, domain, owner } = await presetWorld();
  await create('local');
  await deleteAccess(domain.store.db, owner.accountId, NOW);
  expect(await list()).toEqual([]);
});

test('an account with an unverified address can neither have presets nor have providers asked', async () => {
  const { create, settings, domain, owner, vendors } = await presetWorld();
  const unproven = { email: 'someone@example.com', emailVerifiedAt: null };
  await domain.store.db.updateTable('accounts').set(unproven).where('id', '=', owner.accountId).execute();
  const api_key = vendors.openai.keyThatIs('valid');
  const answers = [
    await create('openai'),
    await create('local'),
    await settings.post('/api/providers/openai/voices', { api_key }),
  ];
  for (const { status, body } of answers)
    expect([status, body.detail]).toEqual([403, 'Email address is not verified']);
  expect(vendors.openai.requests).toEqual([]);
});

test('presets of the local recognizer need pocketsphinx, and say how to install it', async () => {
  const { create, list, settings } = await presetWorld();
  const stt = { kind: 'stt', options: { grammar: '( yes | no )' } };
  const preset = (await create('local', { ...stt, enabled: false })).body;
  const missing = async () => {
    const { providers } = (await settings.get(`${PATH}/schema`)).body;
    const { kinds } = providers.find(({ name }: { name: string }) => name === 'local');
    return [kinds.stt.missing, kinds.tts.missing];
  };
  expect(await missing()).toEqual([null, null]);
  vi.stubEnv('PATH', '/nonexistent');
  const detail =
    'Speech recognition needs pocketsphinx_continuous (on Debian: apt-get install pocketsphinx pocketsphinx-en-us)';
  expect(await missing()).toEqual([detail, null]);
  for (const { status, body } of [
    await create('local', stt),
    await settings.patch(`${PATH}/${preset.id}`, { enabled: true }),
  ])
    expect([status, body]).toEqual([400, { detail, code: 'voice_engine_missing' }]);
  expect(await list()).toEqual([preset]);
  // What it is called does not matter, nor does it to synthesis.
  expect((await settings.patch(`${PATH}/${preset.id}`, { name: 'later' })).status).toBe(200);
  expect((await create('local', { kind: 'tts' })).status).toBe(200);
});
