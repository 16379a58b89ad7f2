import { expect, it } from 'vitest';
import type { Termination } from '../../../../src/base/termination.ts';
import type { LegObserver } from '../../../../src/connectors/contract/call-leg.ts';
import { sessionClosed } from '../../../../src/connectors/discord/calls/close-codes.ts';
import { VOICE_RULES } from '../../../../src/connectors/discord/calls/discord-meeting.ts';
import { type Meeting, MeetingLeg } from '../../../../src/connectors/kit/meeting-leg.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

async function joined(meeting: Partial<Meeting> = {}) {
  const clock = new ManualClock();
  const entries: boolean[] = [];
  const ends: [string, Termination][] = [];
  const connections: number[] = [];
  const lobbies: string[] = [];
  const left: number[] = [];
  const observer = {
    answered: () => void connections.push(clock.monotonicMs()),
    waiting: (reason) => void lobbies.push(reason),
    ended: (by, termination) => void ends.push([by, termination]),
  } satisfies Partial<LegObserver> as unknown as LegObserver;
  const leg = new MeetingLeg({ clock, observer, rules: VOICE_RULES }, () => ({
    prepare: async () => undefined,
    enter: async (isAgain) => void entries.push(isAgain),
    disconnect: () => undefined,
    leave: async () => void left.push(clock.monotonicMs()),
    ...meeting,
  }));
  const connect = (): void => {
    leg.connecting('the voice server did not answer', async () => undefined);
    leg.connected();
  };
  await settled();
  return { clock, leg, entries, ends, connections, lobbies, left, connect };
}

/** Promises that are due have run. */
async function settled(): Promise<void> {
  await new Promise(setImmediate);
}

it('asks again while the platform does not answer, and then gives up', async () => {
  const { clock, entries, ends } = await joined();
  clock.advance(30_000);
  expect(entries.length).toBeGreaterThan(1);
  expect(entries.length).toBeLessThanOrEqual(5);
  expect(entries.slice(0, 2)).toEqual([false, true]);
  expect(ends).toMatchObject([['remote', { result: 'no_answer' }]]);
});

it('enters at most five times a minute, however short each session is', async () => {
  const { clock, leg, entries, ends, connections, connect } = await joined();
  connect();
  for (let second = 0; second < 30 && ends.length === 0; second++) {
    sessionClosed(leg, 4006, 'closed with 4006');
    clock.advance(1_000);
    connect();
  }
  expect(entries).toHaveLength(5);
  expect(ends).toMatchObject([['lost', { result: 'disconnected' }]]);
  expect(connections).toEqual([0]);
});

it('enters again when the gateway does not say what 4014 means', async () => {
  const { clock, leg, entries, connect } = await joined();
  connect();
  sessionClosed(leg, 4014, 'closed with 4014');
  clock.advance(2_000);
  expect(entries).toHaveLength(1);
  clock.advance(2_000);
  expect(entries).toEqual([false, true]);
});

it('follows to a new voice server without entering again', async () => {
  const { clock, leg, entries, ends, connect } = await joined();
  connect();
  leg.expect(15_000, 'the voice server is gone, and no other one came');
  sessionClosed(leg, 4006, 'closed with 4006');
  clock.advance(10_000);
  expect(leg.isConnected).toBe(false);
  connect();
  clock.advance(60_000);
  expect([entries.length, leg.isConnected, ends]).toEqual([1, true, []]);
});

it('waits in a lobby for as long as it takes, but not on its way back', async () => {
  const { clock, leg, lobbies, ends, connections, connect } = await joined();
  leg.waiting('in the lobby');
  clock.advance(600_000);
  expect([lobbies, ends]).toEqual([['in the lobby'], []]);
  connect();
  leg.lost('the connection broke');
  clock.advance(0);
  leg.waiting('in the lobby');
  clock.advance(VOICE_RULES.outageMs);
  expect(ends).toEqual([['lost', { result: 'disconnected', reason: 'in the lobby' }]]);
  expect(connections).toEqual([600_000]);
});

it('ends when the platform refuses it, before and after the first entry', async () => {
  const early = await joined({ enter: () => Promise.reject(new Error('no such meeting')) });
  await settled();
  expect(early.ends).toEqual([['remote', { result: 'failed', reason: 'no such meeting' }]]);
  const unprepared = await joined({ prepare: () => Promise.reject(new Error('no thread')) });
  await settled();
  expect(unprepared.ends).toEqual([['remote', { result: 'failed', reason: 'no thread' }]]);
  expect(unprepared.entries).toEqual([]);
});

it('enters again when there is no thread for the media, for five seconds', async () => {
  const { clock, leg, entries, ends, connect } = await joined();
  connect();
  leg.threadLost('the thread is gone');
  for (let second = 0; second < 10; second++) {
    clock.advance(1_000);
    leg.connecting('the voice server did not answer', () => Promise.reject(new Error('no thread')));
    await settled();
  }
  expect(entries.length).toBeGreaterThan(1);
  expect(ends).toEqual([['lost', { result: 'disconnected', reason: 'no thread' }]]);
});

it('is left once it is over, and reports nothing afterwards', async () => {
  const { clock, leg, ends, entries, left, connect } = await joined();
  leg.hangUp();
  leg.hangUp();
  sessionClosed(leg, 4017, 'closed with 4017');
  leg.removed('removed');
  connect();
  clock.advance(60_000);
  await leg.released;
  expect(ends).toMatchObject([['local', { result: 'no_answer' }]]);
  expect([entries.length, left]).toEqual([1, [60_000]]);
});
