import { expect, it } from 'vitest';
import { CallStream } from '../../../../src/api/stream/call-stream.ts';
import { ClientReadPosition } from '../../../../src/api/stream/client-read-position.ts';
import { OpenStreams } from '../../../../src/api/stream/open-streams.ts';
import { Places } from '../../../../src/base/places.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const places = new Places({
  code: 'too_many_streams',
  what: 'streams may be open',
  perKey: 9,
  perAccount: 9,
  total: 9,
});

/** A stream on a call of an agent, opened by a credential, that records its close code. */
function open(streams: OpenStreams, credentialId: string, agentId: string) {
  const call = {
    identity: { sampleRateHz: 8000, agentId },
    opusStreams: new Set(),
    state: { name: 'active' },
    snapshot: () => ({ state: 'active', waitingReason: null, capabilities: [], participants: [] }),
    observe: () => () => {},
  };
  const closes: number[] = [];
  const clock = new ManualClock();
  const stream = new CallStream(call as never, {
    calls: { clock } as never,
    readPosition: new ClientReadPosition(clock),
    opus: () => expect.fail('nobody speaks Opus here'),
    scope: { accountId: 'acc_1', agentIds: [agentId], platforms: null },
    enlist: (self) => streams.add({ credentialId, accountId: 'acc_1' }, self, places),
  });
  stream.opened({
    sendText: () => true,
    close: (code: number) => {
      closes.push(code);
      stream.closed();
    },
  } as never);
  return { stream, closes };
}

it('closes the streams of a revoked key, and no others', () => {
  const streams = new OpenStreams();
  const revoked = [open(streams, 'key_1', 'agt_1'), open(streams, 'key_1', 'agt_2')];
  const other = open(streams, 'key_2', 'agt_1');
  streams.follow('key_1', []);
  expect(revoked.map(({ closes }) => closes)).toEqual([[1008], [1008]]);
  expect(other.closes).toEqual([]);
  streams.follow('key_1', []);
  expect(revoked[0]?.closes).toEqual([1008]);
});

it('keeps the calls of the agents that a key still has', () => {
  const streams = new OpenStreams();
  const [lost, kept] = [open(streams, 'key_1', 'agt_1'), open(streams, 'key_1', 'agt_2')];
  streams.follow('key_1', ['agt_2']);
  expect([lost.closes, kept.closes]).toEqual([[1008], []]);
});

it('forgets a stream that closed by itself', () => {
  const streams = new OpenStreams();
  const { stream, closes } = open(streams, 'key_1', 'agt_1');
  stream.closed();
  streams.follow('key_1', []);
  expect(closes).toEqual([]);
});
