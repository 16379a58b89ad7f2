/**
 * Trains the model of who answers a call by its first words, and writes `src/calls/answer-weights.ts`.
 * `node bench/answers/main.ts`; with `--check`, tells how well it does on lines that it was not trained on, and writes nothing.
 */

import { writeFileSync } from 'node:fs';
import { featuresOf, SPEAKERS, wordsOf } from '../../src/calls/answer-model.ts';
import { answerTexts } from '../../test/support/speech/answer-texts.ts';
import { type GreetingLine, greetingLines, trained, type Weights } from './answer-trainer.ts';

const FILE = new URL('../../src/calls/answer-weights.ts', import.meta.url);
/** Of the weights as they are kept. Features of several words with less in all of them are left out. */
const SCALE = 10;
const LEAST = 2;
const LINE = 500;
const FOLDS = 10;
const THRESHOLDS = [0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.98, 0.99];
const LENGTHS = [2, 3, 4, 5, 6, 8];

/** The texts of the tests that are not held out, each a line of its own. */
function developmentLines(): GreetingLine[] {
  return answerTexts(false).map(({ who, text }) => ({
    who: who as GreetingLine['who'],
    texts: [text],
    share: 0.5,
  }));
}

function write(weights: Weights): void {
  const entries = [...weights]
    .map(([feature, own]) => [feature, [...own].map((weight) => Math.round(SCALE * weight))] as const)
    .filter(([feature, own]) => !feature.includes('_') || own.some((weight) => Math.abs(weight) >= LEAST))
    .map(([feature, own]) => `${feature}:${own.join(',')}`)
    .sort();
  const lines = [''];
  for (const entry of entries)
    if (`${lines.at(-1)} ${entry}`.length > LINE) lines.push(entry);
    else lines[lines.length - 1] = `${lines.at(-1)} ${entry}`.trim();
  const text = `/** Made by \`node bench/answers/main.ts\` from the texts there. */\nexport const ANSWER_WEIGHTS = \`\n${lines.join('\n')}\n\`;\n`;
  writeFileSync(FILE, text);
  console.log(`${entries.length} features, ${lines.length} lines, ${text.length} bytes`);
}

interface Beginning {
  readonly who: string;
  readonly share: number;
  readonly text: string;
  readonly words: number;
  readonly isPaused: boolean;
  readonly likely: readonly number[];
}

/** What a model makes of the beginnings of lines that it does not know. */
function beginningsOf(lines: readonly GreetingLine[], weights: Weights): Beginning[] {
  return lines.flatMap(({ who, texts, share }) =>
    texts.flatMap((text) => {
      const words = wordsOf(text);
      return words.slice(0, 12).flatMap((_, i) => {
        const isLast = i + 1 === words.length;
        const said = words.slice(0, i + 1);
        const likely = likelihoods(weights, said, isLast);
        return [
          { who, share: share / texts.length, text: said.join(' '), words: i + 1, isPaused: isLast, likely },
        ];
      });
    }),
  );
}

function likelihoods(weights: Weights, words: readonly string[], isPaused: boolean): number[] {
  const scores = [0, 0, 0, 0];
  for (const feature of featuresOf(words, isPaused, (word) => weights.has(word)))
    weights.get(feature)?.forEach((weight, i) => {
      scores[i + 1]! += weight;
    });
  const powers = scores.map(Math.exp);
  const sum = powers.reduce((one, other) => one + other);
  return powers.map((power) => power / sum);
}

function sharesOf(beginnings: readonly Beginning[]): number {
  return beginnings.reduce((sum, { share }) => sum + share, 0);
}

function report(name: string, beginnings: readonly Beginning[]): void {
  const people = beginnings.filter(({ who }) => who === 'human');
  console.log(`${name}: ${people.length} beginnings of people`);
  for (const least of THRESHOLDS) {
    const taken = people.filter(({ likely }) => 1 - likely[0]! >= least);
    const share = (100 * sharesOf(taken)) / sharesOf(people);
    const told = LENGTHS.map((length) => {
      const own = beginnings.filter(({ who, words }) => who !== 'human' && words === length);
      const right = own.filter(
        ({ who, likely }) =>
          1 - likely[0]! >= least &&
          SPEAKERS[1 + likely.slice(1).indexOf(Math.max(...likely.slice(1)))] === who,
      );
      return `${length}: ${Math.round((100 * sharesOf(right)) / sharesOf(own))} %`;
    });
    console.log(
      `  at ${least}: ${taken.length} (${share.toFixed(2)} %) taken for machines; right by words ${told.join(', ')}`,
    );
  }
  const worst = people.toSorted((one, other) => one.likely[0]! - other.likely[0]!);
  const shown = new Set(
    worst
      .slice(0, 400)
      .map(({ text, isPaused, likely }) => `${likely[0]!.toFixed(2)} ${text}${isPaused ? ' $' : ''}`),
  );
  console.log([...shown].slice(0, 60).join('\n'));
}

const lines = greetingLines();
if (process.argv.includes('--check')) {
  const unseen = Array.from({ length: FOLDS }, (_, fold) => {
    const isHeld = (_: unknown, i: number) => i % FOLDS === fold;
    const weights = trained([...lines.filter((line, i) => !isHeld(line, i)), ...developmentLines()]);
    return beginningsOf(lines.filter(isHeld), weights);
  });
  report('lines that were left out', unseen.flat());
  report(
    'the development texts, none of which was trained on',
    beginningsOf(developmentLines(), trained(lines)),
  );
} else {
  write(trained([...lines, ...developmentLines()]));
}
