import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { storeKey } from '../../../src/accounts/api-keys.ts';
import { KeyRing } from '../../../src/accounts/key-ring.ts';
import { loadSipAccounts } from '../../../src/accounts/sip-accounts.ts';
import { authenticator } from '../../../src/api/auth/authenticator.ts';
import { HttpServer } from '../../../src/api/http/server.ts';
import { sipDidRoutes } from '../../../src/api/rest/sip-dids.ts';
import { sipTrunkRoutes } from '../../../src/api/rest/sip-trunk.ts';
import { systemClock } from '../../../src/base/time.ts';
import { GatewayApi } from '../../support/gateway-api.ts';
import { FakeDirectory } from '../accounts/fake-directory.ts';
import { NOW, seedAccount, temporaryDir, temporaryStore } from '../store/temporary.ts';

const PASSWORD = 'correct horse battery staple';
const TRUNK = { host: 'sip.example.com', username: '1001', password: PASSWORD };
const NOBODY = { use: () => null };

/** The SIP routes on a real server, with two accounts that have a settings key each. */
async function server() {
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
  const sip = { store, directory, clock: systemClock };
  const http = new HttpServer({
    routes: [...sipTrunkRoutes(sip), ...sipDidRoutes(sip)],
    sockets: [],
    authenticate: authenticator(await KeyRing.load(store.db, systemClock, () => {}), NOBODY, NOBODY),
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
    directory,
    dataDir,
    owner: a,
  };
}

test('a trunk is put, shown without its password, told to the connector, and deleted', async () => {
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

test('without a password the stored one is kept; without a stored one that is a fault of the body', async () => {
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
  };
  expect((await a.put('/api/sip/trunk', changed)).body).toMatchObject({
    ...changed,
    registration: { state: 'off' },
  });
  expect(directory.trunks.get(owner.accountId)).toMatchObject({ transport: 'tls', password: PASSWORD });
  for (const login of [{ host: '10.0.0.1' }, { username: 'another' }]) {
    expect((await a.put('/api/sip/trunk', { ...changed, ...login })).status, 'another login').toBe(422);
  }
});

test('names and passwords may be what providers give out', async () => {
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
])('a trunk with %j is refused', async (fault) => {
  const { a, directory } = await server();
  const answer = await a.put('/api/sip/trunk', { ...TRUNK, ...fault });
  expect([answer.status, answer.body.detail[0].loc]).toEqual([422, ['body', Object.keys(fault)[0]]]);
  expect(directory.trunks.size).toBe(0);
});

test('numbers are listed, changed and taken off, and belong to one account of the gateway', async () => {
  const { a, b, directory, owner } = await server();
  const created = await a.post('/api/sip/dids', { number: '+33123456789', label: 'Front desk' });
  expect(created.status).toBe(200);
  const did = created.body;
  expect(did).toEqual({
    did_id: expect.stringMatching(/^did_/),
    number: '+33123456789',
    label: 'Front desk',
    auto_answer: false,
    created_at: expect.stringMatching(/Z$/),
  });
  const taken = await b.post('/api/sip/dids', { number: '+33123456789' });
  expect([taken.status, taken.body]).toEqual([409, { detail: 'Phone number is already listed' }]);
  expect(directory.numbers.get(did.did_id)).toEqual({
    didId: did.did_id,
    number: '+33123456789',
    autoAnswer: false,
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
  expect((await b.post('/api/sip/dids', { number: '+33123456789' })).status).toBe(200);
});

test('deleting a number leaves no membership behind', async () => {
  const { a, sip } = await server();
  const { body } = await a.post('/api/sip/dids', { number: '+4930123456' });
  const members = () => sip.store.db.selectFrom('agentAccounts').selectAll().execute();
  expect(await members()).toHaveLength(1);
  await a.delete(`/api/sip/dids/${body.did_id}`);
  expect(await members()).toEqual([]);
});

test.each(['33123456789', '+0123456789', '+12345', '+1234567890123456', '+33 1 23 45 67 89', ''])(
  'the number %j is refused',
  async (number) => {
    const { a } = await server();
    expect((await a.post('/api/sip/dids', { number })).status).toBe(422);
  },
);

test('only a settings key configures', async () => {
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

test('a restart tells the connector everything again, and the file holds no password', async () => {
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
    expect([file, bytes.includes(PASSWORD), bytes.includes('svc_acc_a_settings')]).toEqual([
      file,
      false,
      false,
    ]);
  }
});

test('every change of trunk and numbers is in the log of changes, without the password', async () => {
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
  expect(JSON.parse(entries[0]!.detail)).toMatchObject({ host: TRUNK.host, newPassword: true });
  expect(JSON.parse(entries[2]!.detail)).toEqual({ autoAnswer: true });
  expect(JSON.stringify(entries)).not.toContain(PASSWORD);
});
