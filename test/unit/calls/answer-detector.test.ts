import { expect, it } from 'vitest';
import { AnswerDetector } from '../../../src/calls/answer-detector.ts';
import { type AnsweredBy, spokenBy } from '../../../src/calls/answer-words.ts';
import { AnswerListener } from '../../../src/engine/answer-listener.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { type Answer, answers } from '../../support/speech/answers.ts';
import { framesOf } from '../../support/speech-signal.ts';

const RATE_HZ = 8_000;
const FRAME_MS = 20;
/** How long a recognizer takes for a word. */
const RECOGNIZER_MS = 300;

interface Judged {
  readonly answer: Answer;
  readonly verdicts: readonly {
    readonly who: AnsweredBy;
    readonly confidence: number;
    readonly atMs: number;
  }[];
  readonly beepAtMs: number | null;
}

function judge(answer: Answer, hasWords: boolean): Judged {
  const clock = new ManualClock();
  const verdicts: Judged['verdicts'][number][] = [];
  let beepAtMs: number | null = null;
  let nowMs = 0;
  const detector = new AnswerDetector(clock, {
    answeredBy: (who, confidence) => verdicts.push({ who, confidence, atMs: nowMs }),
    beep: () => (beepAtMs ??= nowMs),
  });
  const listener = new AnswerListener(RATE_HZ, (fact) => detector.heard(fact));
  let heard = 0;
  for (const frame of framesOf(answer.samples, RATE_HZ)) {
    nowMs += FRAME_MS;
    clock.advance(FRAME_MS);
    listener.take(frame);
    const until = answer.words.filter(({ endMs }) => endMs + RECOGNIZER_MS <= nowMs).length;
    if (hasWords && until > heard)
      detector.understood(
        answer.words
          .slice(0, until)
          .map(({ text }) => text)
          .join(' '),
        false,
      );
    heard = until;
  }
  detector.close();
  return { answer, verdicts, beepAtMs };
}

/** Whether it was told who answered, and nobody else, within 2.5 s of the end of the greeting. */
function isRight({ answer, verdicts }: Judged): boolean {
  const known = verdicts.filter(({ who }) => who !== 'unknown' || answer.who === 'unknown');
  return (
    known.length > 0 &&
    known.every(({ who }) => who === answer.who) &&
    known[0]!.atMs <= answer.greetingEndMs + 2_500
  );
}

function mistaken(judged: readonly Judged[]): Judged[] {
  return judged.filter(
    ({ answer, verdicts }) =>
      answer.who === 'human' && verdicts.some(({ who }) => who !== 'human' && who !== 'unknown'),
  );
}

const ALL = answers();

it('recognizes 200 answers with the words of them, and takes none of 100 people for a machine', () => {
  const judged = ALL.map((answer) => judge(answer, true));
  const right = judged.filter(isRight).length;
  console.log(`${right} of ${judged.length} answers are right within 2.5 s of the end of the greeting`);
  expect(ALL.filter(({ who }) => who === 'human')).toHaveLength(100);
  expect(mistaken(judged)).toEqual([]);
  expect(right / judged.length).toBeGreaterThanOrEqual(0.95);
  const heard = judged.filter(({ beepAtMs }) => beepAtMs !== null);
  expect(heard.map(({ answer }) => answer)).toEqual(ALL.filter(({ beepAtMs }) => beepAtMs !== null));
  for (const { answer, beepAtMs } of heard) expect(beepAtMs!).toBeGreaterThan(answer.beepAtMs!);
});

it('without words, no person is taken for a machine, and no machine is surely one before it beeps', () => {
  const judged = ALL.map((answer) => judge(answer, false));
  const right = judged.filter(({ answer, verdicts }) => verdicts.at(-1)?.who === answer.who).length;
  console.log(`without words, ${right} of ${judged.length} are right in the end`);
  expect(mistaken(judged)).toEqual([]);
  for (const { answer, verdicts, beepAtMs } of judged)
    for (const { who, confidence, atMs } of verdicts)
      if (who === 'machine' && confidence >= 0.9) expect(atMs).toBe(beepAtMs ?? answer.who);
});

it.each([
  ['She is not available right now, may I take a message?', null],
  ['He cannot come to the phone, can I help you?', null],
  ['Would you like to leave a message after the tone?', null],
  ['Who is calling, please?', 'screening'],
  ['Guten Tag, hinterlassen Sie eine Nachricht nach dem Ton.', 'machine'],
  ['Laissez votre message après le bip.', 'machine'],
  ['Deje su mensaje después del tono.', 'machine'],
  ['Für den Verkauf drücken Sie die Eins.', 'ivr'],
])('“%s” is said by %s', (text, who) => {
  expect(spokenBy(text)).toBe(who);
});
