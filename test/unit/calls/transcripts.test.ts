import { expect, test } from 'vitest';
import { getCall, transcriptOf } from '../../../src/calls/call-domain.ts';
import { EXPORTED_TABLES, exportedPages } from '../../../src/store/people/account-export.ts';
import { deleteSomeHistory } from '../../../src/store/people/accounts.ts';
import { lineOf } from '../../support/speech/recognized-line.ts';
import { MeetingWorld } from './meeting-world.ts';

const LOST = { result: 'disconnected', reason: 'the gateway was stopped' } as const;

/** A call with two lines that has lost its platform, and a third line that came later. */
async function disconnected() {
  const world = await MeetingWorld.open();
  const { call, events } = await world.meeting();
  const { callId } = call.identity;
  call.transcribed(lineOf('Ada', 'one', { startMs: 20, confidence: 0.9 }));
  call.transcribed(lineOf('Bob', 'two'));
  world.meetings.leg.observer.ended('lost', LOST);
  call.transcribed(lineOf('Ada', 'three'));
  return { world, events, callId };
}

test('a transcript outlives its call, with the words that came after the end', async () => {
  const { world, callId } = await disconnected();
  await getCall(world.domain, world.scope('a'), callId);
  const lines = ['one', 'two', 'three'].map((text) => ({ speaker: text === 'two' ? 'Bob' : 'Ada', text }));
  expect(await transcriptOf(world.domain, callId, 0)).toEqual({ lines, length: 3 });
  expect(await transcriptOf(world.domain, callId, 2)).toEqual({ lines: lines.slice(2), length: 3 });
  expect(await transcriptOf(world.domain, callId, 9)).toEqual({ lines: [], length: 3 });
  expect(await transcriptOf(world.domain, 'call_none', 0)).toEqual({ lines: [], length: 0 });
});

test('the feed has each line, and how an utterance ended', async () => {
  const { world, callId } = await disconnected();
  await world.domain.recorder.settled();
  const call = await world.place();
  world.meetings.leg.observer.answered();
  const report = { type: 'utterance', utteranceId: 'utt_1', isEstimate: true } as const;
  call.publish({ ...report, state: 'started', playedMs: 0, spokenText: '' });
  call.publish({ ...report, state: 'interrupted', playedMs: 420, spokenText: 'Good' });
  call.publish({ type: 'speech', speaker: 'Ada', state: 'started' });
  await world.domain.recorder.settled();
  const rows = await world.store.db
    .selectFrom('events')
    .select(['type', 'payload', 'agentId', 'platform'])
    .where('type', 'in', ['call_transcript', 'utterance', 'speech'])
    .orderBy('id')
    .execute();
  expect(rows.every(({ agentId, platform }) => agentId === 'agt_a' && platform === 'discord')).toBe(true);
  expect(rows.map(({ type, payload }) => ({ type, ...payload }))).toEqual([
    { type: 'call_transcript', call_id: callId, state: 'active', speaker: 'Ada', text: 'one' },
    { type: 'call_transcript', call_id: callId, state: 'active', speaker: 'Bob', text: 'two' },
    { type: 'call_transcript', call_id: callId, state: 'disconnected', speaker: 'Ada', text: 'three' },
    {
      type: 'utterance',
      call_id: call.identity.callId,
      utterance_id: 'utt_1',
      state: 'interrupted',
      played_ms: 420,
      spoken_text: 'Good',
      estimated: true,
    },
  ]);
});

test('a long transcript is read from its newest lines', async () => {
  const { world, callId } = await disconnected();
  const { db } = world.store;
  const text = 'x'.repeat(1_000);
  const common = { callId, accountId: 'acc_a', speaker: 'Ada', text, createdAt: '' };
  const rows = Array.from({ length: 1_000 }, (_, i) => ({ ...common, position: 3 + i }));
  await world.domain.recorder.settled();
  for (let at = 0; at < rows.length; at += 100)
    await db
      .insertInto('transcriptLines')
      .values(rows.slice(at, at + 100))
      .execute();
  const { lines, length } = await transcriptOf(world.domain, callId, 0);
  expect(length).toBe(1_003);
  expect(lines.length).toBeGreaterThan(150);
  expect(lines.length).toBeLessThan(270);
  expect((await transcriptOf(world.domain, callId, 1_001)).lines).toHaveLength(2);
});

test('lines belong to the account: they are exported, and deleted before their call', async () => {
  const { world, callId } = await disconnected();
  await world.domain.recorder.settled();
  const { db } = world.store;
  const exported: unknown[] = [];
  expect(EXPORTED_TABLES).toContain('transcriptLines');
  for (const account of ['acc_a', 'acc_b'])
    for await (const page of exportedPages(db, account, 'transcriptLines')) exported.push(...page);
  expect(exported).toMatchObject([
    { call_id: callId, position: 0, speaker: 'Ada', text: 'one' },
    { call_id: callId, position: 1, speaker: 'Bob', text: 'two' },
    { call_id: callId, position: 2, speaker: 'Ada', text: 'three' },
  ]);
  await deleteSomeHistory(db, 'acc_a', 2);
  const left = await db.selectFrom('transcriptLines').select('position').execute();
  expect(left).toHaveLength(1);
  expect(await world.domain.recorder.find(callId)).toBeDefined();
  for (let step = 0; step < 10; step++) await deleteSomeHistory(db, 'acc_a', 2);
  expect(await world.domain.recorder.find(callId)).toBeUndefined();
});

test('a line of a call that is gone is dropped', async () => {
  const { world, callId } = await disconnected();
  await world.domain.recorder.settled();
  await world.store.db.deleteFrom('calls').where('callId', '=', callId).execute();
  const call = await world.place();
  call.transcribed(lineOf('Ada', 'kept'));
  await world.store.db.deleteFrom('calls').execute();
  await world.domain.recorder.settled();
  expect(await world.store.db.selectFrom('transcriptLines').selectAll().execute()).toEqual([]);
  expect(world.told).toEqual([]);
});
