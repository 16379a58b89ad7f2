import { expect, it } from 'vitest';
import { GatewayError } from '../../../src/base/errors.ts';
import { waitFor } from '../../support/wait-for.ts';
import { chatOf } from '../calls/fake-meetings.ts';
import { meetingServer } from './meeting-server.ts';

/** A call in a meeting, placed by the agent of account `a`. */
async function inMeeting({ isActive = true } = {}) {
  const server = await meetingServer();
  const { world, a } = server;
  await world.bot('a', 'bot_a');
  const { status, body } = await a.post('/api/call', {
    platform: 'discord',
    meeting_url: 'https://m.example/1',
  });
  expect(status).toBe(200);
  if (isActive) world.meetings.leg.observer.answered();
  const path = `/api/call/${body.call_id}`;
  const chat = (message: unknown, api = a) => api.post(`${path}/chat`, message);
  const typing = (api = a) => api.post(`${path}/typing`);
  return { ...server, callId: body.call_id as string, path, leg: world.meetings.leg, chat, typing };
}

it('sends a message as the agent, or under another name', async () => {
  const { chat, leg } = await inMeeting();
  expect(await chat({ text: 'Hello' })).toMatchObject({ status: 200, body: { status: 'ok' } });
  await chat({ text: 'Hi', sender_name: 'Ada' });
  expect(leg.sent).toEqual([
    { text: 'Hello', senderName: 'AI Agent', files: [] },
    { text: 'Hi', senderName: 'Ada', files: [] },
  ]);
});

it('sends files, with the text as caption of the first', async () => {
  const { chat, leg } = await inMeeting();
  const attachments = [
    { bytes_b64: Buffer.from('one').toString('base64'), name: 'one.txt', mime: 'text/plain' },
    { bytes_b64: Buffer.from('two').toString('base64'), name: 'two.txt', mime: 'text/plain' },
  ];
  expect((await chat({ attachments, text: 'both' })).status).toBe(200);
  const [message] = leg.sent;
  expect(message).toMatchObject({
    text: 'both',
    files: [{ name: 'one.txt', sizeBytes: 3 }, { name: 'two.txt' }],
  });
  const bytes: Uint8Array[] = [];
  for await (const chunk of message!.files[0]!.open()) bytes.push(chunk);
  expect(`${Buffer.concat(bytes)}`).toBe('one');
});

it('sends no file of another account', async () => {
  const { chat, leg, b } = await inMeeting();
  const file = { bytes_b64: 'AAAA', name: 'secret', mime: 'text/plain' };
  const { body: foreign } = await b.post('/api/files', file);
  expect(await chat({ attachments: [{ file_id: foreign.file_id }] })).toMatchObject({
    status: 403,
    body: { detail: 'File belongs to another user', code: 'file_not_yours' },
  });
  expect(leg.sent).toEqual([]);
});

it('is refused on a call that offers no chat, in the words of the API', async () => {
  const { chat, typing, leg, world } = await inMeeting();
  leg.observer.capabilities(['audio_in', 'write']);
  expect((await typing()).body).toEqual({
    detail: "The discord platform has no typing indicators (capability 'typing')",
    code: 'capability_missing',
  });
  const attachments = [{ bytes_b64: 'AAAA', name: 'a', mime: 'text/plain' }];
  expect(await chat({ text: 'a', attachments })).toMatchObject({
    status: 400,
    body: {
      detail: "The discord platform has no files in its chat (capability 'files')",
      code: 'capability_missing',
    },
  });
  expect(await world.store.db.selectFrom('files').selectAll().execute()).toEqual([]);
  expect((await chat({ text: 'a' })).status).toBe(200);
  leg.observer.capabilities(['audio_in']);
  expect(await chat({ text: 'a' })).toMatchObject({
    status: 400,
    body: { detail: "The discord platform has no chat (capability 'write')", code: 'capability_missing' },
  });
});

it('is refused before the call is active, and on a call that is over', async () => {
  const { chat, typing, leg, a, path } = await inMeeting({ isActive: false });
  for (const early of [await chat({ text: 'a' }), await typing()])
    expect(early).toMatchObject({
      status: 409,
      body: { detail: 'Call is not active', code: 'call_not_active' },
    });
  leg.observer.answered();
  expect((await chat({ text: 'a' })).status).toBe(200);
  await a.delete(path);
  for (const late of [await chat({ text: 'a' }), await typing()])
    expect(late).toMatchObject({ status: 404, body: { detail: 'Call not found', code: 'call_not_found' } });
  expect(leg.sent).toHaveLength(1);
});

it('of another account answers 404', async () => {
  const { chat, typing, leg, b, onCall, callId } = await inMeeting();
  expect((await chat({ text: 'a' }, b)).body).toEqual({ detail: 'Call not found', code: 'call_not_found' });
  expect((await typing(b)).status).toBe(404);
  await expect(onCall(callId, 'svc_b')).rejects.toThrow('404');
  expect([leg.sent, leg.typed]).toEqual([[], 0]);
});

it('reports a refusal of the platform in its words, and an unknown outcome as such', async () => {
  const { chat, leg, world } = await inMeeting();
  leg.answers.push(
    async () => ({ kind: 'refused', reason: 'slow mode' }),
    async () => ({ kind: 'unknown', reason: 'connection reset' }),
    async () => {
      throw new GatewayError('platform_not_connected');
    },
    async () => {
      throw new TypeError('a bug');
    },
  );
  const words = [];
  for (let i = 0; i < 4; i++) {
    const { status, body } = await chat({ text: 'a' });
    words.push(`${status} ${body.detail}`);
  }
  expect(words).toEqual([
    '502 Failed to send message: slow mode',
    '502 Failed to send message: connection reset; the message may still have arrived',
    '409 No active WebSocket connection',
    '502 Failed to send message: an internal error; the message may still have arrived',
  ]);
  expect(world.told).toEqual(['leg: TypeError: a bug']);
  expect((await chat({ text: 'x'.repeat(2_001) })).body).toEqual({
    detail: 'Failed to send message: too long',
    code: 'send_failed',
  });
});

it('answers 409 while the platform’s own connection is down', async () => {
  const { a, world } = await inMeeting();
  world.meetings.isConnected = false;
  expect(
    await a.post('/api/call', { platform: 'discord', meeting_url: 'https://m.example/1' }),
  ).toMatchObject({
    status: 409,
    body: { detail: 'No active WebSocket connection', code: 'platform_not_connected' },
  });
});

it('has a deadline, and does not send what waited too long', async () => {
  const { chat, typing, leg, world } = await inMeeting();
  const signals: AbortSignal[] = [];
  leg.answers.push((_message, signal) => {
    signals.push(signal);
    return new Promise(() => {});
  });
  leg.type = () => new Promise(() => {});
  const [stuck, waiting] = [chat({ text: 'stuck' }), chat({ text: 'waiting' })];
  const shown = [typing(), typing()];
  await waitFor('both', () => signals.length === 1 && leg.typed === 1);
  // The second message has to wait for the first one.
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(leg.typed).toBe(1);
  world.clock.advance(25_000);
  expect(await stuck).toMatchObject({
    status: 504,
    body: {
      detail: 'The platform did not answer in time; the message may still have arrived',
      code: 'deadline_exceeded',
    },
  });
  expect(await waiting).toMatchObject({
    status: 504,
    body: { detail: 'Earlier messages took too long; nothing was sent', code: 'deadline_exceeded' },
  });
  for (const { status } of await Promise.all(shown)) expect(status).toBe(504);
  expect(signals[0]!.aborted).toBe(true);
  expect(leg.sent).toEqual([]);
  // Nothing is left behind.
  expect((await chat({ text: 'next' })).status).toBe(200);
  expect(leg.sent.map(({ text }) => text)).toEqual(['next']);
});

it('sends messages one at a time and in order, and keeps few waiting', async () => {
  const { leg, world, callId, onCall } = await inMeeting();
  const gate = Promise.withResolvers<void>();
  let atOnce = 0;
  let most = 0;
  const order: string[] = [];
  for (let i = 0; i < 16; i++)
    leg.answers.push(async ({ text }) => {
      most = Math.max(most, ++atOnce);
      await gate.promise;
      order.push(text);
      atOnce -= 1;
      return { kind: 'sent' };
    });
  const stream = await onCall(callId);
  for (let i = 0; i < 40; i++) stream.send({ type: 'send_chat', text: `${i}` });
  await waitFor('refusals', () => stream.all.filter(({ type }) => type === 'call_error').length === 24);
  expect(stream.all.at(-1)).toMatchObject({ code: 'too_many_messages' });
  gate.resolve();
  await waitFor('the others', () => order.length === 16);
  expect(order).toEqual(Array.from({ length: 16 }, (_, i) => `${i}`));
  expect(most).toBe(1);
  expect(world.told).toEqual([]);
});

it('reaches the call WebSocket, the inbox and its WebSocket, with addresses of files', async () => {
  const { a, b, callId, leg, onCall, onInbox } = await inMeeting();
  const { body: start } = await a.get('/api/inbox');
  const [stream, inbox, foreign] = [await onCall(callId), await onInbox(), await onInbox('svc_b')];
  const files = [{ name: 'a.txt', mime: 'text/plain', sizeBytes: 3, ref: 'ref' }];
  const sentAt = '2030-01-01T00:00:00.000Z';
  leg.observer.chat(chatOf({ text: 'look', files, sentAt }));
  const told = await stream.of('call_chat');
  const attachment = {
    name: 'a.txt',
    mime: 'text/plain',
    size: 3,
    url: expect.stringMatching(/^https:\/\/gateway\.example\/api\/files\/[\w-]{20,}$/),
  };
  const common = { type: 'call_chat', sender: 'Ada', text: 'look', sent_at: sentAt };
  expect(told).toEqual({ ...common, attachments: [attachment] });
  const event = {
    ...common,
    call_id: callId,
    state: 'active',
    attachments: told.attachments,
    event_id: expect.any(String),
    created_at: expect.any(String),
  };
  expect(await inbox.of('call_chat')).toEqual({ ...event, cursor: expect.any(String) });
  const { body } = await a.get(`/api/inbox?last_message_cursor=${encodeURIComponent(start.cursor)}`);
  expect(body.events.at(-1)).toEqual(event);
  leg.observer.chat(chatOf({ text: 'no files' }));
  expect(
    await waitFor('the next', () => inbox.all.find(({ text }) => text === 'no files')),
  ).not.toHaveProperty('attachments');
  expect(foreign.all.map(({ type }) => type)).toEqual(['ready']);
  expect((await b.get(`/api/inbox?last_message_cursor=${sentAt}`)).body.events).toBeUndefined();
});

it('reports a file that is gone no more', async () => {
  const { a, leg, world } = await inMeeting();
  const { body: start } = await a.get('/api/inbox');
  const files = [{ name: 'a.txt', mime: 'text/plain', sizeBytes: 3, ref: 'ref' }];
  leg.observer.chat(chatOf({ text: 'look', files }));
  const delta = async () =>
    (await a.get(`/api/inbox?last_message_cursor=${encodeURIComponent(start.cursor)}`)).body.events?.at(-1);
  expect(await waitFor('it', async () => (await delta())?.type === 'call_chat' && delta())).toMatchObject({
    attachments: [{ name: 'a.txt' }],
  });
  await world.store.db.deleteFrom('files').execute();
  expect(await delta()).toMatchObject({ text: 'look', attachments: [] });
});
