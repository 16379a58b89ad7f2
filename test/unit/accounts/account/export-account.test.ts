import { expect, test } from 'vitest';
import type { AccountDomain } from '../../../../src/accounts/account/account-domain.ts';
import { exportAccount } from '../../../../src/accounts/account/export-account.ts';
import { systemClock } from '../../../../src/base/time.ts';
import type { Store } from '../../../../src/store/store.ts';
import { NOW, temporaryStore } from '../../store/temporary.ts';
import { everyRow, fullAccount, SEALED, tablesNaming } from '../full-account.ts';

/** Where a connection stands, and who a bot is; what is on its way into the conversations. What has arrived is there. */
const INTERNAL = ['early_edits', 'held_messages', 'live_messages', 'platform_records'];

async function exported(store: Store, accountId: string) {
  const domain = { store, clock: systemClock } as AccountDomain;
  const actor = { accountId, kind: 'settings', credentialId: 'key_1' } as const;
  let text = '';
  for await (const chunk of exportAccount(domain, actor)) text += chunk;
  return { text, document: JSON.parse(text) };
}

test('an export has the account’s rows of every table, nothing of other accounts, and no secrets', async () => {
  const store = await temporaryStore();
  const mine = await fullAccount(store, 'mine');
  await fullAccount(store, 'other');
  const everywhere = [...(await everyRow(store)).keys()].sort();
  expect(tablesNaming(await everyRow(store), 'mine').sort()).toEqual(everywhere);
  const exportable = everywhere.filter((table) => !INTERNAL.includes(table));

  const { text, document } = await exported(store, mine.accountId);
  const { format, account_id, exported_at, ...tables } = document;
  expect([format, account_id]).toEqual([1, mine.accountId]);
  expect(exported_at).toMatch(/Z$/);
  expect(Object.keys(tables).sort()).toEqual(exportable);
  for (const [table, rows] of Object.entries(tables)) expect(rows, table).not.toEqual([]);
  expect(text).not.toContain('other');
  expect(text).not.toContain(SEALED);
});

test('an export shows stored JSON as JSON, and is itself in the audit log', async () => {
  const store = await temporaryStore();
  const mine = await fullAccount(store, 'mine');
  const { document } = await exported(store, mine.accountId);
  expect(document.events[0].payload).toEqual({ state: 'ended' });
  expect(document.agent_providers[0]).toMatchObject({ config: { model: 'm' }, event_filter: [] });
  expect(document.audit_log.map((entry: { action: string }) => entry.action)).toEqual([
    'a.b',
    'account.export',
  ]);
  expect(document.audit_log[1]).toMatchObject({ credential_kind: 'settings', credential_id: 'key_1' });
});

test('an export has every row of a long table once', async () => {
  const store = await temporaryStore();
  const { accountId, agentId } = await fullAccount(store, 'mine');
  for (let i = 0; i < 250; i++) {
    const event = { accountId, agentId, type: 't', payload: { i }, createdAt: NOW };
    await store.db.insertInto('events').values(event).execute();
    const day = `2026-${String(1 + (i % 12)).padStart(2, '0')}-${String(1 + Math.floor(i / 12)).padStart(2, '0')}`;
    const usage = { accountId, platform: 'discord' as const, day, messages: i, bytes: 0 };
    await store.db.insertInto('usageDays').values(usage).execute();
  }
  const { document } = await exported(store, accountId);
  expect(document.events).toHaveLength(251);
  expect(new Set(document.events.map((event: { id: number }) => event.id)).size).toBe(251);
  const days = document.usage_days.map(
    (row: { platform: string; day: string }) => `${row.platform} ${row.day}`,
  );
  expect(new Set(days).size).toBe(251);
});
