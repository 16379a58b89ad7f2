import { expect, it, vi } from 'vitest';
import { LocalSpeechError } from '../../../../src/speech/local/local-speech-error.ts';
import {
  LocalTts,
  localSynthesizer,
  type SpeechRequest,
} from '../../../../src/speech/local/local-synthesizer.ts';
import { roomForAll } from '../../../support/speech/room-for-all.ts';

/** The engine, played by the test: each text is spoken as samples of its length once the test lets it. */
function world(options: Record<string, string> = {}) {
  const tts = new LocalTts(roomForAll);
  const asked: (SpeechRequest & { settle(error?: Error): void })[] = [];
  vi.spyOn(tts, 'speak').mockImplementation(async function* (request) {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    asked.push({ ...request, settle: (error) => (error ? reject(error) : resolve()) });
    await promise;
    yield new Int16Array(request.text.length);
  });
  const reported: unknown[][] = [];
  const report =
    (name: string) =>
    (...args: unknown[]) =>
      void reported.push([name, ...args]);
  const synthesizer = localSynthesizer({ url: '', key: '', options }, tts, {
    audio: (utteranceId, data) => void reported.push(['audio', utteranceId, data.length]),
    aligned: report('aligned'),
    ended: report('ended'),
    failed: report('failed'),
    disconnected: report('disconnected'),
    reconnected: report('reconnected'),
  });
  return {
    synthesizer,
    reported,
    speak: (utteranceId: string, text: string, isLast = true) =>
      synthesizer.speak({ utteranceId, text, isLast }),
    /** Resolves when the engine has been asked for so many texts. */
    async asked(count: number) {
      await vi.waitFor(() => expect(asked.length).toBe(count));
      return asked[count - 1]!;
    },
  };
}

it('pieces are spoken one after the other, in their order', async () => {
  const { asked, reported, speak } = world();
  speak('one', 'a', false);
  speak('one', 'bb');
  speak('two', 'ccc');
  for (const [i, text] of ['a', 'bb', 'ccc'].entries()) {
    const piece = await asked(i + 1);
    expect(piece).toMatchObject({ text, voice: 'slt' });
    piece.settle();
  }
  await vi.waitFor(() => expect(reported.length).toBe(5));
  expect(reported).toEqual([
    ['audio', 'one', 2],
    ['audio', 'one', 4],
    ['ended', 'one'],
    ['audio', 'two', 6],
    ['ended', 'two'],
  ]);
});

it('of a cancelled utterance nothing more is reported, and the next one is spoken', async () => {
  const { asked, reported, speak, synthesizer } = world();
  speak('one', 'a', false);
  speak('one', 'b');
  speak('two', 'c');
  const first = await asked(1);
  synthesizer.cancel('one');
  expect(first.signal.aborted).toBe(true);
  first.settle();
  // The engine is asked for it, and finds it cancelled.
  const second = await asked(2);
  expect(second.signal.aborted).toBe(true);
  second.settle();
  (await asked(3)).settle();
  await vi.waitFor(() => expect(reported.length).toBe(2));
  expect(reported).toEqual([
    ['audio', 'two', 2],
    ['ended', 'two'],
  ]);
});

it.each([
  ['busy', 'session_cap'],
  ['timed_out', 'unreachable'],
  ['failed', 'refused'],
] as const)('an utterance fails when the engine is %s, and the next one is spoken', async (problem, kind) => {
  const { asked, reported, speak } = world();
  speak('one', 'a', false);
  speak('one', 'b');
  speak('two', 'c');
  (await asked(1)).settle(new LocalSpeechError(problem, 'the reason'));
  (await asked(2)).settle();
  (await asked(3)).settle();
  await vi.waitFor(() => expect(reported.length).toBe(3));
  expect(reported).toEqual([
    ['failed', 'one', { kind, words: 'the reason' }],
    ['audio', 'two', 2],
    ['ended', 'two'],
  ]);
});

it('closing ends all utterances at once', async () => {
  const { asked, reported, speak, synthesizer } = world();
  speak('one', 'a');
  speak('two', 'b');
  const first = await asked(1);
  await synthesizer.close();
  first.settle();
  const second = await asked(2);
  second.settle();
  expect([first.signal.aborted, second.signal.aborted]).toEqual([true, true]);
  await new Promise(setImmediate);
  expect(reported).toEqual([]);
});

it.each([
  ['awb', 'awb'],
  ['nobody', 'slt'],
])('the voice %j of a preset is spoken with %s', async (voice, used) => {
  const { asked, speak } = world({ voice });
  speak('one', 'a');
  expect((await asked(1)).voice).toBe(used);
});
