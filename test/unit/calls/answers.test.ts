import { describe, expect, it } from 'vitest';
import { requirePeer } from '../../support/require-peer.ts';
import { type Answer, answers, freshAnswers } from '../../support/speech/answers.ts';
import { type Judgement, judge } from './judged-answer.ts';

const IN_TIME_MS = 2_500;
const HANGS_UP = 0.9;

type Judged = Answer & Judgement;

function judged(all: readonly Answer[], hasWords: boolean): Judged[] {
  return all.map((answer) => ({
    ...answer,
    ...judge({ samples: answer.samples, words: hasWords ? answer.words : null }),
  }));
}

/** The last that was told within 2.5 s of the answer. */
function inTime({ verdicts }: Judged): string {
  return verdicts.findLast(({ atMs }) => atMs <= IN_TIME_MS)?.who ?? 'nothing yet';
}

const isMistaken = ({ who, verdicts }: Judged): boolean =>
  who === 'human' && verdicts.some((verdict) => !['human', 'unknown'].includes(verdict.who));

/** Whether `hang_up` would hang up on somebody who is no machine. */
const isHungUp = ({ who, verdicts }: Judged): boolean =>
  !['machine', 'fax'].includes(who) &&
  verdicts.some((each) => ['machine', 'fax'].includes(each.who) && each.confidence >= HANGS_UP);

function report(name: string, all: readonly Judged[]): { readonly inTime: number; readonly atLast: number } {
  const right = all.filter((each) => inTime(each) === each.who);
  const atLast = all.filter(({ who, verdicts }) => verdicts.at(-1)?.who === who);
  const kinds = Map.groupBy(all, ({ who }) => who);
  const shares = [...kinds].map(
    ([who, own]) => `${who} ${own.filter((each) => right.includes(each)).length}/${own.length}`,
  );
  const wrong = all.filter((each) => ![each.who, 'nothing yet'].includes(inTime(each))).length;
  console.log(
    `${name}: of ${all.length}, ${right.length} right 2.5 s after the answer (${shares.join(', ')}), ${wrong} wrong, ` +
      `the rest not yet known; ${atLast.length} right in the end, 95 % of these within ${p95Ms(atLast)} ms`,
  );
  return { inTime: right.length / all.length, atLast: atLast.length / all.length };
}

/** When those who are right in the end were first told so. */
function p95Ms(all: readonly Judged[]): number {
  const times = all.map(({ who, verdicts }) => verdicts.find((verdict) => verdict.who === who)!.atMs);
  return times.sort((one, other) => one - other)[Math.floor(0.95 * times.length)]!;
}

describe.skipIf(requirePeer('espeak-ng', 'sox')).each([
  ['those that all was chosen by', false],
  ['those held out', true],
] as const)('200 answers, %s', (name, held) => {
  const all = answers(held);

  it('with their words', () => {
    const told = judged(all, true);
    const { inTime: early, atLast } = report(`${name}, with words`, told);
    expect(told.filter(({ who }) => who === 'human')).toHaveLength(100);
    expect(told.filter(isMistaken).map(({ text, verdicts }) => [text, verdicts])).toEqual([]);
    expect(told.filter(isHungUp)).toEqual([]);
    // Many begin alike: a name, thanks for the call. Nobody is guessed to be a machine by that.
    expect(early).toBeGreaterThanOrEqual(0.8);
    expect(atLast).toBeGreaterThanOrEqual(0.95);
  });

  it('without words', () => {
    const told = judged(all, false);
    const { atLast } = report(`${name}, without words`, told);
    expect(told.filter(isMistaken).map(({ text, verdicts }) => [text, verdicts])).toEqual([]);
    expect(told.filter(isHungUp)).toEqual([]);
    expect(atLast).toBeGreaterThanOrEqual(0.7);
  });
});

describe.skipIf(requirePeer('espeak-ng', 'sox'))('60 answers that were kept for the end', () => {
  const all = freshAnswers();

  it('with their words', () => {
    const told = judged(all, true);
    const { inTime: early, atLast } = report('fresh ones, with words', told);
    expect(told).toHaveLength(60);
    expect(told.filter(isHungUp)).toEqual([]);
    expect(told.filter(isMistaken).length).toBeLessThanOrEqual(1);
    expect(early).toBeGreaterThanOrEqual(0.7);
    expect(atLast).toBeGreaterThanOrEqual(0.9);
  });
});
