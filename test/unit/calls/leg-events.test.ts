import { expect, it } from 'vitest';
import { getCall } from '../../../src/calls/call-domain.ts';
import { hangUpLogin } from '../../../src/calls/hang-up-call.ts';
import { waitFor } from '../../support/wait-for.ts';
import { chatOf, WHOLE } from './fake-meetings.ts';
import { MeetingWorld } from './meeting-world.ts';

const people = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ id: `u${i}`, name: `Person ${i}` }));

/** What is in the feed, in order. */
async function feedOf({ store, domain }: MeetingWorld): Promise<Record<string, unknown>[]> {
  await domain.recorder.settled();
  const rows = await store.db.selectFrom('events').selectAll().orderBy('id').execute();
  return rows.map(({ accountId, agentId, type, payload }) => ({
    accountId,
    agentId,
    type,
    ...payload,
  }));
}

it('a call in a lobby says so until it is answered, and waits longer', async () => {
  const world = await MeetingWorld.open();
  await world.bot('a', 'bot_a');
  const call = await world.place();
  const { observer } = world.meetings.leg;
  expect(call.snapshot()).toMatchObject({ state: 'connecting', waitingReason: null });
  world.clock.advance(89_000);
  observer.waiting('in the lobby');
  observer.waiting('in the lobby');
  expect(call.snapshot()).toMatchObject({ state: 'connecting', waitingReason: 'in the lobby' });
  world.clock.advance(599_000);
  // Another reason is shown, but gives no more time.
  observer.waiting('x'.repeat(65_536));
  expect(call.snapshot().waitingReason).toHaveLength(200);
  observer.answered();
  observer.waiting('too late');
  expect(call.snapshot()).toMatchObject({ state: 'active', waitingReason: null });
  const callId = call.identity.callId;
  expect(await feedOf(world)).toEqual([
    expect.objectContaining({
      type: 'call_waiting',
      call_id: callId,
      state: 'connecting',
      reason: 'in the lobby',
    }),
    expect.objectContaining({ type: 'call_waiting', reason: 'x'.repeat(200) }),
    expect.objectContaining({ type: 'call_state', state: 'active' }),
  ]);
});

it('a call that nobody admits ends after 10 minutes, however often the reason changes', async () => {
  const world = await MeetingWorld.open();
  await world.bot('a', 'bot_a');
  const call = await world.place();
  for (let minute = 0; minute < 10; minute++) {
    world.meetings.leg.observer.waiting(`in the lobby, place ${minute}`);
    world.clock.advance(60_000);
  }
  expect(call.snapshot()).toMatchObject({
    state: 'disconnected',
    waitingReason: null,
    termination: { result: 'no_answer', reason: 'not admitted in time (in the lobby, place 9)' },
  });
  expect(world.meetings.leg.hungUp).toBe(1);
});

it('how far a call has come is told once, and no longer when it is answered', async () => {
  const world = await MeetingWorld.open();
  await world.bot('a', 'bot_a');
  const call = await world.place();
  const { observer } = world.meetings.leg;
  observer.held(true);
  expect(call.snapshot()).toMatchObject({ progress: null, onHold: false });
  for (let round = 0; round < 2; round++) observer.ringing();
  expect(call.snapshot()).toMatchObject({ state: 'connecting', progress: 'ringing' });
  for (let round = 0; round < 2; round++) {
    observer.earlyMedia();
    // Some far ends ring again after an announcement.
    observer.ringing();
  }
  expect(call.snapshot()).toMatchObject({ state: 'connecting', progress: 'early_media' });
  observer.answered();
  observer.earlyMedia();
  for (const onHold of [false, true, true, false, true]) observer.held(onHold);
  expect(call.snapshot()).toMatchObject({ state: 'active', progress: null, onHold: true });
  observer.ended('remote', { result: 'completed', reason: 'remote hung up' });
  expect(call.snapshot()).toMatchObject({ state: 'ended', onHold: false });
  expect(await feedOf(world)).toMatchObject([
    { type: 'call_progress', state: 'connecting', progress: 'ringing' },
    { type: 'call_progress', state: 'connecting', progress: 'early_media' },
    { type: 'call_state', state: 'active' },
    { type: 'call_hold', state: 'active', on_hold: true },
    { type: 'call_hold', state: 'active', on_hold: false },
    { type: 'call_hold', state: 'active', on_hold: true },
    { type: 'call_state', state: 'ended' },
  ]);
});

it('participants are listed up to a bound, and announced only when they change', async () => {
  const world = await MeetingWorld.open();
  const { call, events } = await world.meeting();
  const { observer } = world.meetings.leg;
  observer.participants(people(2));
  observer.participants(people(2));
  expect(call.snapshot().participants).toEqual(people(2));
  expect(events).toEqual([{ type: 'call_participants', participants: people(2) }]);
  // Many who join at once are announced together; they can be read at once.
  for (let count = 3; count <= 600; count++) observer.participants(people(count));
  expect(call.snapshot().participants).toHaveLength(500);
  expect(events).toHaveLength(1);
  world.clock.advance(500);
  expect(events).toHaveLength(2);
  observer.participants(people(10_000));
  world.clock.advance(500);
  expect(events).toHaveLength(2);
  observer.participants([{ id: 'i'.repeat(65_536), name: 'n'.repeat(65_536) }]);
  expect(call.snapshot().participants).toEqual([{ id: 'i'.repeat(256), name: 'n'.repeat(256) }]);
  expect(events).toHaveLength(3);
  // Gone and back again before the next announcement: nothing has changed.
  observer.participants([]);
  observer.participants([{ id: 'i'.repeat(256), name: 'n'.repeat(256) }]);
  world.clock.advance(10_000);
  expect(events).toHaveLength(3);
  expect(await feedOf(world)).toEqual([expect.objectContaining({ type: 'call_state' })]);
});

it('the snapshot stays the same object until something changes', async () => {
  const world = await MeetingWorld.open();
  const { call } = await world.meeting();
  const { observer } = world.meetings.leg;
  const before = call.snapshot();
  observer.participants([]);
  observer.speaking({ voiceId: 0, participantId: null }, true);
  observer.capabilities([...WHOLE].reverse());
  observer.waiting('too late');
  expect(call.snapshot()).toBe(before);
  observer.participants(people(1));
  expect(call.snapshot()).not.toBe(before);
});

it('what the platform transcribes is a line of the transcript, unless hosted recognition hears the call', async () => {
  const world = await MeetingWorld.open();
  const { call, events } = await world.meeting();
  const { observer } = world.meetings.leg;
  observer.said({ speaker: 'Ada\nLovelace', text: '  Two\r\nlines\u0007 ' });
  observer.said({ speaker: 'Ada', text: ' \n ' });
  observer.said({ speaker: 'n'.repeat(65_536), text: 'x'.repeat(65_536) });
  call.capabilities.setPresets({ stt: { id: 'stt_1', name: 'hears' } as never, tts: null });
  observer.said({ speaker: 'Ada', text: 'heard already' });
  const unknown = { startMs: null, endMs: null, confidence: null, language: null };
  expect(events.filter(({ type }) => type === 'call_transcript')).toEqual([
    { type: 'call_transcript', speaker: 'Ada Lovelace', text: 'Two lines', ...unknown },
    { type: 'call_transcript', speaker: 'n'.repeat(256), text: 'x'.repeat(10_000), ...unknown },
  ]);
  expect(call.transcript.since(0).length).toBe(2);
});

it('voices that speak are named by their participant, and not stored', async () => {
  const world = await MeetingWorld.open();
  const { events } = await world.meeting();
  const { observer } = world.meetings.leg;
  observer.participants(people(2));
  const voice = { voiceId: 3, participantId: 'u1' };
  for (const on of [true, true, false, false]) observer.speaking(voice, on);
  observer.speaking({ voiceId: 7, participantId: null }, true);
  observer.speaking({ voiceId: 6, participantId: 'u_unknown' }, true);
  for (const voiceId of [-1, 8, 0.5, Number.NaN]) observer.speaking({ voiceId, participantId: null }, true);
  const type = 'call_speaking';
  const ada = { id: 'u1', name: 'Person 1' };
  expect(events.slice(1)).toEqual([
    { type, voiceId: 3, participant: ada, speaking: true },
    { type, voiceId: 3, participant: ada, speaking: false },
    { type, voiceId: 7, participant: null, speaking: true },
    { type, voiceId: 6, participant: null, speaking: true },
  ]);
  expect((await feedOf(world)).map((event) => event.type)).toEqual(['call_state']);
});

it('a call has the capabilities that its leg reports last, and its record keeps them', async () => {
  const world = await MeetingWorld.open();
  const { call, events } = await world.meeting();
  const { observer } = world.meetings.leg;
  observer.capabilities(['audio_in', 'audio_in', 'write']);
  observer.capabilities(['write', 'audio_in']);
  expect(call.snapshot().capabilities).toEqual(['audio_in', 'write']);
  expect(events).toEqual([{ type: 'call_capabilities', capabilities: ['audio_in', 'write'] }]);
  observer.ended('lost', { result: 'disconnected', reason: 'test' });
  observer.capabilities(['audio_out']);
  const past = await getCall(world.domain, world.scope('a'), call.identity.callId);
  expect(past).toMatchObject({
    state: 'disconnected',
    capabilities: ['audio_in', 'write'],
    participants: [],
  });
  // Calls of earlier versions were stored without them.
  await world.store.db.updateTable('calls').set({ capabilities: null }).execute();
  const old = await getCall(world.domain, world.scope('a'), call.identity.callId);
  expect(old.capabilities).toEqual(WHOLE);
});

it('a chat message is told once, in order, to the call and to the feed of its agent alone', async () => {
  const world = await MeetingWorld.open();
  const { call, events } = await world.meeting();
  const { observer } = world.meetings.leg;
  const messages = [1, 2, 3].map((n) => chatOf({ text: `${n}` }));
  for (const message of [...messages, messages[0]!, messages[2]!]) observer.chat(message);
  const chats = await waitFor('the messages', () => events.length === 3 && events);
  const { sentAt } = messages[0]!;
  expect(chats).toEqual(
    ['1', '2', '3'].map((text) => ({ type: 'call_chat', sender: 'Ada', text, sentAt, files: [] })),
  );
  const common = { accountId: 'acc_a', agentId: 'agt_a', type: 'call_chat', call_id: call.identity.callId };
  expect((await feedOf(world)).slice(1)).toEqual(
    ['1', '2', '3'].map((text) => ({ ...common, state: 'active', sender: 'Ada', text, sent_at: sentAt })),
  );
});

it('files of a chat message are kept; a stub stands for each that is too large', async () => {
  const world = await MeetingWorld.open();
  const { events } = await world.meeting();
  const file = (name: string, sizeBytes: number | null, ref: string | null = name) => ({
    name,
    mime: 'text/plain',
    sizeBytes,
    ref,
  });
  const files = [file('a.txt', 10), file('big.bin', 1_001), file('b.txt', null), file('no-ref', 5, null)];
  world.meetings.leg.observer.chat(chatOf({ text: 'look', files }));
  const chat = await waitFor('the message', () => events.find((event) => event.type === 'call_chat'));
  expect(chat).toMatchObject({
    text: 'look\n[attachment too large]\n[attachment too large]',
    files: [
      {
        name: 'a.txt',
        sizeBytes: 10,
        url: expect.stringMatching(/^https:\/\/gateway\.example\/api\/files\//),
      },
      { name: 'b.txt', sizeBytes: null },
    ],
  });
  const stored = await world.store.db.selectFrom('files').selectAll().execute();
  expect(stored.map(({ accountId, loginKey, remoteRef }) => [accountId, loginKey, remoteRef])).toEqual([
    ['acc_a', 'bot_a', 'a.txt'],
    ['acc_a', 'bot_a', 'b.txt'],
  ]);
  // The secret in a file's address is not in the feed.
  const [, event] = await feedOf(world);
  expect(event?.file_ids).toEqual(stored.map(({ id }) => id));
  expect(JSON.stringify(event)).not.toContain('gateway.example');
});

it('a message whose files cannot be kept is told without them', async () => {
  const world = await MeetingWorld.open();
  const { events } = await world.meeting();
  await world.store.db.schema.dropTable('attachments').execute();
  await world.store.db.schema.dropTable('files').execute();
  const files = [{ name: 'a', mime: 'text/plain', sizeBytes: 1, ref: 'a' }];
  world.meetings.leg.observer.chat(chatOf({ text: 'look', files }));
  world.meetings.leg.observer.chat(chatOf({ text: 'still there' }));
  await waitFor('both messages', () => events.length === 2);
  expect(events).toMatchObject([{ text: 'look', files: [] }, { text: 'still there' }]);
  expect(world.told).toEqual(['failed: files of a chat message']);
});

it('a flood of chat is bounded per call and counted, and a dropped message may come again', async () => {
  const world = await MeetingWorld.open();
  const { events } = await world.meeting();
  const { observer } = world.meetings.leg;
  // Long messages, of which few are taken: each is stored by itself, in a batch of its own.
  const flood = Array.from({ length: 500 }, () => chatOf({ text: 'x'.repeat(65_536) }));
  for (const message of flood) observer.chat(message);
  const dropped = world.told.length;
  expect(dropped).toBe(500 - 17);
  expect(new Set(world.told)).toEqual(new Set(['full: call_chat']));
  await world.bot('b', 'bot_b');
  await world.place({}, world.scope('b'));
  const other = world.meetings.leg.observer;
  other.answered();
  other.chat(chatOf({ text: 'elsewhere' }));
  expect(world.told).toHaveLength(dropped);
  await waitFor('what was taken', () => events.length === 500 - dropped);
  observer.chat(flood.at(-1)!);
  observer.chat(flood[0]!);
  await waitFor('the last one', () => events.length > 500 - dropped);
  await world.domain.recorder.settled();
  expect(events).toHaveLength(501 - dropped);
});

it('a chat message of 64 KB is told whole, a longer one is cut between characters', async () => {
  const world = await MeetingWorld.open();
  const { events } = await world.meeting();
  const { observer } = world.meetings.leg;
  const whole = `${'é'.repeat(65_535)}!`;
  observer.chat(chatOf({ text: whole, sender: 's'.repeat(65_536), id: 'i'.repeat(65_536) }));
  observer.chat(chatOf({ text: `${whole}more` }));
  observer.chat(chatOf({ text: `${whole.slice(1)}👍`, sender: `${'s'.repeat(255)}👍` }));
  const chats = await waitFor('all', () => events.length === 3 && events);
  expect(chats).toMatchObject([
    { text: whole, sender: 's'.repeat(256) },
    { text: whole },
    { text: whole.slice(1), sender: 's'.repeat(255) },
  ]);
});

it('nothing that a leg reports after the end reaches anybody, but chat received before does', async () => {
  const world = await MeetingWorld.open();
  const { call, events } = await world.meeting();
  const { observer } = world.meetings.leg;
  observer.chat(chatOf({ text: 'last words' }));
  observer.ended('remote', { result: 'completed', reason: 'test' });
  observer.chat(chatOf({ text: 'too late' }));
  observer.participants(people(3));
  observer.speaking({ voiceId: 1, participantId: null }, true);
  observer.said({ speaker: 'Ada', text: 'too late' });
  observer.dtmf('1');
  await waitFor('the chat', () => events.length === 2);
  expect(events.map(({ type }) => type)).toEqual(['call_state', 'call_chat']);
  expect((await feedOf(world)).map(({ type, text }) => text ?? type)).toEqual([
    'call_state',
    'call_state',
    'last words',
  ]);
  expect(call.isOver).toBe(true);
});

it('the calls of one login end with a reason, and no others', async () => {
  const world = await MeetingWorld.open();
  for (const id of ['bot_1', 'bot_2']) await world.bot('a', id);
  await world.bot('b', 'bot_b');
  const first = await world.place({ loginId: 'bot_1' });
  const ringing = world.meetings.ring(world.owner('a'), { kind: 'bot_token', id: 'bot_1' });
  const second = await world.place({ loginId: 'bot_2' });
  const foreign = await world.place({}, world.scope('b'));
  const ended: unknown[] = [];
  first.observe({ event: (event) => ended.push(event) });
  const login = { kind: 'bot_token', id: 'bot_1' } as const;
  // Another account that claims the login ends nothing.
  await hangUpLogin(world.domain, 'acc_b', login, 'stolen');
  expect(first.isOver).toBe(false);
  await hangUpLogin(world.domain, 'acc_a', login, 'the bot was deleted');
  expect(ended).toContainEqual({
    type: 'call_state',
    state: 'ended',
    termination: { result: 'no_answer', reason: 'the bot was deleted' },
  });
  expect(ringing.hungUp).toBe(1);
  expect([second.isOver, foreign.isOver]).toEqual([false, false]);
});

it('ending the calls of a login does not wait for ever for a platform that does not let go', async () => {
  const world = await MeetingWorld.open();
  const { call } = await world.meeting();
  world.meetings.leg.hangUp = () => {};
  let isDone = false;
  const done = hangUpLogin(world.domain, 'acc_a', call.login, 'disconnected').then(() => {
    isDone = true;
  });
  await new Promise(setImmediate);
  expect([call.isOver, isDone]).toEqual([true, false]);
  world.clock.advance(5_000);
  await done;
});
