import { expect, it } from 'vitest';
import { ReadingTime } from '../../../../src/base/reading-time.ts';
import { recognizerBy } from '../../../../src/speech/stt/stream-recognizer.ts';
import type { VendorMessage } from '../../../../src/speech/vendor-message.ts';
import { cartesiaStt } from '../../../../src/speech/vendors/cartesia/cartesia-stt.ts';
import { CommitPairs } from '../../../../src/speech/vendors/elevenlabs/elevenlabs-stt.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { RecordedRecognition } from '../recorded-recognition.ts';
import { VendorServer } from '../vendor-server.ts';

it('Cartesia settles text without end: it is reported before there is silence', async () => {
  const server = await VendorServer.start();
  const recorded = new RecordedRecognition();
  const preset = { url: `http://127.0.0.1:${server.port}`, key: 'key', options: { model: 'ink-whisper' } };
  const clock = new ManualClock();
  const recognizer = recognizerBy(cartesiaStt, {
    clock,
    random: () => 0,
    reader: new ReadingTime(clock).of('acc_a'),
  })(preset, 16_000, recorded);
  await waitFor('the connection', () => server.sockets[0]);
  const result = { type: 'transcript', is_final: true, text: 'word '.repeat(100), duration: 1 };
  for (let i = 0; i < 100; i++) server.sockets[0]?.send(JSON.stringify(result));
  await waitFor('lines', () => recorded.finals.length === 11);
  expect(recorded.texts.every(({ length }) => length < 4_500)).toBe(true);
  const closed = recognizer.close();
  clock.advance(2_000);
  await server.stop();
  await closed;
  expect(recorded.texts.join(' ').split(' ')).toHaveLength(10_000);
});

it('ElevenLabs commits without end, and without times: all but the last eight are passed on', () => {
  const taken: VendorMessage[] = [];
  const pairs = new CommitPairs(new ManualClock(), (message) => taken.push(message));
  const commits = Array.from({ length: 1_000 }, (_, i) => ({ text: `${i}` }));
  for (const commit of commits) pairs.add(commit, false);
  expect(taken).toEqual(commits.slice(0, -8));
  pairs.flush();
  expect(taken).toEqual(commits);
});
