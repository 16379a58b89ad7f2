import { expect, test } from 'vitest';
import { approve, approvedBefore } from '../../../src/authorization/approve.ts';
import {
  AuthorizationRefused,
  readAuthorizationRequest,
} from '../../../src/authorization/authorization-request.ts';
import { isDocumentUrl } from '../../../src/authorization/client-documents.ts';
import { isRedirectUri, isSameRedirect } from '../../../src/authorization/redirect-uris.ts';
import { registerClient } from '../../../src/authorization/register-client.ts';
import { findRow } from '../../../src/store/database/rows.ts';
import { findAuthorization } from '../../../src/store/keys/mcp-authorizations.ts';
import { type AuthorizationWorld, asked, authorizationWorld, IP, REDIRECT } from './test-domain.ts';

const METADATA = { redirect_uris: [REDIRECT], token_endpoint_auth_method: 'none' };

async function registered({ domain }: AuthorizationWorld): Promise<string> {
  return (await registerClient(domain, METADATA, IP)).client.clientId;
}

async function countClients({ store }: AuthorizationWorld): Promise<number> {
  return (await store.db.selectFrom('oauthClients').selectAll().execute()).length;
}

test('of more than 1,000 registered clients, the used ones and the newest others are kept', async () => {
  const world = await authorizationWorld();
  const { domain, actor, agentId } = world;
  const used = await registered(world);
  const oldest = await registered(world);
  const request = await readAuthorizationRequest(domain, asked(used), IP);
  await approve(domain, actor, request, { platforms: null, agentIds: [agentId] });
  let newest = '';
  for (let i = 0; i < 1_100; i++) newest = await registered(world);
  expect(await countClients(world)).toBe(1_001);
  expect(await findRow(world.store.db, 'oauthClients', { clientId: used })).toBeDefined();
  expect(await findRow(world.store.db, 'oauthClients', { clientId: newest })).toBeDefined();
  expect(await findRow(world.store.db, 'oauthClients', { clientId: oldest })).toBeUndefined();
});

test('an IP address can register a limited number of clients, then has to wait', async () => {
  const world = await authorizationWorld(1);
  for (let i = 0; i < 10; i++) await registered(world);
  await expect(registered(world)).rejects.toThrow('Too many attempts');
  expect(await countClients(world)).toBe(10);
});

test('client names become one line of plain text', async () => {
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
  ['cursor://anysphere.cursor-retrieval/oauth/user-vcg/callback', true],
  ['vscode://vscode.github-authentication/did-authenticate', true],
  ['vscode-insiders://ms.extension', true],
  ['com.example.app:/oauth2redirect', true],
  ['com.example.app:///callback?a=1', true],
  ['claude://callback', true],
  ['custom:callback', false],
  ['cursor://client/#x', false],
  ['cursor://user@client/callback', false],
  ['Cursor://client/callback', false],
  ['cursor://client/\tcallback', false],
  ['c:/windows/callback', false],
  ['javascript:alert(1)', false],
  ['javascript://client/%0aalert(1)', false],
  ['JavaScript://client/%0aalert(1)', false],
  ['java\nscript://client/%0aalert(1)', false],
  [' javascript://client/%0aalert(1)', false],
  ['vbscript://client/x', false],
  ['data:text/html,x', false],
  ['data://text/html,x', false],
  ['file:///etc/passwd', false],
  ['file://host/share', false],
  ['blob:https://client.example/x', false],
  ['filesystem:https://client.example/x', false],
  ['view-source://client.example/', false],
  ['about://blank', false],
  ['chrome://settings', false],
  ['chrome-extension://abc/page.html', false],
  ['ms-msdt://x', false],
  ['search-ms://query', false],
  ['intent://scan/', false],
  ['ws://client.example/', false],
  ['ftp://client.example/', false],
  ['ssh://client.example/', false],
  ['sip://client.example/', false],
  ['/callback', false],
  ['', false],
])('%s is a valid redirect URI: %s', (uri, may) => {
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
  ['cursor://client/callback', 'cursor://client/callback', true],
  ['cursor://client/callback', 'cursor://client:1/callback', false],
  ['cursor://client/callback', 'cursor://client/Callback', false],
  ['cursor://client/callback', 'vscode://client/callback', false],
  ['cursor://client/callback', 'cursor://client/callback?a=1', false],
])('%s and %s are the same redirect: %s', (known, given, isSame) => {
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
])('%s is a client metadata URL: %s', (id, is) => {
  expect(isDocumentUrl(id)).toBe(is);
});

test('a client is described by the document at its id, which is read once an hour', async () => {
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
  await expect(ask()).rejects.toThrow('Unknown client');
});

test.each([
  ['describes another client', { ...DESCRIBED, client_id: 'https://client.example/other.json' }],
  ['contains a secret', { ...DESCRIBED, client_secret: 's' }],
  ['requires another authentication method', { ...DESCRIBED, token_endpoint_auth_method: 'private_key_jwt' }],
  ['redirects to plain http', { ...DESCRIBED, redirect_uris: ['http://client.example/'] }],
  ['is not an object', null],
])('a client is unknown when its document %s', async (_why, document) => {
  const { domain, documents } = await authorizationWorld();
  documents.set(DOCUMENT, JSON.stringify(document));
  const asking = readAuthorizationRequest(domain, asked(DOCUMENT), IP);
  await expect(asking).rejects.toThrow('Unknown client');
});

test('a client with the scheme of an application needs approval each time', async () => {
  const { domain, actor, agentId, store, accountId } = await authorizationWorld();
  const redirect_uri = 'cursor://client/callback';
  const metadata = { ...METADATA, redirect_uris: [redirect_uri] };
  const { clientId } = (await registerClient(domain, metadata, IP)).client;
  const request = await readAuthorizationRequest(domain, asked(clientId, { redirect_uri }), IP);
  const location = await approve(domain, actor, request, { platforms: null, agentIds: [agentId] });
  expect(location).toMatch(/^cursor:\/\/client\/callback\?code=mcc_/);
  const former = await findAuthorization(store.db, accountId, clientId);
  expect(former?.redirectUri).toBe(redirect_uri);
  expect(approvedBefore(former, request, actor.credentialId)).toBeNull();
});

test.each(['openid', 'sip openid', 'SIP', 'telegram,sip', 'offline_access'])(
  'a client that requests %s gets invalid_scope',
  async (scope) => {
    const world = await authorizationWorld();
    const asking = readAuthorizationRequest(world.domain, asked(await registered(world), { scope }), IP);
    await expect(asking).rejects.toMatchObject({ code: 'invalid_scope' });
    await expect(asking).rejects.toBeInstanceOf(AuthorizationRefused);
  },
);

test('a repeated parameter is refused, and a repeated redirect is reported to the person alone', async () => {
  const world = await authorizationWorld();
  const clientId = await registered(world);
  const repeating = (...repeated: string[]) =>
    readAuthorizationRequest(world.domain, asked(clientId, { repeated }), IP);
  await expect(repeating('scope')).rejects.toMatchObject({ code: 'invalid_request' });
  for (const name of ['client_id', 'redirect_uri'])
    await expect(repeating('scope', name)).rejects.toThrow('The client sent a parameter more than once');
});
