import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { expect, test } from 'vitest';
import { findRow } from '../../../src/store/database/rows.ts';
import { PlatformRecords } from '../../../src/store/logins/platform-records.ts';
import { COUNTED_BYTES } from '../../../src/store/schema/account-bytes.ts';
import { openStore } from '../../../src/store/store.ts';
import { temporaryDir, temporaryStore } from './temporary.ts';

/** A dump of a gateway's database from before there was a baseline. */
const FORMER_DUMP = join(import.meta.dirname, 'before-baseline.sql');

function dataDirOf(sql: string): { dataDir: string; file: string } {
  const dataDir = temporaryDir();
  const file = join(dataDir, 'gateway.db');
  const database = new SqliteDatabase(file);
  database.pragma('journal_mode = wal');
  database.exec(sql);
  database.close();
  return { dataDir, file };
}

function reading<T>(file: string, read: (database: SqliteDatabase.Database) => T): T {
  const database = new SqliteDatabase(file, { readonly: true });
  try {
    return read(database);
  } finally {
    database.close();
  }
}

const appliedIn = (file: string) =>
  reading(file, (database) => database.prepare('select name from migrations').pluck().all());

/** Everything about tables, indexes and triggers but the order of columns and the white space. */
function shapeOf(file: string): unknown {
  return reading(file, (database) => {
    const all = database.prepare('select type, name, sql from sqlite_master order by name').all();
    return (all as { type: string; name: string; sql: string | null }[]).map(({ type, name, sql }) => {
      const plain = (sql ?? '').toLowerCase().replace(/\s+/g, '');
      if (type !== 'table') return [type, name, plain];
      const columns = database.prepare(
        'select name, type, "notnull", dflt_value, pk from pragma_table_info(?) order by name',
      );
      const keys = database.prepare(
        'select "table", "from", on_delete from pragma_foreign_key_list(?) order by "from"',
      );
      const checks = plain.match(/check\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)/g) ?? [];
      return [type, name, columns.all(name), keys.all(name), checks.toSorted(), plain.split(')').at(-1)];
    });
  });
}

test('a database from before the baseline is carried over once, with what is in it', async () => {
  const { dataDir, file } = dataDirOf(readFileSync(FORMER_DUMP, 'utf8'));
  for (let start = 0; start < 2; start++) {
    const store = await temporaryStore(dataDir);
    expect(await findRow(store.db, 'calls', { callId: 'call_1' })).toMatchObject({
      accountId: 'acc_1',
      sampleRateHz: 16_000,
    });
    await store.close();
    expect(appliedIn(file)).toEqual([
      '0001-baseline',
      '0030-platform-records',
      '0031-pairings',
      '0032-trunk-media',
      '0033-agent-policies',
      '0034-account-bytes',
      '0035-leaving-accounts',
      '0036-budgets',
      '0037-message-context',
      '0040-live-replies',
      '0042-turn-metrics',
      '0044-owners-of-forgotten',
      '0047-trunk-callers',
      '0051-usage-of-calls',
      '0052-early-edits',
      '0053-voice-notes',
      '0054-live-since',
    ]);
  }
  reading(file, (database) => {
    const countedBy = (table: string) => database.prepare(`select * from ${table} order by 1`).raw().all();
    expect(countedBy('(select account_id, bytes from account_bytes)')).toEqual(
      countedBy(`(${COUNTED_BYTES})`),
    );
  });
  const fresh = temporaryDir();
  await (await openStore({ dataDir: fresh, masterKey: null })).close();
  expect(shapeOf(file)).toEqual(shapeOf(join(fresh, 'gateway.db')));
});

test('what connectors kept in tables of their own is carried over', async () => {
  const { dataDir } = dataDirOf(`${readFileSync(FORMER_DUMP, 'utf8')}
    insert into bot_tokens (id, account_id, platform, status, sealed_token, created_at)
      values ('bot_1', 'acc_1', 'discord', 'ok', '', ''), ('bot_2', 'acc_1', 'slack', 'ok', '', '');
    insert into discord_bots values ('bot_1', 'bot_1', '7', 'session', 12, 'wss://gateway.example');
    insert into discord_channels values ('bot_1', '21', null, '42', null, 1, '99');
    insert into slack_logins values ('bot_2', 'bot_2', null, 'T1', 'E1', 0, 'U1');
    insert into teams_references values ('direct', 'ada', 'a:1', 'https://smba.example/', 't');
    insert into conversations (id, account_id, platform, member_id, remote_id, status, created_at)
      values ('conv_1', 'acc_1', 'teams', 'con_1', 'ada', 'active', '');
    insert into messages (seq, id, account_id, conversation_id, direction, text, status, created_at, changed_at)
      values (5, 'msg_5', 'acc_1', 'conv_1', 'outbound', '', 'delivered', '', '');
    insert into teams_offers values ('offer', 5, 2, 'ada', 'a:1');
    insert into login_positions values ('telegram', 'shared', '[[{"updateId":1}]]');`);
  const { db } = await temporaryStore(dataDir);
  const discord = new PlatformRecords(db, 'discord');
  expect(await discord.find('bot_1', 'user')).toBe('7');
  expect(await discord.find('bot_1', 'session')).toEqual({
    sessionId: 'session',
    sequence: 12,
    resumeUrl: 'wss://gateway.example',
  });
  expect(await discord.list('bot_1', 'channel')).toEqual([
    {
      channelId: '21',
      guildId: null,
      personId: '42',
      parentId: null,
      isListening: true,
      lastMessageId: '99',
    },
  ]);
  const slack = new PlatformRecords(db, 'slack');
  const identity = { teamId: 'T1', enterpriseId: 'E1', isOrgWide: false, userId: 'U1' };
  expect(await slack.find('bot_2', 'identity')).toEqual(identity);
  const another = { loginKey: 'bot_1', kind: 'identity', value: identity, unique: 'T1 U1' };
  expect(await slack.put(another)).toBe(false);
  const teams = new PlatformRecords(db, 'teams');
  expect(await teams.find('shared', 'space', 'direct ada')).toMatchObject({ conversationId: 'a:1' });
  expect(await teams.find('shared', 'offer', 'offer')).toEqual({
    offerId: 'offer',
    messageId: 'msg_5',
    fileIndex: 2,
    personId: 'ada',
    conversationId: 'a:1',
  });
  expect(await new PlatformRecords(db, 'telegram').find('shared', 'albums')).toEqual([[{ updateId: 1 }]]);
});

test('one that is older still is refused with what to do', async () => {
  const { dataDir, file } = dataDirOf(readFileSync(FORMER_DUMP, 'utf8'));
  const database = new SqliteDatabase(file);
  database.exec("delete from migrations where name = '0029-attempts-by-time'");
  database.close();
  await expect(openStore({ dataDir, masterKey: null })).rejects.toMatchObject({
    code: 'older_schema',
    message: expect.stringContaining('late November 2026'),
  });
  expect(appliedIn(file)).toHaveLength(28);
});

test('a failed migration leaves the database unchanged', async () => {
  const { dataDir, file } = dataDirOf(`
    create table migrations (name text primary key, applied_at text not null) strict;
    create table voice_configs (somebody_elses text)`);
  await expect(openStore({ dataDir, masterKey: null })).rejects.toThrow('voice_configs');
  const tables = reading(file, (database) =>
    database.prepare("select name from sqlite_master where type = 'table' order by name").pluck().all(),
  );
  expect(tables).toEqual(['migrations', 'voice_configs']);
});
