import { expect, test } from 'vitest';
import { approve } from '../../../src/authorization/approve.ts';
import { readAuthorizationRequest } from '../../../src/authorization/authorization-request.ts';
import { isDocumentUrl } from '../../../src/authorization/client-documents.ts';
import { isRedirectUri, isSameRedirect } from '../../../src/authorization/redirect-uris.ts';
import { registerClient } from '../../../src/authorization/register-client.ts';
import { findClient } from '../../../src/store/oauth-clients.ts';
import { type AuthorizationWorld, asked, authorizationWorld, IP, REDIRECT } from './test-domain.ts';

const METADATA = { redirect_uris: [REDIRECT], token_endpoint_auth_method: 'none' };

async function registered({ domain }: AuthorizationWorld): Promise<string> {
  return (await registerClient(domain, METADATA, IP)).client.clientId;
}

async function countClients({ store }: AuthorizationWorld): Promise<number> {
  return (await store.db.selectFrom('oauthClients').selectAll().execute()).length;
}

test('of 10,000 clients that register, those that somebody uses stay, and the newest of the rest', async () => {
  const world = await authorizationWorld();
  const { domain, actor, agentId } = world;
  const used = await registered(world);
  const oldest = await registered(world);
  const request = await readAuthorizationRequest(domain, asked(used), IP);
  await approve(domain, actor, request, { platforms: null, agentIds: [agentId] });
  let newest = '';
  for (let i = 0; i < 10_000; i++) newest = await registered(world);
  expect(await countClients(world)).toBe(1_001);
  expect(await findClient(world.store.db, used)).toBeDefined();
  expect(await findClient(world.store.db, newest)).toBeDefined();
  expect(await findClient(world.store.db, oldest)).toBeUndefined();
}, 120_000);

test('an address registers so many clients, and then waits', async () => {
  const world = await authorizationWorld(1);
  for (let i = 0; i < 10; i++) await registered(world);
  await expect(registered(world)).rejects.toThrow('Too many attempts');
  expect(await countClients(world)).toBe(10);
});

test('names are one line of plain text', async () => {
  const { domain } = await authorizationWorld();
  const named = async (client_name: unknown) =>
    (await registerClient(domain, { ...METADATA, client_name }, IP)).client.clientName;
  expect(await named('  My\u202e\u0000client\n\nhere ')).toBe('My client here');
  expect(await named('x'.repeat(500))).toHaveLength(80);
  for (const nothing of ['', ' \u200b ', undefined, 7]) expect(await named(nothing)).toBe('MCP client');
});

test.each([
  ['https://client.example/callback', true],
  ['https://client.example', true],
  ['https://client.example/callback?a=1', true],
  ['http://127.0.0.1/callback', true],
  ['http://127.0.0.1:8080', true],
  ['http://[::1]:8080/callback', true],
  ['http://localhost:8080/callback', true],
  ['http://client.example/callback', false],
  ['http://127.0.0.2/callback', false],
  ['http://127.1/callback', false],
  ['http://localhost.evil.example/', false],
  ['https://client.example/#', false],
  ['https://user@client.example/', false],
  ['https:client.example', false],
  ['HTTPS://client.example/', false],
  ['https://client.example/a/../b', false],
  ['https://client.example/\nX: y', false],
  ['custom://callback', false],
  ['javascript:alert(1)', false],
  ['/callback', false],
  ['', false],
])('%s may be where people are sent: %s', (uri, may) => {
  expect(isRedirectUri(uri)).toBe(may);
});

test.each([
  [REDIRECT, REDIRECT, true],
  [REDIRECT, 'http://127.0.0.1:1/callback', true],
  ['http://127.0.0.1/callback', REDIRECT, true],
  ['http://[::1]:1/callback', 'http://[::1]:2/callback', true],
  [REDIRECT, 'http://localhost:33418/callback', false],
  [REDIRECT, 'http://127.0.0.1:33418/callback/', false],
  [REDIRECT, 'http://127.0.0.1:33418/callback?a=1', false],
  ['https://client.example/callback', 'https://client.example:8443/callback', false],
  ['https://client.example', 'https://client.example/', false],
])('%s and %s are the same place: %s', (known, given, isSame) => {
  expect(isSameRedirect(known, given)).toBe(isSame);
});

const DOCUMENT = 'https://client.example/oauth/client.json';
const DESCRIBED = { client_id: DOCUMENT, client_name: 'Documented', redirect_uris: [REDIRECT] };

test.each([
  [DOCUMENT, true],
  ['https://client.example/', false],
  ['https://client.example', false],
  ['http://client.example/client.json', false],
  ['https://user@client.example/client.json', false],
  ['https://client.example/client.json#x', false],
  ['https://client.example/a/../client.json', false],
  ['cli_1', false],
])('%s is the address of a document: %s', (id, is) => {
  expect(isDocumentUrl(id)).toBe(is);
});

test('a client is known by the document at its id, which is read once an hour', async () => {
  const { domain, documents, reads, clock } = await authorizationWorld();
  documents.set(DOCUMENT, JSON.stringify(DESCRIBED));
  const ask = async () => (await readAuthorizationRequest(domain, asked(DOCUMENT), IP)).client;
  expect(await ask()).toMatchObject({ clientId: DOCUMENT, clientName: 'Documented', authMethod: 'none' });
  documents.set(DOCUMENT, JSON.stringify({ ...DESCRIBED, client_name: 'Renamed' }));
  clock.advance(3_590_000);
  expect((await ask()).clientName).toBe('Documented');
  expect(reads).toHaveLength(1);
  clock.advance(20_000);
  expect((await ask()).clientName).toBe('Renamed');
  documents.delete(DOCUMENT);
  clock.advance(3_610_000);
  await expect(ask()).rejects.toThrow('This client is not known here');
});

test.each([
  ['describes somebody else', { ...DESCRIBED, client_id: 'https://client.example/other.json' }],
  ['tells a secret', { ...DESCRIBED, client_secret: 's' }],
  ['wants to prove itself in another way', { ...DESCRIBED, token_endpoint_auth_method: 'private_key_jwt' }],
  ['has people sent to plain http', { ...DESCRIBED, redirect_uris: ['http://client.example/'] }],
  ['is no object', null],
])('a client is not known whose document %s', async (_why, document) => {
  const { domain, documents } = await authorizationWorld();
  documents.set(DOCUMENT, JSON.stringify(document));
  const asking = readAuthorizationRequest(domain, asked(DOCUMENT), IP);
  await expect(asking).rejects.toThrow('This client is not known here');
});
