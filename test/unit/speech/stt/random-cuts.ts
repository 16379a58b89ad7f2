import type { Recognizer } from '../../../../src/speech/stt/recognizer.ts';
import { VOCABULARY } from '../../../fakes/tone-speech.ts';
import { SeededRandom } from '../../../support/seeded-random.ts';
import type { FastClock } from '../fast-clock.ts';
import { Speaker } from './speaker.ts';

const UTTERANCES = 6;
const MAX_WORDS = 4;
const MAX_CUTS = 2;
/** Longer than any vendor waits for the end of a turn. */
const MIN_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 1_400;

/** FULL_CUTS=1: more than a thousand cuts. */
export const CUT_SESSIONS = process.env.FULL_CUTS ? 800 : 20;
/** Sessions at the same time. */
const BATCH = 40;

/** Runs all sessions, some at a time. `session` gets the number of each. */
export async function inBatches<Result>(session: (seed: number) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  while (results.length < CUT_SESSIONS) {
    const length = Math.min(BATCH, CUT_SESSIONS - results.length);
    results.push(...(await Promise.all(Array.from({ length }, (_, at) => session(results.length + at)))));
  }
  return results;
}

export interface CutSession {
  readonly recognizer: Recognizer;
  readonly clock: FastClock;
  readonly seed: number;
  /** Cuts the connection. */
  cut(): void;
}

/** Speaks while the connection is cut at random, closes, and returns what was said. */
export async function speakWithCuts({ recognizer, clock, seed, cut }: CutSession): Promise<string[]> {
  const random = new SeededRandom(seed);
  const said = Array.from({ length: UTTERANCES }, () => {
    return Array.from({ length: 1 + random.below(MAX_WORDS) }, () => random.pick(VOCABULARY)).join(' ');
  });
  const lengthMs = said.join(' ').split(' ').length * 300 + UTTERANCES * MIN_PAUSE_MS;
  const cancels = Array.from({ length: 1 + random.below(MAX_CUTS) }, () =>
    clock.after(random.below(lengthMs), cut),
  );
  const speaker = new Speaker(recognizer, clock);
  for (const text of said) {
    await speaker.say(text, 300);
    recognizer.flush();
    await speaker.say('', MIN_PAUSE_MS - 300 + random.below(MAX_PAUSE_MS - MIN_PAUSE_MS));
  }
  // What a late cut holds back is spoken again.
  await speaker.say('', 6_000);
  for (const cancel of cancels) cancel();
  await recognizer.close();
  return said;
}
