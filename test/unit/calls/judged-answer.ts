import { AnswerDetector } from '../../../src/calls/answer-detector.ts';
import type { AnsweredBy } from '../../../src/calls/answer-words.ts';
import { AnswerListener } from '../../../src/engine/answer-listener.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { framesOf } from '../../support/speech-signal.ts';

export const RATE_HZ = 8_000;
const FRAME_MS = 20;
/** How long a recognizer takes for a word. */
const RECOGNIZER_MS = 300;

/** What is heard, and the words of it with the times at which they are over, in ms. Null: nobody understands them. */
export interface Heard {
  readonly samples: Int16Array;
  readonly words: readonly { readonly text: string; readonly endMs: number }[] | null;
}

/** Times are in ms from the answer. */
export interface Judgement {
  readonly verdicts: readonly Verdict[];
  readonly beepAtMs: number | null;
}

export interface Verdict {
  readonly who: AnsweredBy;
  readonly confidence: number;
  readonly atMs: number;
}

/** Returns what is told of an answer, by a listener and a detector as they are. */
export function judge({ samples, words }: Heard): Judgement {
  const clock = new ManualClock();
  const verdicts: Verdict[] = [];
  let beepAtMs: number | null = null;
  let nowMs = 0;
  const detector = new AnswerDetector(clock, {
    answeredBy: (who, confidence) => verdicts.push({ who, confidence, atMs: nowMs }),
    beep: () => (beepAtMs ??= nowMs),
  });
  const listener = new AnswerListener(RATE_HZ, (fact) => detector.heard(fact));
  let understood = 0;
  for (const frame of framesOf(samples, RATE_HZ)) {
    nowMs += FRAME_MS;
    clock.advance(FRAME_MS);
    listener.take(frame);
    const until = words?.filter(({ endMs }) => endMs + RECOGNIZER_MS <= nowMs) ?? [];
    if (until.length > understood) detector.understood(until.map(({ text }) => text).join(' '), false);
    understood = until.length;
  }
  detector.close();
  return { verdicts, beepAtMs };
}
