import { expect, it } from 'vitest';
import { lineOf } from '../../support/speech/recognized-line.ts';
import { waitFor } from '../../support/wait-for.ts';
import { type Frames, meetingServer } from './meeting-server.ts';

const JOIN = { platform: 'discord', meeting_url: 'https://m.example/1' };

/** A meeting with two clients, of which the first has asked for interim results. */
async function scene() {
  const server = await meetingServer();
  await server.world.bot('a', 'bot_a');
  const { call_id } = (await server.a.post('/api/call', JOIN)).body;
  server.world.meetings.leg.observer.answered();
  const call = server.world.domain.registry.find(call_id)!;
  const [curious, plain] = [await server.onCall(call_id), await server.onCall(call_id)];
  curious.send({ type: 'transcript_config', interim: true });
  expect(await curious.of('transcript_config')).toEqual({ type: 'transcript_config', interim: true });
  return { ...server, call, call_id, curious, plain };
}

const transcriptsOf = ({ all }: Frames) => all.filter(({ type }) => type === 'call_transcript');

it('interim results go to those who ask, and final ones to everybody', async () => {
  const { a, call, call_id, curious, plain } = await scene();
  expect(call.interims.isWanted).toBe(true);
  call.interims.tell(lineOf('Ada', 'good mor', { startMs: 100, endMs: 600, language: 'en' }));
  call.transcribed(lineOf('Ada', 'Good morning.', { startMs: 100, endMs: 900, confidence: 0.97 }));
  await waitFor('both lines', () => transcriptsOf(curious).length === 2 && transcriptsOf(plain).length === 1);
  const type = 'call_transcript';
  expect(transcriptsOf(curious)).toEqual([
    {
      type,
      speaker: 'Ada',
      text: 'good mor',
      is_final: false,
      start_ms: 100,
      end_ms: 600,
      confidence: null,
      language: 'en',
    },
    {
      type,
      speaker: 'Ada',
      text: 'Good morning.',
      is_final: true,
      start_ms: 100,
      end_ms: 900,
      confidence: 0.97,
      language: null,
    },
  ]);
  expect(transcriptsOf(plain)).toEqual([{ type, speaker: 'Ada', text: 'Good morning.' }]);
  const { body } = await a.get(`/api/call/${call_id}`);
  expect([body.transcript, body.transcript_length]).toEqual([['[Ada] Good morning.'], 1]);
});

it('a client that no longer asks, or is gone, gets none', async () => {
  const { call, curious, plain } = await scene();
  plain.send({ type: 'transcript_config', interim: true });
  plain.send({ type: 'transcript_config', interim: true });
  plain.send({ type: 'transcript_config' });
  plain.send({ type: 'transcript_config', interim: false });
  plain.send({ type: 'transcript_config', interim: 1 });
  await plain.of('call_error');
  expect(plain.all.slice(1)).toEqual([
    ...[true, true, true, false].map((interim) => ({ type: 'transcript_config', interim })),
    { type: 'call_error', code: 'invalid_message', message: expect.stringContaining('interim') },
  ]);
  curious.socket.close();
  await waitFor('nobody wants them', () => !call.interims.isWanted);
  call.interims.tell(lineOf('Ada', 'nobody hears'));
  call.transcribed(lineOf('Ada', 'Done.'));
  await plain.of('call_transcript');
  expect(transcriptsOf(plain)).toEqual([{ type: 'call_transcript', speaker: 'Ada', text: 'Done.' }]);
});

it('a call that is over keeps its transcript, for its own account only', async () => {
  const { a, b, call, call_id, world, onInbox } = await scene();
  const inbox = await onInbox();
  call.transcribed(lineOf('Ada', 'Bye.'));
  world.meetings.leg.observer.ended('lost', { result: 'disconnected', reason: 'lost' });
  const { body } = await a.get(`/api/call/${call_id}`);
  expect(body).toMatchObject({ state: 'disconnected', transcript: ['[Ada] Bye.'], transcript_length: 1 });
  expect((await a.get(`/api/call/${call_id}?since=1`)).body).toMatchObject({ transcript: [] });
  expect((await b.get(`/api/call/${call_id}`)).status).toBe(404);
  expect(await inbox.of('call_transcript')).toMatchObject({ call_id, state: 'active', text: 'Bye.' });
});
