import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ensureOperator } from '../../../../src/accounts/people/first-start.ts';
import { hashToken } from '../../../../src/base/ids.ts';
import { findDefaultAgent } from '../../../../src/store/agents/agents.ts';
import { findRow } from '../../../../src/store/database/rows.ts';
import { listValidKeys, revokeKey } from '../../../../src/store/keys/keys.ts';
import { NOW, temporaryDir, temporaryStore } from '../../store/temporary.ts';

const NO_KEYS = { agentKey: null, settingsKey: null };
const CHOSEN = { agentKey: `svc_${'a'.repeat(40)}`, settingsKey: `svc_${'s'.repeat(40)}` };

test('an empty database gets an operator, its default agent and two new keys, once', async () => {
  const dataDir = temporaryDir();
  const { db } = await temporaryStore(dataDir);
  const first = await ensureOperator(db, NO_KEYS, NOW);
  if (first.agentKey.state !== 'made' || first.settingsKey.state !== 'made')
    throw new Error('no keys were made');
  expect(first.agentKey.key).toMatch(/^svc_[\w-]{43}$/);

  const agent = await findDefaultAgent(db, first.accountId);
  expect(agent?.name).toBe('Default agent');
  const byKind = new Map((await listValidKeys(db)).map((key) => [key.kind, key]));
  expect(byKind.get('agent')).toMatchObject({ hash: hashToken(first.agentKey.key), agentIds: [agent?.id] });
  expect(byKind.get('settings')).toMatchObject({ hash: hashToken(first.settingsKey.key), agentIds: [] });
  expect(byKind.get('agent')?.keyPrefix).toBe(first.agentKey.key.slice(0, 12));

  expect(await ensureOperator(db, NO_KEYS, NOW)).toEqual({
    accountId: first.accountId,
    agentKey: { state: 'kept' },
    settingsKey: { state: 'kept' },
  });
  expect(await listValidKeys(db)).toHaveLength(2);
  for (const file of ['gateway.db', 'gateway.db-wal']) {
    expect(readFileSync(join(dataDir, file)).includes(first.agentKey.key)).toBe(false);
  }
});

test('configured keys are used on the first start, and added on a later one', async () => {
  const { db } = await temporaryStore();
  const first = await ensureOperator(db, { ...NO_KEYS, agentKey: CHOSEN.agentKey }, NOW);
  expect(first.agentKey).toEqual({ state: 'given' });
  expect(first.settingsKey.state).toBe('made');

  for (const _start of [2, 3]) {
    const later = await ensureOperator(db, CHOSEN, NOW);
    expect(later).toEqual({
      accountId: first.accountId,
      agentKey: { state: 'given' },
      settingsKey: { state: 'given' },
    });
  }
  expect(await listValidKeys(db)).toHaveLength(3);
});

test('a revoked key stays revoked when it is configured again', async () => {
  const { db } = await temporaryStore();
  await ensureOperator(db, CHOSEN, NOW);
  const key = await findRow(db, 'apiKeys', { hash: hashToken(CHOSEN.agentKey) });
  await revokeKey(db, key!.id, NOW);
  const later = await ensureOperator(db, CHOSEN, NOW);
  expect(later.agentKey).toEqual({ state: 'revoked' });
  expect((await listValidKeys(db)).map((valid) => valid.kind)).toEqual(['settings']);
});

test('a first start that fails leaves nothing behind', async () => {
  const { db } = await temporaryStore();
  const same = { agentKey: CHOSEN.agentKey, settingsKey: CHOSEN.agentKey };
  await expect(ensureOperator(db, same, NOW)).rejects.toThrow('is stored as the agent key');
  expect(await db.selectFrom('accounts').selectAll().execute()).toEqual([]);
  expect((await ensureOperator(db, NO_KEYS, NOW)).agentKey.state).toBe('made');
});
