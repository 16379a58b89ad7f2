import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import {
  deleteWholeAccount,
  finishDeletions,
  type LeavingDomain,
} from '../../../../src/accounts/account/delete-account.ts';
import { GatewayError } from '../../../../src/base/errors.ts';
import { PLATFORM_TRAITS } from '../../../../src/base/platform.ts';
import { ReadingTime } from '../../../../src/base/reading-time.ts';
import type { AgentScope } from '../../../../src/base/scope.ts';
import { systemClock } from '../../../../src/base/time.ts';
import { type CallDomain, callDomain } from '../../../../src/calls/call-domain.ts';
import { CallRecorder } from '../../../../src/calls/call-recorder.ts';
import { CallRegistry } from '../../../../src/calls/call-registry.ts';
import { CallRoom } from '../../../../src/calls/call-room.ts';
import { ENABLED_PRESETS } from '../../../../src/calls/choose-presets.ts';
import { placeCall } from '../../../../src/calls/place-call.ts';
import type { FileDomain } from '../../../../src/files/file-domain.ts';
import { openFiles } from '../../../../src/files/open-files.ts';
import { keepUpload, receiveUpload } from '../../../../src/files/upload-file.ts';
import { countRows } from '../../../../src/store/database/rows.ts';
import { leavingAccounts, noteLeaving } from '../../../../src/store/people/accounts.ts';
import type { Store } from '../../../../src/store/store.ts';
import { budgetsOf, NO_BUDGET } from '../../../support/budgets.ts';
import { NO_SPEECH } from '../../../support/no-speech.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { WITHOUT_PRESETS } from '../../calls/no-presets.ts';
import { pieces } from '../../files/test-files.ts';
import { NOW, temporaryDir, temporaryStore } from '../../store/temporary.ts';
import { FakeBotHost } from '../fake-bot-host.ts';
import { FakeDirectory } from '../fake-directory.ts';
import { everyRow, fullAccount, tablesNaming } from '../full-account.ts';
import { connectionsOf } from '../test-connections.ts';

const REQUEST = {
  platform: 'sip',
  meetingUrl: 'sip:+1',
  dtmf: '',
  agentName: 'AI Agent',
  loginId: null,
  presets: ENABLED_PRESETS,
} as const;
const CLIENT = { address: '127.0.0.1', userAgent: 'test', browserToken: null };

/** Two full accounts, and calls that are really recorded, over fake legs. */
async function twoAccounts() {
  const dataDir = temporaryDir();
  const store = await temporaryStore(dataDir);
  const [goner, stayer] = [await fullAccount(store, 'goner'), await fullAccount(store, 'stayer')];
  const failures: unknown[] = [];
  const told: string[] = [];
  const calls = callsIn(store, failures, told);
  const directory = new FakeDirectory();
  const domain: LeavingDomain = {
    store,
    clock: systemClock,
    directory,
    traits: PLATFORM_TRAITS,
    calls,
    connections: connectionsOf(store),
    budgets: await budgetsOf(store, systemClock),
    checkPassword: async (_accountId, password) => {
      if (password !== 'right') throw new GatewayError('wrong_password');
    },
    leaveModels: async () => {},
    forgetModels: () => void told.push('forgot conversations'),
    files: await filesOf(store, dataDir),
    closeAccess: (accountId) => void told.push(`closed ${accountId}`),
    reopenAccess: async (accountId) => void told.push(`reopened ${accountId}`),
  };
  return { store, dataDir, goner, stayer, domain, calls, directory, failures, told };
}

function filesOf(store: Store, dataDir: string): Promise<FileDomain> {
  const limits = { accountBytes: 1_000_000, totalBytes: 1_000_000 };
  const others = {
    store,
    clock: systemClock,
    readingTime: new ReadingTime(systemClock),
    maxBytes: 1_000,
    publicUrl: () => '',
    fetcher: () => undefined,
  };
  return openFiles({ dir: join(dataDir, 'files'), limits, trusted: [] }, { ...others, count: () => {} });
}

function callsIn(store: Store, failures: unknown[], told: string[]): CallDomain {
  const leg = {
    accept() {},
    refuse() {},
    hangUp: () => void told.push('hung up'),
    released: Promise.resolve(),
  };
  const sip = {
    platform: 'sip',
    provides: {
      calls: {
        loginKinds: ['trunk'],
        prepare: () => ({ capabilities: [], sampleRateHz: 8000 }),
        dial: () => leg,
      },
    },
  };
  return callDomain({
    registry: new CallRegistry(),
    connectors: new Map([['sip', sip]]),
    speech: NO_SPEECH,
    engine: { place: () => ({ media: {}, close: async () => {} }) },
    recorder: new CallRecorder(store, systemClock, (_callId, error) => failures.push(error)),
    events: { callStarted() {}, callAnswered() {}, callEnded() {}, accountDeleted() {} },
    clock: systemClock,
    deadlines: { connectingMs: 60_000, ringingMs: 1, acceptingMs: 1, activeMs: 1 },
    budget: NO_BUDGET,
    maxCallsPerAccount: 10,
    room: new CallRoom(systemClock, 1_000),
    admission: { problem: null },
    presets: WITHOUT_PRESETS,
  } as never);
}

test('deleting an account removes its rows from every table and keeps all rows of the other account', async () => {
  const { store, goner, domain, directory, told } = await twoAccounts();
  const before = await everyRow(store);
  expect(tablesNaming(before, 'goner').sort()).toEqual([...before.keys()].sort());
  const trunk = { accountId: goner.accountId } as never;
  directory.putTrunk(trunk);
  directory.putNumber({ didId: 'row_goner' } as never);

  await deleteWholeAccount(domain, goner.accountId, 'right', CLIENT);
  const after = await everyRow(store);
  expect(tablesNaming(after, 'goner')).toEqual([]);
  const ofStayer = (rows: typeof before) =>
    [...rows].map(([table, own]) => [table, own.filter((row) => JSON.stringify(row).includes('stayer'))]);
  expect(ofStayer(after)).toEqual(ofStayer(before));
  expect([directory.trunks.size, directory.numbers.size]).toEqual([0, 0]);
  const access = [`closed ${goner.accountId}`, `reopened ${goner.accountId}`];
  expect(told).toEqual([...access, 'forgot conversations']);
});

test('deleting an account logs its bots out', async () => {
  const { goner, domain, calls } = await twoAccounts();
  const host = new FakeBotHost();
  (calls.connectors as Map<string, unknown>).set('slack', host);
  host.bots.set('row_goner', 'token').set('row_stayer', 'token');
  await deleteWholeAccount(domain, goner.accountId, 'right', CLIENT);
  expect([...host.bots.keys()]).toEqual(['row_stayer']);
});

test('deleting an account ends and records its live calls first', async () => {
  const { store, goner, stayer, domain, calls, failures, told } = await twoAccounts();
  const scope = { accountId: goner.accountId, agentIds: [goner.agentId], platforms: null };
  await placeCall(calls, scope, REQUEST);
  await placeCall(calls, scope, REQUEST);
  await placeCall(
    calls,
    { accountId: stayer.accountId, agentIds: [stayer.agentId], platforms: null },
    REQUEST,
  );
  await deleteWholeAccount(domain, goner.accountId, 'right', CLIENT);
  await calls.recorder.settled();
  const [closed, reopened] = [`closed ${goner.accountId}`, `reopened ${goner.accountId}`];
  expect(told).toEqual([closed, 'hung up', 'hung up', reopened, 'forgot conversations']);
  expect(failures).toEqual([]);
  expect(calls.registry.countOf(goner.accountId)).toBe(0);
  expect(calls.registry.countOf(stayer.accountId)).toBe(1);
  expect(tablesNaming(await everyRow(store), 'goner')).toEqual([]);
});

test('an account that is being deleted takes no new calls', async () => {
  const { goner, domain, calls } = await twoAccounts();
  const scope = { accountId: goner.accountId, agentIds: [goner.agentId], platforms: null };
  await placeCall(calls, scope, REQUEST);
  const leaving = deleteWholeAccount(domain, goner.accountId, 'right', CLIENT);
  const late = expect(placeUntilRefused(calls, scope)).rejects.toMatchObject({ code: 'unauthorized' });
  await Promise.all([leaving, late]);
  expect(calls.registry.countOf(goner.accountId)).toBe(0);
});

/** Places calls one after another, as an agent does that knows nothing of the deletion. */
async function placeUntilRefused(calls: CallDomain, scope: AgentScope) {
  for (let i = 0; i < 5; i++) await placeCall(calls, scope, REQUEST);
}

test('deleting an account with a wrong password changes nothing', async () => {
  const { store, goner, domain, calls } = await twoAccounts();
  const before = await everyRow(store);
  await placeCall(calls, { accountId: goner.accountId, agentIds: [goner.agentId], platforms: null }, REQUEST);
  await expect(deleteWholeAccount(domain, goner.accountId, 'wrong', CLIENT)).rejects.toMatchObject({
    code: 'wrong_password',
  });
  expect(calls.registry.countOf(goner.accountId)).toBe(1);
  expect((await everyRow(store)).get('accounts')).toEqual(before.get('accounts'));
});

test('an account without a password is deleted without one', async () => {
  const { store, goner, domain } = await twoAccounts();
  await store.db
    .updateTable('accounts')
    .set({ passwordHash: null })
    .where('id', '=', goner.accountId)
    .execute();
  await deleteWholeAccount(domain, goner.accountId, null, CLIENT);
  expect(tablesNaming(await everyRow(store), 'goner')).toEqual([]);
});

test('deleting an account removes a long history too, and leaves one anonymous line in the audit log', async () => {
  const { store, goner, domain } = await twoAccounts();
  const event = { accountId: goner.accountId, agentId: null, type: 't', payload: {}, createdAt: NOW };
  for (let i = 0; i < 350; i++) await store.db.insertInto('events').values(event).execute();
  await deleteWholeAccount(domain, goner.accountId, 'right', CLIENT);
  expect(tablesNaming(await everyRow(store), 'goner')).toEqual([]);
  const left = await store.db.selectFrom('auditLog').selectAll().where('accountId', 'is', null).execute();
  expect(left).toMatchObject([{ action: 'account.delete' }]);
  expect(left[0]!.detail).toEqual({
    account: expect.stringMatching(/^[0-9a-f]{64}$/),
    historyRows: expect.any(Number),
    bots: 1,
    numbers: 1,
  });
  await expect(deleteWholeAccount(domain, goner.accountId, 'right', CLIENT)).rejects.toMatchObject({
    code: 'unauthorized',
  });
});

/** What is on the disk of the account's files, and what the database has of them. */
const leftOf = async (store: Store, dataDir: string) => ({
  disk: readdirSync(join(dataDir, 'files'), { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  ),
  tables: tablesNaming(await everyRow(store), 'goner'),
});
const NOTHING = { disk: [], tables: [] };

test('requests under way leave no file behind, whenever they end', async () => {
  const { store, dataDir, goner, domain } = await twoAccounts();
  const { accountId } = goner;
  await sql`insert into events (account_id, type, payload, created_at)
    with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 5000)
    select ${accountId}, 't', '{}', ${NOW} from numbers`.execute(store.db);
  const facts = { name: 'a', mime: 'text/plain' };
  const [during, after] = [await received(domain, accountId), await received(domain, accountId)];
  async function* endless(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('first');
    await new Promise(() => {});
  }
  const stopped = expect(receiveUpload(domain.files, accountId, endless())).rejects.toMatchObject({
    code: 'unauthorized',
  });
  await waitFor('the transfer', () => readdirSync(join(dataDir, 'files', 'incoming')).length === 1);

  const leaving = deleteWholeAccount(domain, accountId, 'right', CLIENT);
  // The files are deleted before the history.
  await waitFor('the deletion', async () => (await countRows(store.db, 'events', { accountId })) < 5_000);
  await keepUpload(domain.files, accountId, during, facts);
  await expect(received(domain, accountId)).rejects.toMatchObject({ code: 'unauthorized' });
  await Promise.all([leaving, stopped]);
  await expect(keepUpload(domain.files, accountId, after, facts)).rejects.toThrow('FOREIGN KEY');
  expect(await leftOf(store, dataDir)).toEqual(NOTHING);
  expect(domain.files.ledger.totalBytes).toBe(0);
});

const received = (domain: LeavingDomain, accountId: string) =>
  receiveUpload(domain.files, accountId, pieces('some bytes'));

test('a deletion that a crash has interrupted is finished by the next start', async () => {
  const { store, dataDir, goner, domain } = await twoAccounts();
  const facts = { name: 'a', mime: 'text/plain' };
  await keepUpload(domain.files, goner.accountId, await received(domain, goner.accountId), facts);
  await noteLeaving(store.db, goner.accountId, NOW);
  await finishDeletions(domain);
  expect(await leftOf(store, dataDir)).toEqual(NOTHING);
});

test('an account whose deletion fails can be used, and deleted again', async () => {
  const { store, dataDir, goner, domain, told } = await twoAccounts();
  const { accountId } = goner;
  const leaveModels = () => Promise.reject(new Error('the disk is full'));
  await expect(deleteWholeAccount({ ...domain, leaveModels }, accountId, 'right', CLIENT)).rejects.toThrow(
    'full',
  );
  expect(told).toEqual([`closed ${accountId}`, `reopened ${accountId}`]);
  expect(await leavingAccounts(store.db)).toEqual([]);
  store.quota.assertMayWrite(accountId);
  await received(domain, accountId);
  await deleteWholeAccount(domain, accountId, 'right', CLIENT);
  expect((await leftOf(store, dataDir)).tables).toEqual([]);
});
