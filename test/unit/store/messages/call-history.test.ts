import { describe, expect, it, test } from 'vitest';
import { isoAfter } from '../../../../src/base/time.ts';
import { countRows, insertRow } from '../../../../src/store/database/rows.ts';
import {
  deleteOldestCalls,
  endedCalls,
  type HistoryFilter,
  type HistoryPage,
  transcriptFrom,
} from '../../../../src/store/messages/call-history.ts';
import { endCall, type NewCall } from '../../../../src/store/messages/calls.ts';
import { appendTranscriptLine } from '../../../../src/store/messages/transcript-lines.ts';
import type { Store } from '../../../../src/store/store.ts';
import { NOW, seedAccount, temporaryStore } from '../temporary.ts';

const MINUTE_MS = 60_000;

interface World {
  readonly store: Store;
  readonly owner: { readonly accountId: string; readonly agentId: string };
}

async function world(): Promise<World> {
  const store = await temporaryStore();
  return { store, owner: await seedAccount(store, 'a') };
}

/** A call that began in this minute and is over, unless `isLive`. */
async function addCall(
  { store, owner }: World,
  callId: string,
  minute: number,
  { isLive = false, ...fields }: Partial<NewCall> & { readonly isLive?: boolean } = {},
): Promise<void> {
  const createdAt = isoAfter(NOW, minute * MINUTE_MS);
  await insertRow(store.db, 'calls', {
    callId,
    ...owner,
    roomId: `room_${callId}`,
    participantId: 'part_1',
    platform: 'sip',
    meetingUrl: 'sip:+33123456789@trunk.test',
    agentName: 'AI Agent',
    direction: 'outbound',
    caller: '',
    sampleRateHz: 8_000,
    capabilities: ['audio_in'],
    state: 'active',
    createdAt,
    ...fields,
  });
  const termination = { result: 'completed', reason: 'hung up' } as const;
  if (!isLive) await endCall(store.db, callId, { state: 'ended', endedAt: createdAt, termination });
}

function read({ store, owner }: World, filter: Partial<HistoryFilter> = {}): Promise<HistoryPage> {
  return endedCalls(store.db, {
    accountId: owner.accountId,
    agentIds: [owner.agentId],
    withAgentless: false,
    platforms: null,
    result: null,
    search: '',
    after: null,
    limit: 50,
    ...filter,
  });
}

const idsOf = ({ calls }: HistoryPage) => calls.map(({ callId }) => callId);

/** The ids on all pages, page by page. */
async function pages(of: World, filter: Partial<HistoryFilter>): Promise<string[][]> {
  const all: string[][] = [];
  for (let after: HistoryFilter['after'] = null; ; ) {
    const page = await read(of, { ...filter, after });
    all.push(idsOf(page));
    if (page.next === null) return all;
    after = page.next;
  }
}

describe('the history of calls', () => {
  it('has the calls that are over, newest first, and pages them without a gap', async () => {
    const calls = await world();
    for (const [id, minute] of [
      ['one', 0],
      ['two', 1],
      ['three', 1],
      ['four', 2],
      ['five', 3],
    ] as const)
      await addCall(calls, id, minute);
    await addCall(calls, 'live', 4, { isLive: true });
    expect(await pages(calls, { limit: 2 })).toEqual([['five', 'four'], ['three', 'two'], ['one']]);
    expect(await pages(calls, { limit: 50 })).toEqual([['five', 'four', 'three', 'two', 'one']]);
  });

  it('goes on after a call that was deleted meanwhile', async () => {
    const calls = await world();
    for (const minute of [0, 1, 2]) await addCall(calls, `call_${minute}`, minute);
    const { next } = await read(calls, { limit: 1 });
    await calls.store.db.deleteFrom('calls').where('callId', '=', 'call_2').execute();
    expect(idsOf(await read(calls, { after: next }))).toEqual(['call_1', 'call_0']);
  });

  it('shows only the calls of the given agents and platforms', async () => {
    const calls = await world();
    const other = await seedAccount(calls.store, 'b');
    await addCall(calls, 'own', 0);
    await addCall(calls, 'foreign', 1, other);
    await addCall(calls, 'meeting', 2, { platform: 'teams' });
    await addCall(calls, 'of_nobody', 3, { agentId: null });
    expect(idsOf(await read(calls))).toEqual(['meeting', 'own']);
    expect(idsOf(await read(calls, { withAgentless: true }))).toEqual(['of_nobody', 'meeting', 'own']);
    expect(idsOf(await read(calls, { platforms: ['sip'] }))).toEqual(['own']);
    expect(idsOf(await read(calls, { agentIds: [] }))).toEqual([]);
    expect(idsOf(await read(calls, { platforms: [] }))).toEqual([]);
    expect(idsOf(await read(calls, { result: 'busy' }))).toEqual([]);
  });

  it('finds callers, addresses and words, and takes wildcards literally', async () => {
    const calls = await world();
    await addCall(calls, 'by_caller', 0, { caller: 'Anna 100% <anna@example.com>' });
    await addCall(calls, 'by_words', 1);
    await addCall(calls, 'other', 2);
    const line = { callId: 'by_words', speaker: 'Bob', text: 'The parcel is late', createdAt: NOW };
    await appendTranscriptLine(calls.store.db, line);
    expect(idsOf(await read(calls, { search: 'ANNA' }))).toEqual(['by_caller']);
    expect(idsOf(await read(calls, { search: 'parcel' }))).toEqual(['by_words']);
    expect(idsOf(await read(calls, { search: '0%' }))).toEqual(['by_caller']);
    expect(idsOf(await read(calls, { search: '_' }))).toEqual([]);
    expect(idsOf(await read(calls, { search: '+33123' }))).toHaveLength(3);
    expect(await pages(calls, { search: '+33123', limit: 2 })).toEqual([
      ['other', 'by_words'],
      ['by_caller'],
    ]);
  });

  it('finds the last line of a long transcript, and those of the calls after it', async () => {
    const calls = await world();
    await addCall(calls, 'a_long_one', 0);
    await addCall(calls, 'b_short_one', 1);
    await addCall(calls, 'c_other', 2);
    await calls.store.db.transaction().execute(async (db) => {
      const line = { callId: 'a_long_one', speaker: 'Bob', text: 'hello', createdAt: NOW };
      for (let n = 0; n < 250; n++) await appendTranscriptLine(db, line);
      for (const callId of ['a_long_one', 'b_short_one', 'c_other'])
        await appendTranscriptLine(db, { ...line, callId, text: callId === 'c_other' ? 'no' : 'The NEEDLE' });
    });
    expect(idsOf(await read(calls, { search: 'needle' }))).toEqual(['b_short_one', 'a_long_one']);
  });

  it('examines a part at a time when it searches, and tells where to go on', async () => {
    const calls = await world();
    await addCall(calls, 'wanted', 0, { caller: 'needle' });
    await calls.store.db.transaction().execute(async (db) => {
      const store = { ...calls.store, db } as Store;
      for (let i = 1; i <= 500; i++) await addCall({ ...calls, store }, `call_${i}`, i);
    });
    expect(await pages(calls, { search: 'needle' })).toEqual([[], ['wanted']]);
  });
});

test('a transcript is read in parts', async () => {
  const calls = await world();
  await addCall(calls, 'call_1', 0);
  for (const text of ['one', 'two', 'three'])
    await appendTranscriptLine(calls.store.db, { callId: 'call_1', speaker: 'Bob', text, createdAt: NOW });
  const textsFrom = async (position: number, limit: number) =>
    (await transcriptFrom(calls.store.db, 'call_1', position, limit)).map(({ text }) => text);
  expect(await textsFrom(0, 2)).toEqual(['one', 'two']);
  expect(await textsFrom(2, 2)).toEqual(['three']);
});

test('old calls are deleted with their transcripts, live ones stay', async () => {
  const calls = await world();
  const { db } = calls.store;
  await addCall(calls, 'old', 0);
  await addCall(calls, 'old_and_live', 1, { isLive: true });
  await addCall(calls, 'young', 10);
  await appendTranscriptLine(db, { callId: 'old', speaker: 'Bob', text: 'Hello', createdAt: NOW });
  const before = isoAfter(NOW, 5 * MINUTE_MS);
  expect(await deleteOldestCalls(db, before)).toBe(1);
  expect(await deleteOldestCalls(db, before)).toBe(0);
  expect(await countRows(db, 'calls', {})).toBe(2);
  expect(await countRows(db, 'transcriptLines', {})).toBe(0);
});
