import { expect, test } from 'vitest';
import {
  changeRows,
  countRows,
  deleteExpired,
  deleteRows,
  findRow,
  findUnexpired,
  insertNewRow,
  insertReturning,
  insertRow,
  listRows,
  putRow,
  takeRow,
  takeUnexpired,
} from '../../../../src/store/database/rows.ts';
import { NOW, seedAccount, temporaryStore } from '../temporary.ts';

const LATER = '2026-01-02T03:05:00.000Z';

async function twoLinks() {
  const { db, ...store } = await temporaryStore();
  const { accountId } = await seedAccount({ db, ...store }, 'a');
  const link = { accountId, tokenHash: 'h', createdAt: NOW, expiresAt: LATER };
  await putRow(db, 'inviteLinks', link, { key: ['accountId'] });
  return { db, accountId, link };
}

test('a row is found, counted, changed, replaced and deleted by its columns', async () => {
  const { db, accountId, link } = await twoLinks();
  expect(await findRow(db, 'inviteLinks', { accountId })).toEqual(link);
  expect(await findRow(db, 'inviteLinks', { accountId, tokenHash: 'other' })).toBeUndefined();
  expect(await changeRows(db, 'inviteLinks', { tokenHash: 'h' }, { expiresAt: NOW })).toBe(true);
  expect(await changeRows(db, 'inviteLinks', { tokenHash: 'x' }, { expiresAt: NOW })).toBe(false);
  const renewed = { accountId, tokenHash: 'i', createdAt: LATER, expiresAt: LATER };
  await putRow(db, 'inviteLinks', renewed, { key: ['accountId'], kept: ['createdAt'] });
  expect(await listRows(db, 'inviteLinks', {})).toEqual([{ ...renewed, createdAt: NOW }]);
  expect(await countRows(db, 'inviteLinks', { tokenHash: ['h', 'i'] })).toBe(1);
  expect(await deleteRows(db, 'inviteLinks', { tokenHash: [] })).toBe(false);
  expect(await takeRow(db, 'inviteLinks', { tokenHash: 'i' })).toMatchObject({ accountId });
  expect(await deleteRows(db, 'inviteLinks', { tokenHash: 'i' })).toBe(false);
});

test('null finds rows without a value, and undefined leaves a column as it is', async () => {
  const { db, accountId } = await twoLinks();
  expect(await countRows(db, 'accounts', { id: accountId, email: null })).toBe(1);
  expect(
    await changeRows(db, 'accounts', { id: accountId }, { email: 'a@example.org', name: undefined }),
  ).toBe(true);
  expect(await countRows(db, 'accounts', { id: accountId, email: null })).toBe(0);
  expect(await changeRows(db, 'accounts', { id: accountId }, { name: undefined })).toBe(true);
  expect(await findRow(db, 'accounts', { id: accountId })).toMatchObject({
    name: 'a',
    email: 'a@example.org',
  });
});

test('a row that expired is not found, and only one caller takes it', async () => {
  const { db, link } = await twoLinks();
  const where = { tokenHash: 'h' };
  expect(await findUnexpired(db, 'inviteLinks', where, LATER)).toBeUndefined();
  expect(await findUnexpired(db, 'inviteLinks', where, NOW)).toEqual(link);
  await deleteExpired(db, 'inviteLinks', NOW);
  expect(await takeUnexpired(db, 'inviteLinks', where, NOW)).toEqual(link);
  expect(await takeUnexpired(db, 'inviteLinks', where, NOW)).toBeUndefined();
  await putRow(db, 'inviteLinks', link, { key: ['accountId'] });
  await deleteExpired(db, 'inviteLinks', LATER);
  expect(await countRows(db, 'inviteLinks', {})).toBe(0);
});

test('booleans, JSON and sets are stored as bits and texts, and read back', async () => {
  const { db, accountId } = await twoLinks();
  const agent = { id: 'agt_2', accountId, name: 'B', isDefault: false, createdAt: NOW };
  expect(await insertNewRow(db, 'agents', agent)).toBe(true);
  expect(await insertNewRow(db, 'agents', agent)).toBe(false);
  expect(await countRows(db, 'agents', { accountId, isDefault: false })).toBe(1);
  const detail = { deep: [{ camelCase: null }] };
  const line = {
    accountId,
    credentialKind: 'none',
    credentialId: '',
    action: 'a.b',
    detail,
    createdAt: NOW,
  } as const;
  expect(await insertReturning(db, 'auditLog', line)).toMatchObject({ detail, subject: null });
  const client = {
    clientId: 'c',
    clientName: 'C',
    redirectUris: ['u'],
    authMethod: 'none',
    registeredAt: NOW,
  } as const;
  await insertRow(db, 'oauthClients', client);
  const authorization = { id: 'aut_1', accountId, clientId: 'c', redirectUri: 'u', createdAt: NOW };
  await insertRow(db, 'mcpAuthorizations', { ...authorization, platforms: new Set(['sip'] as const) });
  expect(await findRow(db, 'mcpAuthorizations', { id: 'aut_1' })).toMatchObject({
    platforms: new Set(['sip']),
  });
  const plain = db.withoutPlugins();
  expect(await findRow(plain, 'agents', { id: 'agt_2' })).toMatchObject({ is_default: 0 });
  expect(await findRow(plain, 'oauthClients', { clientId: 'c' })).toMatchObject({ redirect_uris: '["u"]' });
  expect(await findRow(plain, 'mcpAuthorizations', {})).toMatchObject({ platforms: '["sip"]' });
});
