import { expect, it } from 'vitest';
import type { Termination } from '../../../../../src/base/termination.ts';
import { VoiceLink } from '../../../../../src/connectors/discord/calls/voice-link.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';

const ACCESS = {
  endpoint: 'voice.example:443',
  token: 't',
  guildId: '1',
  channelId: '2',
  sessionId: 's',
  userId: '3',
};

function linked() {
  const clock = new ManualClock();
  const entries: boolean[] = [];
  const ends: [string, Termination][] = [];
  const connections: number[] = [];
  const link: VoiceLink = new VoiceLink('2', {
    clock,
    enter: (_channelId, afresh) => void entries.push(afresh),
    connect: async () => undefined,
    disconnect: () => undefined,
    onConnected: () => void connections.push(clock.monotonicMs()),
    onEnded: (by, termination) => void ends.push([by, termination]),
  });
  const connect = (): void => {
    link.placed(ACCESS);
    link.opened();
  };
  link.begin();
  return { clock, link, entries, ends, connections, connect };
}

it('asks again while Discord does not answer, and then gives up', () => {
  const { clock, entries, ends } = linked();
  clock.advance(30_000);
  expect(entries.length).toBeGreaterThan(1);
  expect(entries.length).toBeLessThanOrEqual(5);
  expect(entries.slice(0, 2)).toEqual([false, true]);
  expect(ends).toMatchObject([['remote', { result: 'no_answer' }]]);
});

it('enters at most five times a minute, however short each session is', () => {
  const { clock, link, entries, ends, connect } = linked();
  connect();
  for (let second = 0; second < 30 && ends.length === 0; second++) {
    link.closed(4006, 'closed with 4006');
    clock.advance(1_000);
    connect();
  }
  expect(entries).toHaveLength(5);
  expect(ends).toMatchObject([['lost', { result: 'disconnected' }]]);
});

it('enters again when the gateway does not say what 4014 means', () => {
  const { clock, link, entries, connect } = linked();
  connect();
  link.closed(4014, 'closed with 4014');
  clock.advance(2_000);
  expect(entries).toHaveLength(1);
  clock.advance(2_000);
  expect(entries).toEqual([false, true]);
});

it('follows to a new voice server without entering again', () => {
  const { clock, link, entries, ends, connections, connect } = linked();
  connect();
  link.unplaced();
  clock.advance(10_000);
  connect();
  clock.advance(60_000);
  expect([entries.length, connections, ends]).toEqual([1, [0, 10_000], []]);
});

it('reports nothing after it was stopped', () => {
  const { clock, link, ends } = linked();
  link.stop();
  link.closed(4017, 'closed with 4017');
  link.removed('removed');
  clock.advance(60_000);
  expect(ends).toEqual([]);
});
