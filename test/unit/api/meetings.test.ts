import { expect, it } from 'vitest';
import { waitFor } from '../../support/wait-for.ts';
import { meetingServer } from './meeting-server.ts';

const JOIN = { platform: 'discord', meeting_url: 'https://m.example/1' };
const PCM = Buffer.alloc(1_920);

async function server() {
  const opened = await meetingServer();
  await opened.world.bot('a', 'bot_a');
  return opened;
}

it('several logins are named to their agent, which chooses one', async () => {
  const { a, b, world } = await server();
  await world.bot('a', 'bot_2', { botName: 'Second' });
  await world.bot('b', 'bot_b');
  expect(await a.post('/api/call', JOIN)).toMatchObject({
    status: 400,
    body: {
      detail:
        'Several discord logins can place this call; choose one with login_id: bot_2 (Second), bot_a (Bot bot_a)',
      code: 'login_ambiguous',
    },
  });
  expect((await a.post('/api/call', { ...JOIN, login_id: 'bot_2' })).status).toBe(200);
  const unknown = await a.post('/api/call', { ...JOIN, login_id: 'bot_none' });
  const foreign = await a.post('/api/call', { ...JOIN, login_id: 'bot_b' });
  expect([foreign.status, foreign.body]).toEqual([404, unknown.body]);
  expect((await b.post('/api/call', JOIN)).status).toBe(200);
  expect((await a.post('/api/call', { ...JOIN, login_id: 'x'.repeat(65) })).status).toBe(422);
});

it('a meeting may be without a URL where the login can make one', async () => {
  const { a, world } = await server();
  expect((await a.post('/api/call', { platform: 'discord' })).body).toMatchObject({ meeting_url: '' });
  expect(world.meetings.leg.request?.target).toBe('');
});

it.each([
  [['audio_in', 'audio_out'], 'bidirectional'],
  [['audio_in', 'read'], 'receive'],
  [['audio_out'], 'send'],
  [['read', 'write'], 'none'],
] as const)('a call that offers %s has the audio direction %s', async (capabilities, direction) => {
  const { a, world } = await server();
  world.meetings.offer = { capabilities, sampleRateHz: 48_000 };
  const { body } = await a.post('/api/call', JOIN);
  expect(body).toMatchObject({ capabilities, audio: { direction, sample_rate: 48_000, frame_bytes: 1_920 } });
  const { body: status } = await a.get(`/api/call/${body.call_id}`);
  expect(status).toMatchObject({ capabilities, audio: { direction } });
});

it('who opens a WebSocket learns of the lobby and of those who are there', async () => {
  const { a, world, onCall, onInbox } = await server();
  const { body } = await a.post('/api/call', JOIN);
  const inbox = await onInbox();
  const path = `/api/call/${body.call_id}`;
  const early = await onCall(body.call_id);
  expect(early.all).toEqual([{ type: 'call_state', state: 'connecting' }]);
  const { observer } = world.meetings.leg;
  const participants = [{ id: 'u1', name: 'Ada' }];
  observer.waiting('in the lobby');
  observer.participants(participants);
  const opening = [
    { type: 'call_state', state: 'connecting' },
    { type: 'call_waiting', reason: 'in the lobby' },
    { type: 'call_participants', participants },
  ];
  expect(await early.count(3)).toEqual(opening);
  expect(await (await onCall(body.call_id)).count(3)).toEqual(opening);
  expect(await inbox.of('call_waiting')).toMatchObject({
    call_id: body.call_id,
    state: 'connecting',
    reason: 'in the lobby',
  });
  expect((await a.get(path)).body).toMatchObject({ waiting_reason: 'in the lobby', participants });
  const { calls } = (await a.get('/api/calls')).body;
  expect(calls).toMatchObject([{ waiting_reason: 'in the lobby' }]);
  expect(calls[0]).not.toHaveProperty('participants');
  observer.answered();
  const { body: active } = await a.get(path);
  expect(active.state).toBe('active');
  expect(active).not.toHaveProperty('waiting_reason');
  observer.speaking({ voiceId: 1, participantId: 'u1' }, true);
  expect(await early.of('call_speaking')).toEqual({
    type: 'call_speaking',
    voice_id: 1,
    participant_id: 'u1',
    name: 'Ada',
    speaking: true,
  });
});

it('audio on a call that takes none is refused once, until the call takes it', async () => {
  const { a, world, onCall } = await server();
  world.meetings.offer = { capabilities: ['audio_in'], sampleRateHz: 48_000 };
  const { body } = await a.post('/api/call', JOIN);
  const { observer } = world.meetings.leg;
  observer.answered();
  const stream = await onCall(body.call_id);
  for (let i = 0; i < 100; i++) stream.socket.send(PCM);
  stream.send({ type: 'audio', audio: PCM.toString('base64') });
  stream.send({ type: 'audio_config' });
  await stream.of('audio_config');
  expect(stream.all.filter(({ type }) => type === 'call_error')).toEqual([
    {
      type: 'call_error',
      code: 'capability_missing',
      message: "This call takes no audio (capability 'audio_out'); yours is dropped",
    },
  ]);
  expect(world.audio.writes).toBe(0);
  observer.capabilities(['audio_in', 'audio_out']);
  expect(await stream.of('call_capabilities')).toEqual({
    type: 'call_capabilities',
    capabilities: ['audio_in', 'audio_out'],
    direction: 'bidirectional',
  });
  stream.socket.send(PCM);
  await waitFor('the audio', () => world.audio.writes === 1);
  // Taken away again: it is said again.
  observer.capabilities(['audio_in']);
  stream.socket.send(PCM);
  await waitFor(
    'a second refusal',
    () => stream.all.filter(({ type }) => type === 'call_error').length === 2,
  );
});

it('audio of a call that gives none cannot be received, and the answer says so', async () => {
  const { a, world, onCall } = await server();
  world.meetings.offer = { capabilities: ['audio_out'], sampleRateHz: 48_000 };
  const { body } = await a.post('/api/call', JOIN);
  const stream = await onCall(body.call_id);
  for (const receive of [true, true]) stream.send({ type: 'audio_config', sample_rate: 16_000, receive });
  const frames = await stream.count(4);
  expect(frames.slice(1)).toMatchObject([
    {
      type: 'call_error',
      code: 'capability_missing',
      message: "There is no audio to receive on this call (capability 'audio_in')",
    },
    { type: 'audio_config', sample_rate: 16_000 },
    { type: 'audio_config', sample_rate: 16_000 },
  ]);
  expect(world.audio.listens).toEqual([]);
  stream.socket.send(PCM);
  await waitFor('its audio', () => world.audio.writes === 1);
});

it('a chat message sent on the WebSocket is sent, and a failure comes back', async () => {
  const { a, world, onCall } = await server();
  const { body } = await a.post('/api/call', JOIN);
  const stream = await onCall(body.call_id);
  stream.send({ type: 'send_chat', text: 'early' });
  expect(await stream.of('call_error')).toMatchObject({ code: 'call_not_active' });
  const { leg } = world.meetings;
  leg.observer.answered();
  leg.answers.push(async () => ({ kind: 'refused', reason: 'slow mode' }));
  stream.send({ type: 'send_chat', text: 'refused' });
  await waitFor('the refusal', () => stream.all.find(({ code }) => code === 'send_failed'));
  expect(stream.all.at(-1)).toMatchObject({ message: 'Failed to send message: slow mode' });
  stream.send({ type: 'send_chat', text: 'Hello' });
  await waitFor('the message', () => leg.sent.length === 1);
  expect(leg.sent).toEqual([{ text: 'Hello', senderName: 'AI Agent', files: [] }]);
});
