import { beforeEach, describe, expect, it } from 'vitest';
import { Subscriptions } from '../../../../../src/connectors/nctalk/calls/subscriptions.ts';
import { MAX_SUBSCRIPTIONS } from '../../../../../src/connectors/nctalk/voice/talk-protocol.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';
import { PlayedMedia } from './call-media.ts';

let clock: ManualClock;
let media: PlayedMedia;
let sent: { readonly to: string; readonly type: string; readonly sid: string | undefined }[];
let subscriptions: Subscriptions;

beforeEach(() => {
  clock = new ManualClock();
  media = new PlayedMedia();
  media.signal = ({ type, ...signal }) => {
    if (type === 'connected' && 'connection' in signal) subscriptions.connected(signal.connection);
  };
  sent = [];
  subscriptions = new Subscriptions({
    clock,
    media,
    send: (to, data) => {
      const { type, sid } = data as { type: string; sid?: string };
      sent.push({ to, type, sid });
    },
  });
});

const settled = async (): Promise<void> => await new Promise(setImmediate);
const asked = (personId: string): number =>
  sent.filter(({ to, type }) => to === personId && type === 'requestoffer').length;
const offer = (from: string, sid = 'sid-1', sdp = 'v=0') =>
  subscriptions.take({ type: 'offer', from, sid, payload: { sdp } });

describe('somebody who is not offered', () => {
  it('is asked for with longer and longer pauses, then no more until they do something', () => {
    subscriptions.set(['ada']);
    const counts = [0, 1_000, 2_000, 4_000, 8_000, 60_000].map((pauseMs) => {
      clock.advance(pauseMs);
      return asked('ada');
    });
    expect(counts).toEqual([1, 2, 3, 4, 5, 5]);
    subscriptions.announced('ada');
    expect(asked('ada')).toBe(6);
  });

  it('holds nobody else up', async () => {
    subscriptions.set(['ada', 'ben']);
    offer('ben');
    await settled();
    expect(media.names).toEqual(['subscribe ben']);
  });

  it('is asked for again when the server refuses, also the answer', async () => {
    subscriptions.set(['ada']);
    subscriptions.refused('ada');
    clock.advance(2_000);
    expect(asked('ada')).toBe(2);
    media.connects = false;
    offer('ada');
    await settled();
    subscriptions.refused('ada');
    clock.advance(8_000);
    expect(asked('ada')).toBeGreaterThan(2);
  });
});

describe('an offer', () => {
  it('is answered with its sid, and candidates follow the answer', async () => {
    subscriptions.set(['ada']);
    offer('ada', 'sid-7');
    subscriptions.candidate('ada', { candidate: 'candidate:1', sdpMid: '0', sdpMLineIndex: 0 });
    await settled();
    expect(sent.slice(1)).toEqual([
      { to: 'ada', type: 'answer', sid: 'sid-7' },
      { to: 'ada', type: 'candidate', sid: 'sid-7' },
    ]);
    clock.advance(60_000);
    expect(asked('ada')).toBe(1);
  });

  it('of nobody in the call is nothing', async () => {
    subscriptions.set(['ada']);
    offer('mallory');
    subscriptions.announced('mallory');
    await settled();
    expect([media.names, asked('mallory')]).toEqual([[], 0]);
  });

  it('replaces the one before, but a flood of them makes one connection a second', async () => {
    subscriptions.set(['ada']);
    for (let n = 0; n < 500; n++) offer('ada', `sid-${n}`);
    await settled();
    expect(media.names).toEqual(['subscribe ada']);
    clock.advance(1_000);
    await settled();
    expect(media.names).toEqual(['subscribe ada', 'subscribe ada']);
    expect(sent.at(-1)).toEqual({ to: 'ada', type: 'answer', sid: 'sid-499' });
  });

  it('of a connection that fails, or does not come about, is followed by another request', async () => {
    subscriptions.set(['ada']);
    offer('ada');
    await settled();
    subscriptions.failed('ada');
    clock.advance(1_000);
    expect(asked('ada')).toBe(2);
    media.connects = false;
    offer('ada', 'sid-2');
    await settled();
    clock.advance(14_000);
    expect(asked('ada')).toBe(3);
  });
});

describe('a large call', () => {
  const people = Array.from({ length: 40 }, (_, n) => `p${n}`);

  it('is heard as far as connections go, those who speak first', async () => {
    subscriptions.set(people);
    expect(new Set(sent.map(({ to }) => to)).size).toBe(MAX_SUBSCRIPTIONS);
    for (const person of people) if (person !== 'p3') subscriptions.spoke(person);
    clock.advance(1_000);
    subscriptions.announced('p39');
    expect(asked('p39')).toBe(1);
    expect(media.names).toEqual(['unsubscribe p3']);
  });

  it('does not change with everybody who says that they can be heard', () => {
    subscriptions.set(people);
    for (const person of people) subscriptions.announced(person);
    expect(media.names.filter((name) => name.startsWith('unsubscribe'))).toHaveLength(1);
  });

  it('goes on with others when somebody leaves', () => {
    subscriptions.set(people);
    subscriptions.set(people.slice(1));
    expect(media.names).toEqual(['unsubscribe p0']);
    expect(asked('p24')).toBe(1);
  });
});
