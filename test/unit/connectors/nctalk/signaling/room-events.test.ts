import { describe, expect, it } from 'vitest';
import { peerMessage, readMessage } from '../../../../../src/connectors/nctalk/signaling/hpb-messages.ts';
import { roomEvent } from '../../../../../src/connectors/nctalk/signaling/room-events.ts';

const ROOM = 'abcd1234';

function eventOf(event: object) {
  const message = readMessage(JSON.stringify({ type: 'event', event }));
  return message && roomEvent(message, ROOM);
}

describe('an event', () => {
  it.each([
    [
      'a call that was ended',
      { target: 'participants', type: 'update', update: { all: true, incall: 0 } },
      'call_ended',
    ],
    [
      'a deleted room',
      { target: 'roomlist', type: 'disinvite', disinvite: { roomid: ROOM, reason: 'deleted' } },
      'removed',
    ],
    [
      'a chat',
      { target: 'room', type: 'message', message: { roomid: ROOM, data: { type: 'chat', chat: {} } } },
      'chat',
    ],
    ['another room', { target: 'room', type: 'switchto', switchto: { roomid: 'other123' } }, 'moved'],
    ['a lobby', { target: 'roomlist', type: 'update', update: { roomid: ROOM } }, 'changed'],
  ])('tells of %s', (_what, event, type) => {
    expect(eventOf(event)).toMatchObject({ type });
  });

  it.each([
    ['other rooms', { target: 'roomlist', type: 'disinvite', disinvite: { roomid: 'other123' } }],
    ['what is not known', { target: 'weather', type: 'update', update: {} }],
    ['another type', { target: 'room', type: 'explode' }],
    [
      'a call that everybody joins',
      { target: 'participants', type: 'update', update: { all: true, incall: 7 } },
    ],
    ['chats that are none', { target: 'room', type: 'message', message: { roomid: ROOM, data: null } }],
  ])('of %s is nothing', (_what, event) => {
    expect(eventOf(event)).toBeNull();
  });

  it('is read as far as it can be', () => {
    const users = [
      { sessionId: 'one', inCall: 3, userId: 'ada', some: 'thing' },
      { sessionId: 7, inCall: 3 },
      'nobody',
      { sessionId: 'two', inCall: 'yes' },
      { sessionId: 'old', inCall: true },
    ];
    expect(eventOf({ target: 'participants', type: 'update', update: { users, roomid: 7 } })).toEqual({
      type: 'users',
      users: [
        { sessionId: 'one', inCall: 3, userId: 'ada' },
        { sessionId: 'two' },
        { sessionId: 'old', inCall: 7 },
      ],
    });
  });

  it('of a flood of people is cut', () => {
    const join = Array.from({ length: 5_000 }, (_, n) => ({ sessionid: `s${n}`, userid: 'x'.repeat(500) }));
    const event = eventOf({ target: 'room', type: 'join', join });
    expect(event?.type === 'joined' && event.sessions).toHaveLength(2_000);
  });
});

describe('what a session says', () => {
  const from = (data: unknown, kind = 'message') => {
    const message = readMessage(
      JSON.stringify({ type: kind, [kind]: { sender: { sessionid: 'one' }, data } }),
    );
    return message && peerMessage(message);
  };

  it('has its sender from the server', () => {
    expect(from({ type: 'offer', from: 'another', sid: '1', payload: { sdp: 'v=0' } })).toEqual({
      type: 'offer',
      from: 'one',
      sid: '1',
      payload: { sdp: 'v=0' },
    });
    expect(from({ action: 'forceMute', peerId: 'me' }, 'control')).toMatchObject({
      type: 'control',
      payload: { action: 'forceMute', peerId: 'me' },
    });
  });

  it.each([[null], ['offer'], [[]], [{}], [{ type: 7 }]])('may be nothing: %j', (data) => {
    expect(from(data)).toBeNull();
  });

  it('has no description beyond 100 KB', () => {
    expect(from({ type: 'offer', payload: { sdp: 'x'.repeat(100_001) } })?.payload?.sdp).toBeUndefined();
  });
});
