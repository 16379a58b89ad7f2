import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { storeKey } from '../../../src/accounts/keys/api-keys.ts';
import { KeyCache } from '../../../src/accounts/keys/key-cache.ts';
import { loadSipAccounts } from '../../../src/accounts/logins/sip-accounts.ts';
import { authenticator } from '../../../src/api/auth/authenticator.ts';
import { HttpServer } from '../../../src/api/http/server.ts';
import { sipRoutes } from '../../../src/api/rest/sip.ts';
import { systemClock } from '../../../src/base/time.ts';
import { insertRow, takeRow } from '../../../src/store/database/rows.ts';
import { GatewayApi } from '../../support/gateway-api.ts';
import { HTTP_LIBRARY } from '../../support/http-library.ts';
import { TurnableClock } from '../../support/turnable-clock.ts';
import { FakeDirectory } from '../accounts/fake-directory.ts';
import { sipSetup } from '../accounts/sip-setup.ts';
import { NOW, seedAccount, temporaryDir, temporaryStore } from '../store/temporary.ts';

const PASSWORD = 'correct horse battery staple';
const TRUNK = { host: 'sip.example.com', username: '1001', password: PASSWORD };
const NOBODY = { use: () => null };

/** The SIP routes on a real server, with two accounts that have a settings key each. */
async function server({ maxNumbers = 1_000 } = {}) {
  const clock = new TurnableClock();
  const dataDir = temporaryDir();
  const store = await temporaryStore(dataDir);
  const directory = new FakeDirectory();
  const [a, b] = [await seedAccount(store, 'a'), await seedAccount(store, 'b')];
  const key = async (accountId: string, kind: 'agent' | 'settings', agentIds: string[] = []) => {
    const text = `svc_${accountId}_${kind}`;
    await storeKey(store.db, text, { accountId, kind, name: kind, agentIds }, NOW);
    return text;
  };
  const keys = {
    a: await key(a.accountId, 'settings'),
    b: await key(b.accountId, 'settings'),
    agent: await key(a.accountId, 'agent', [a.agentId]),
  };
  const sip = sipSetup({ store, directory, clock }, maxNumbers);
  const http = new HttpServer({
    library: HTTP_LIBRARY,
    routes: sipRoutes(sip),
    sockets: [],
    authenticate: authenticator(await KeyCache.load(store.db, systemClock, () => {}), NOBODY, NOBODY),
    onError: (error) => {
      throw error;
    },
  });
  await http.listen('127.0.0.1', 0);
  onTestFinished(() => http.close(1_000));
  const api = (as: string | null) => new GatewayApi(`http://127.0.0.1:${http.port}`, as);
  return {
    a: api(keys.a),
    b: api(keys.b),
    agent: api(keys.agent),
    nobody: api(null),
    sip,
    clock,
    directory,
    dataDir,
    owner: a,
  };
}

test('a trunk is stored, shown without its password, passed to the connector, and deleted', async () => {
  const { a, b, directory, owner } = await server();
  expect((await a.get('/api/sip/trunk')).status).toBe(404);
  const shown = {
    host: 'sip.example.com',
    port: 5060,
    transport: 'udp',
    username: '1001',
    realm: null,
    caller_id: null,
    register: true,
    srtp: 'off',
    behind_nat: false,
    media_timeout_s: null,
    caller_id_in: 'from',
    caller_from: 'p_asserted_identity',
    inbound_uri: expect.stringMatching(/^sip:[0-9a-f]{32}@192\.0\.2\.1:5060$/),
    registration: { state: 'registering', last_error: null, expires_at: null },
  };
  const put = await a.put('/api/sip/trunk', TRUNK);
  expect([put.status, put.body]).toEqual([200, shown]);
  expect((await a.get('/api/sip/trunk')).body).toEqual(shown);
  expect(directory.trunks.get(owner.accountId)).toMatchObject({ accountId: owner.accountId, ...TRUNK });
  expect((await b.get('/api/sip/trunk')).status).toBe(404);

  expect((await a.delete('/api/sip/trunk')).body).toEqual({ status: 'deleted' });
  expect(directory.trunks.size).toBe(0);
  expect((await a.delete('/api/sip/trunk')).status).toBe(404);
});

test('an omitted password keeps the stored one, and is a fault of the body when there is none', async () => {
  const { a, directory, owner } = await server();
  const { password: _password, ...rest } = TRUNK;
  const refused = await a.put('/api/sip/trunk', rest);
  expect([refused.status, refused.body.detail[0].loc]).toEqual([422, ['body', 'password']]);
  expect(directory.trunks.size).toBe(0);

  await a.put('/api/sip/trunk', TRUNK);
  const changed = {
    ...rest,
    transport: 'tls',
    port: 5061,
    realm: 'asterisk',
    register: false,
    behind_nat: true,
    media_timeout_s: 0,
    caller_id_in: 'p_asserted_identity',
    caller_from: 'remote_party_id',
  };
  expect((await a.put('/api/sip/trunk', changed)).body).toMatchObject({
    ...changed,
    registration: { state: 'off' },
  });
  expect(directory.trunks.get(owner.accountId)).toMatchObject({
    transport: 'tls',
    password: PASSWORD,
    behindNat: true,
    mediaTimeoutS: 0,
    callerIdIn: 'p_asserted_identity',
    callerFrom: 'remote_party_id',
  });
  for (const login of [{ host: '10.0.0.1' }, { username: 'another' }]) {
    expect((await a.put('/api/sip/trunk', { ...changed, ...login })).status, 'another login').toBe(422);
  }
});

test('names and passwords may be whatever providers issue', async () => {
  const { a, directory, owner } = await server();
  const odd = {
    username: "1001+alice@sip.example.com;ob='x'",
    password: 'pâss "wörd" \\ 🔑',
    realm: 'Provider [EU]',
  };
  expect((await a.put('/api/sip/trunk', { ...TRUNK, ...odd, caller_id: '+33123456789' })).status).toBe(200);
  expect(directory.trunks.get(owner.accountId)).toMatchObject({ ...odd, callerId: '+33123456789' });
});

test.each([
  { username: 'a\r\nVia: evil' },
  { username: 'a"b' },
  { username: 'a b' },
  { username: 'a@b>' },
  { username: '' },
  { realm: 'x"\r\n' },
  { caller_id: '<sip:evil@x>' },
  { host: 'a b' },
  { host: 'a\r\nb' },
  { password: 'a\nb' },
  { port: 0 },
  { transport: 'ws' },
  { srtp: 'yes' },
  { behind_nat: 'yes' },
  { media_timeout_s: -1 },
  { media_timeout_s: 3_601 },
  { media_timeout_s: 1.5 },
  { caller_id_in: 'to' },
])('a trunk with %j is refused', async (fault) => {
  const { a, directory } = await server();
  const answer = await a.put('/api/sip/trunk', { ...TRUNK, ...fault });
  expect([answer.status, answer.body.detail[0].loc]).toEqual([422, ['body', Object.keys(fault)[0]]]);
  expect(directory.trunks.size).toBe(0);
});

test('numbers are listed, changed and removed, each once per account', async () => {
  const { a, b, directory, owner } = await server();
  const created = await a.post('/api/sip/dids', { number: '+33123456789', label: 'Front desk' });
  expect(created.status).toBe(200);
  const did = created.body;
  expect(did).toEqual({
    did_id: expect.stringMatching(/^did_/),
    number: '+33123456789',
    label: 'Front desk',
    auto_answer: false,
    stt_voice_config_id: null,
    tts_voice_config_id: null,
    created_at: expect.stringMatching(/Z$/),
  });
  const taken = await a.post('/api/sip/dids', { number: '+33123456789' });
  expect([taken.status, taken.body]).toEqual([
    409,
    { detail: 'Phone number is already listed', code: 'number_taken' },
  ]);
  expect(directory.numbers.get(did.did_id)).toEqual({
    didId: did.did_id,
    number: '+33123456789',
    autoAnswer: false,
    presets: { stt: null, tts: null },
    ...owner,
  });

  const path = `/api/sip/dids/${did.did_id}`;
  expect((await a.patch(path, { auto_answer: true })).body).toEqual({ ...did, auto_answer: true });
  expect(directory.numbers.get(did.did_id)?.autoAnswer).toBe(true);
  expect((await a.patch(path, { label: null })).body).toEqual({ ...did, auto_answer: true, label: null });
  expect((await b.patch(path, { label: 'mine' })).status).toBe(404);
  expect((await b.delete(path)).status).toBe(404);
  expect((await a.get('/api/sip/dids')).body.dids).toHaveLength(1);
  expect((await b.get('/api/sip/dids')).body).toEqual({ dids: [] });

  expect((await a.delete(path)).body).toEqual({ status: 'deleted' });
  expect(directory.numbers.size).toBe(0);
  expect((await a.delete(path)).status).toBe(404);
});

test('two accounts can list the same number', async () => {
  const { a, b, directory } = await server();
  for (const api of [a, b]) {
    expect((await api.post('/api/sip/dids', { number: '+33123456789' })).status).toBe(200);
  }
  expect([...directory.numbers.values()].map(({ accountId }) => accountId).sort()).toEqual([
    'acc_a',
    'acc_b',
  ]);
});

test('an account lists a limited number of phone numbers, and the error names the limit', async () => {
  const { a, b } = await server({ maxNumbers: 3 });
  const list = (api: typeof a, n: number) => api.post('/api/sip/dids', { number: `+3312345678${n}` });
  for (const n of [1, 2, 3]) expect((await list(a, n)).status).toBe(200);
  const refused = await list(a, 4);
  expect([refused.status, refused.body]).toEqual([
    409,
    { detail: 'An account may list at most 3 phone numbers', code: 'too_many_numbers' },
  ]);
  expect((await a.get('/api/sip/dids')).body.dids).toHaveLength(3);
  expect((await list(b, 4)).status).toBe(200);
  const [{ did_id }] = (await a.get('/api/sip/dids')).body.dids;
  await a.delete(`/api/sip/dids/${did_id}`);
  expect((await list(a, 4)).status).toBe(200);
});

test('an account with an unverified mail address cannot connect a trunk or list a number', async () => {
  const { a, sip, directory, owner } = await server();
  const { db } = sip.store;
  const setPerson = (emailVerifiedAt: string | null) =>
    db
      .updateTable('accounts')
      .set({ email: 'a@example.com', emailVerifiedAt })
      .where('id', '=', owner.accountId)
      .execute();
  await setPerson(null);
  const wanted = [
    () => a.put('/api/sip/trunk', TRUNK),
    () => a.post('/api/sip/dids', { number: '+33123456789' }),
  ];
  for (const ask of wanted) {
    const refused = await ask();
    expect([refused.status, refused.body]).toEqual([
      403,
      { detail: 'Email address is not verified', code: 'email_not_verified' },
    ]);
  }
  expect([directory.trunks.size, directory.numbers.size]).toEqual([0, 0]);
  await setPerson(NOW);
  for (const ask of wanted) expect((await ask()).status).toBe(200);
});

test('a trunk keeps its inbound URI until its login changes or it is created anew', async () => {
  const { a, sip, directory, owner } = await server();
  const uriAfter = async (change: Record<string, unknown>): Promise<string> => {
    const { body } = await a.put('/api/sip/trunk', { ...TRUNK, ...change });
    expect((await a.get('/api/sip/trunk')).body.inbound_uri).toBe(body.inbound_uri);
    return body.inbound_uri;
  };
  const first = await uriAfter({});
  for (const change of [
    { transport: 'tls', port: 5061 },
    { password: 'x', register: false, behind_nat: true },
  ]) {
    expect(await uriAfter(change)).toBe(first);
  }
  const uris = [first, await uriAfter({ username: '1002' }), await uriAfter({ host: 'sip.example.net' })];
  await a.delete('/api/sip/trunk');
  uris.push(await uriAfter({}));
  expect(new Set(uris).size).toBe(4);
  for (const uri of uris) expect(uri).toMatch(/^sip:[0-9a-f]{32}@/);

  const fresh = new FakeDirectory();
  await loadSipAccounts({ ...sip, directory: fresh });
  expect(fresh.inboundUri(owner.accountId)).toBe(uris.at(-1));
  const audited = await sip.store.db.selectFrom('auditLog').select('detail').execute();
  for (const { detail } of audited) expect(JSON.stringify(detail)).not.toMatch(/[0-9a-f]{32}/);
  expect(directory.trunks.get(owner.accountId)?.inboundToken).toMatch(/^[0-9a-f]{32}$/);
});

test.each(['1001', '7', '0123456789'])('%s is listed as an extension or national number', async (number) => {
  const { a, b } = await server();
  for (const api of [a, b]) expect((await api.post('/api/sip/dids', { number })).body.number).toBe(number);
  const { body } = await a.get('/api/sip/dids');
  expect(body.dids.map((did: { number: string }) => did.number)).toEqual([number]);
});

test.each(['', '+', '+0123456789', '+331', '1001a', '10 01', '1'.repeat(16), 'sip:1001@a', '../1001'])(
  '%j is not listed as a number',
  async (number) => {
    const { a } = await server();
    expect((await a.post('/api/sip/dids', { number })).status).toBe(422);
  },
);

test('only the operator’s trunk may use internal addresses: the first account, unless people sign in to it', async () => {
  const { a, b, sip, directory } = await server();
  await sip.store.db
    .updateTable('accounts')
    .set({ createdAt: '2025-01-01T00:00:00.000Z' })
    .where('id', '=', 'acc_a')
    .execute();
  const rights = async () => {
    for (const api of [a, b]) await api.put('/api/sip/trunk', TRUNK);
    return ['acc_a', 'acc_b'].map((id) => directory.trunks.get(id)?.ofOperator);
  };
  expect(await rights()).toEqual([true, false]);
  const person = { email: 'a@example.com', emailVerifiedAt: NOW, passwordHash: 'hash' };
  await sip.store.db.updateTable('accounts').set(person).where('id', '=', 'acc_a').execute();
  expect(await rights()).toEqual([false, false]);
});

test('a trunk can be changed 30 times in a quarter of an hour, and no more', async () => {
  const { a, b, clock } = await server();
  for (let n = 0; n < 30; n++) expect((await a.put('/api/sip/trunk', TRUNK)).status).toBe(200);
  const refused = await a.put('/api/sip/trunk', { ...TRUNK, port: 22 });
  expect([refused.status, refused.body]).toEqual([
    429,
    { detail: 'A SIP trunk may be changed 30 times in 15 minutes', code: 'too_many_trunk_changes' },
  ]);
  expect((await a.get('/api/sip/trunk')).body.port).toBe(5060);
  expect((await b.put('/api/sip/trunk', TRUNK)).status).toBe(200);
  clock.turn(15 * 60_000);
  expect((await a.put('/api/sip/trunk', TRUNK)).status).toBe(200);
});

test('deleting a number leaves no membership behind', async () => {
  const { a, sip } = await server();
  const { body } = await a.post('/api/sip/dids', { number: '+4930123456' });
  const members = () => sip.store.db.selectFrom('agentAccounts').selectAll().execute();
  expect(await members()).toHaveLength(1);
  await a.delete(`/api/sip/dids/${body.did_id}`);
  expect(await members()).toEqual([]);
});

test.each(['+0123456789', '+12345', '+1234567890123456', '+33 1 23 45 67 89', ''])(
  'the number %j is refused',
  async (number) => {
    const { a } = await server();
    expect((await a.post('/api/sip/dids', { number })).status).toBe(422);
  },
);

test('only a settings key can configure', async () => {
  const { agent, nobody } = await server();
  for (const [method, path] of [
    ['PUT', '/api/sip/trunk'],
    ['GET', '/api/sip/trunk'],
    ['DELETE', '/api/sip/trunk'],
    ['GET', '/api/sip/dids'],
    ['POST', '/api/sip/dids'],
    ['PATCH', '/api/sip/dids/did_x'],
    ['DELETE', '/api/sip/dids/did_x'],
  ] as const) {
    const body = method === 'PUT' || method === 'POST' || method === 'PATCH' ? {} : undefined;
    expect([path, (await agent.request(method, path, body)).status]).toEqual([path, 403]);
    expect([path, (await nobody.request(method, path, body)).status]).toEqual([path, 401]);
  }
});

test('a restart passes everything to the connector again, and the file contains no password', async () => {
  const { a, sip, directory, dataDir } = await server();
  await a.put('/api/sip/trunk', TRUNK);
  await a.post('/api/sip/dids', { number: '+33123456789', auto_answer: true });
  const fresh = new FakeDirectory();
  await loadSipAccounts({ ...sip, directory: fresh });
  expect(fresh.trunks).toEqual(directory.trunks);
  expect(fresh.numbers).toEqual(directory.numbers);
  expect(fresh.numbers.size).toBe(1);

  for (const file of readdirSync(dataDir)) {
    const bytes = readFileSync(join(dataDir, file));
    const secrets = [PASSWORD, 'svc_acc_a_settings', directory.trunks.get('acc_a')!.inboundToken];
    expect([file, ...secrets.map((secret) => bytes.includes(secret))]).toEqual([file, false, false, false]);
  }
});

test('every change of trunk and numbers is in the audit log, without the password', async () => {
  const { a, b, sip, owner } = await server();
  await a.put('/api/sip/trunk', TRUNK);
  const { body: did } = await a.post('/api/sip/dids', { number: '+33123456789', label: 'Desk' });
  await a.patch(`/api/sip/dids/${did.did_id}`, { auto_answer: true });
  await b.delete(`/api/sip/dids/${did.did_id}`);
  await a.delete(`/api/sip/dids/${did.did_id}`);
  await a.delete('/api/sip/trunk');
  await a.delete('/api/sip/trunk');
  const entries = await sip.store.db.selectFrom('auditLog').selectAll().orderBy('id').execute();
  expect(
    entries.map((entry) => [entry.accountId, entry.credentialKind, entry.action, entry.subject]),
  ).toEqual([
    [owner.accountId, 'settings', 'sip_trunk.put', null],
    [owner.accountId, 'settings', 'sip_did.create', did.did_id],
    [owner.accountId, 'settings', 'sip_did.change', did.did_id],
    [owner.accountId, 'settings', 'sip_did.delete', did.did_id],
    [owner.accountId, 'settings', 'sip_trunk.delete', null],
  ]);
  expect(entries[0]!.detail).toMatchObject({ host: TRUNK.host, newPassword: true });
  expect(entries[2]!.detail).toEqual({ autoAnswer: true });
  expect(JSON.stringify(entries)).not.toContain(PASSWORD);
});

test('a number names voice presets of its own account and of the right kind, until they are deleted', async () => {
  const { a, directory, sip } = await server();
  const preset = async (accountId: string, kind: 'stt' | 'tts') => {
    const id = randomUUID();
    const [provider, name, keyStatus] = ['local', kind, 'not_needed'] as const;
    const times = { checkedAt: NOW, createdAt: NOW, updatedAt: NOW };
    const unset = { region: null, options: {}, sealedKey: null, keyDetail: null, enabled: false };
    await insertRow(sip.store.db, 'voiceConfigs', {
      id,
      accountId,
      kind,
      provider,
      name,
      keyStatus,
      ...times,
      ...unset,
    });
    return id;
  };
  const [stt, tts] = [await preset('acc_a', 'stt'), await preset('acc_a', 'tts')];
  const foreign = await preset('acc_b', 'tts');
  const number = { number: '+33123456789', tts_voice_config_id: tts.toUpperCase() };
  const refused: [string, number][] = [
    [foreign, 404],
    [randomUUID(), 404],
    [stt, 400],
    ['no uuid', 422],
  ];
  for (const [tts_voice_config_id, status] of refused)
    expect((await a.post('/api/sip/dids', { ...number, tts_voice_config_id })).status).toBe(status);
  const { body: did } = await a.post('/api/sip/dids', number);
  expect(did).toMatchObject({ stt_voice_config_id: null, tts_voice_config_id: tts });
  expect(directory.numbers.get(did.did_id)?.presets).toEqual({ stt: null, tts });

  const path = `/api/sip/dids/${did.did_id}`;
  for (const [tts_voice_config_id, status] of refused)
    expect((await a.patch(path, { tts_voice_config_id })).status).toBe(status);
  expect((await a.patch(path, { stt_voice_config_id: stt })).body).toMatchObject({
    stt_voice_config_id: stt,
    tts_voice_config_id: tts,
  });
  expect((await a.patch(path, { label: 'Desk' })).body.stt_voice_config_id).toBe(stt);
  expect((await a.patch(path, { stt_voice_config_id: null })).body.stt_voice_config_id).toBe(null);
  expect(directory.numbers.get(did.did_id)?.presets).toEqual({ stt: null, tts });
  await takeRow(sip.store.db, 'voiceConfigs', { accountId: 'acc_a', id: tts });
  expect((await a.get('/api/sip/dids')).body.dids[0].tts_voice_config_id).toBe(null);
});
