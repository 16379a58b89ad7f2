import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SpeechTurns } from '../../../../src/speech/vad/speech-turns.ts';

const TIMES = { startAfterMs: 100, endAfterMs: 200 };

/** The frames at which something changed, by their number. */
function changes(frames: string): string[] {
  const turns = new SpeechTurns(TIMES);
  return [...frames].flatMap((frame, i) => {
    const change = turns.take(frame === 'v');
    return change === null ? [] : [`${change} ${i}`];
  });
}

it('speech starts with enough voiced frames and ends with enough others in a row', () => {
  expect(changes('vvvv')).toEqual([]);
  expect(changes('vvvvv')).toEqual(['started 4']);
  expect(changes(`vvvvv${'.'.repeat(9)}`)).toEqual(['started 4']);
  expect(changes(`vvvvv${'.'.repeat(10)}`)).toEqual(['started 4', 'ended 14']);
  expect(changes(`vvvvv${'.'.repeat(9)}v${'.'.repeat(10)}vvvvv`)).toEqual([
    'started 4',
    'ended 24',
    'started 29',
  ]);
});

it('single voiced frames do not add up to speech, and single gaps do not prevent it', () => {
  expect(changes('v.'.repeat(1_000))).toEqual([]);
  expect(changes('vv.'.repeat(1_000))).toEqual(['started 10']);
});

it('speech starts and ends in turn', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { maxLength: 300 }), (frames) => {
      const turns = new SpeechTurns(TIMES);
      let isSpeaking = false;
      for (const frame of frames) {
        const change = turns.take(frame);
        if (change !== null) {
          expect(change).toBe(isSpeaking ? 'ended' : 'started');
          isSpeaking = change === 'started';
        }
        expect(turns.isSpeaking).toBe(isSpeaking);
      }
    }),
  );
});
