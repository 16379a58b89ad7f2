import { expect, test } from 'vitest';
import { findRow, insertRow, listRows } from '../../../../src/store/database/rows.ts';
import {
  disconnectLiveCalls,
  endCall,
  type NewCall,
  updateCall,
} from '../../../../src/store/messages/calls.ts';
import { NOW, seedAccount, temporaryStore } from '../temporary.ts';

function newCall(callId: string, owner: { accountId: string; agentId: string }): NewCall {
  return {
    callId,
    accountId: owner.accountId,
    agentId: owner.agentId,
    roomId: `room_${callId}`,
    participantId: 'part_1',
    platform: 'sip',
    meetingUrl: 'sip:+33123456789@trunk.test',
    agentName: 'AI Agent',
    direction: 'outbound',
    caller: '',
    sampleRateHz: 48_000,
    capabilities: ['audio_in', 'write'],
    state: 'connecting',
    createdAt: NOW,
  };
}

test('a call is recorded from start to end, and keeps its final state', async () => {
  const store = await temporaryStore();
  const owner = await seedAccount(store, 'a');
  await insertRow(store.db, 'calls', newCall('call_1', owner));
  await updateCall(store.db, 'call_1', { state: 'active', answeredAt: NOW });
  expect(await findRow(store.db, 'calls', { callId: 'call_1' })).toMatchObject({
    state: 'active',
    answeredAt: NOW,
    endedAt: null,
  });

  const termination = { result: 'completed', reason: 'hung up' } as const;
  await endCall(store.db, 'call_1', { state: 'ended', endedAt: NOW, termination });
  await updateCall(store.db, 'call_1', { state: 'active' });
  await endCall(store.db, 'call_1', {
    state: 'disconnected',
    endedAt: '2027-01-01T00:00:00.000Z',
    termination: { result: 'failed', reason: 'late' },
  });
  expect(await findRow(store.db, 'calls', { callId: 'call_1' })).toEqual({
    ...newCall('call_1', owner),
    state: 'ended',
    answeredAt: NOW,
    endedAt: NOW,
    terminationResult: 'completed',
    terminationReason: 'hung up',
  });
});

test('live calls are listed by account, and disconnected after a restart', async () => {
  const store = await temporaryStore();
  const [a, b] = [await seedAccount(store, 'a'), await seedAccount(store, 'b')];
  await insertRow(store.db, 'calls', newCall('call_1', a));
  await insertRow(store.db, 'calls', newCall('call_2', a));
  await insertRow(store.db, 'calls', newCall('call_3', b));
  await endCall(store.db, 'call_2', {
    state: 'ended',
    endedAt: NOW,
    termination: { result: 'completed', reason: '' },
  });
  expect(
    (await listRows(store.db, 'calls', { accountId: a.accountId, endedAt: null }, ['createdAt'])).map(
      (call) => call.callId,
    ),
  ).toEqual(['call_1']);

  const lost = await disconnectLiveCalls(store.db, '2026-02-02T00:00:00.000Z');
  expect(lost.map((call) => call.callId).sort()).toEqual(['call_1', 'call_3']);
  expect(lost[0]).toMatchObject({ state: 'disconnected', endedAt: '2026-02-02T00:00:00.000Z' });
  expect(await findRow(store.db, 'calls', { callId: 'call_2' })).toMatchObject({
    state: 'ended',
    endedAt: NOW,
  });
  expect(await disconnectLiveCalls(store.db, NOW)).toEqual([]);
});
