import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { expect, test } from 'vitest';
import { directAddress } from '../../../src/connectors/contract/address.ts';
import { takeSnapshot } from '../../../src/messaging/inbox/inbox.ts';
import { Wakeups } from '../../../src/messaging/inbox/wakeups.ts';
import { platformIntake } from '../../../src/messaging/intake/platform-intake.ts';
import { WebhookAnswers } from '../../../src/messaging/outbox/webhook-answers.ts';
import type { Migration } from '../../../src/store/database/migration.ts';
import { openStore } from '../../../src/store/store.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { written } from '../messaging/messaging-world.ts';
import { NOW, temporaryDir } from './temporary.ts';

const MIGRATIONS = join(import.meta.dirname, '../../../src/store/migrations');
const LAST_BEFORE_SPACES = '0014';

/** A data directory of a gateway from before channels, with a bot's and a shared login's conversation. */
async function formerDataDir(): Promise<string> {
  const dataDir = temporaryDir();
  const database = new SqliteDatabase(join(dataDir, 'gateway.db'));
  database.exec('create table migrations (name text primary key, applied_at text not null) strict');
  for (const file of readdirSync(MIGRATIONS).sort()) {
    if (file.slice(0, 4) > LAST_BEFORE_SPACES) continue;
    const [migration] = Object.values((await import(join(MIGRATIONS, file))) as Record<string, Migration>);
    for (const statement of migration!.statements) database.exec(statement);
    database.prepare('insert into migrations values (?, ?)').run(migration!.name, NOW);
  }
  const insert = (table: string, row: Record<string, unknown>) => {
    const names = Object.keys(row);
    const values = names.map(() => '?').join();
    database.prepare(`insert into ${table} (${names.join()}) values (${values})`).run(...Object.values(row));
  };
  insert('accounts', { id: 'acc_a', name: 'a', created_at: NOW });
  insert('agents', { id: 'agt_a', account_id: 'acc_a', name: 'A', is_default: 1, created_at: NOW });
  const owned = { account_id: 'acc_a', status: 'ok', created_at: NOW };
  insert('bot_tokens', { ...owned, id: 'bot_1', platform: 'telegram', sealed_token: '' });
  const connection = { ...owned, id: 'con_1', provider: 'telegram', label: 'Eve', updated_at: NOW };
  insert('connections', { ...connection, login_key: 'shared', remote_id: '9', sealed_credentials: '' });
  for (const [member_type, member_id, remote_id] of [
    ['bot_token', 'bot_1', '42'],
    ['connection', 'con_1', '9'],
  ] as const) {
    insert('agent_accounts', { agent_id: 'agt_a', member_type, member_id });
    const place = { platform: 'telegram', member_type, member_id, remote_id, remote_name: 'Before' };
    const row = { ...owned, ...place, status: 'active', id: `cnv_${remote_id}`, last_seq: Number(remote_id) };
    insert('conversations', row);
    insert('messages', {
      seq: Number(remote_id),
      id: `msg_${remote_id}`,
      account_id: 'acc_a',
      conversation_id: `cnv_${remote_id}`,
      direction: 'inbound',
      text: 'before',
      status: 'received',
      created_at: NOW,
      changed_at: NOW,
    });
    const known = { platform_message_id: 'p1', conversation_id: `cnv_${remote_id}` };
    insert('platform_messages', { ...known, message_seq: Number(remote_id) });
  }
  database.close();
  return dataDir;
}

test('conversations from before channels are direct ones and go on', async () => {
  const dataDir = await formerDataDir();
  const store = await openStore({ dataDir, masterKey: null });
  const clock = new ManualClock();
  const intake = platformIntake({
    platform: 'telegram',
    store,
    clock,
    wakeups: new Wakeups(),
    queue: null,
    answers: new WebhookAnswers(clock, () => undefined),
    sentFile: async () => null,
    keepFiles: async () => ({ fileIds: [], tooLarge: 0 }),
    onReceived: () => undefined,
    onOwned: () => undefined,
    followAgents: async () => undefined,
  });
  const repeated = written('bot_1', '42', { platformMessageId: 'p1' });
  expect(await intake.received(repeated)).toBe('duplicate');
  expect(await intake.received(written('bot_1', '42', { text: 'after' }))).toBe('stored');
  expect(await intake.received(written(null, '9', { text: 'after' }))).toBe('stored');
  const inChannel = { ...directAddress({ kind: 'bot_token', id: 'bot_1' }, '42'), person: '42' };
  const from = { ...inChannel, space: { kind: 'channel', id: '42' } } as const;
  expect(await intake.received({ ...written('bot_1', '42'), from })).toBe('stored');

  const reading = { store, clock, attachments: async () => new Map(), files: async () => new Map() };
  const scope = { accountId: 'acc_a', agentIds: ['agt_a'], platforms: null };
  const page = { status: null, limit: 10, offset: 0 };
  const { previews } = await takeSnapshot(reading, scope, page);
  expect(previews.map(({ conversation: { id, kind, thread } }) => [id, kind, thread])).toEqual([
    [expect.any(String), 'channel', null],
    ['cnv_9', 'direct', null],
    ['cnv_42', 'direct', null],
  ]);
  const counts = await store.db
    .selectFrom('messages')
    .select(({ fn }) => ['conversationId', fn.countAll<number>().as('count')])
    .groupBy('conversationId')
    .execute();
  expect(counts).toContainEqual({ conversationId: 'cnv_42', count: 2 });
  expect(counts).toContainEqual({ conversationId: 'cnv_9', count: 2 });
  await store.close();
});
