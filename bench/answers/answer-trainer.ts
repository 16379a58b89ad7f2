import { readFileSync } from 'node:fs';
import { featuresOf, SPEAKERS, type Speaker, wordsOf } from '../../src/calls/answer-model.ts';

/** How often each of them answers, as far as the model knows beforehand. */
const PRIOR: Readonly<Record<Speaker, number>> = { human: 0.5, machine: 0.3, screening: 0.05, ivr: 0.15 };
/** A word is in the table if it is in so many lines; all others are like names. So are several words together. */
const LEAST_LINES = 2;
/** Of what a line stands for. */
const MOST_TEXTS = 80;
const MOST_WORDS = 14;
/** How often somebody pauses between two sentences. */
const PAUSES = 0.3;
const STEPS = 20;
const RATE = 0.3;
/** How much weights are drawn to nothing, by as much as an example of usual weight teaches. */
const DECAY = 0.005;

/** One line of the texts: several greetings of one kind that are alike. */
export interface GreetingLine {
  readonly who: Speaker;
  readonly texts: readonly string[];
  /** How often it is said, compared with others of the same speaker. */
  readonly share: number;
}

/** Features and their weights for each speaker but the first. */
export type Weights = ReadonlyMap<string, Float64Array>;

interface Example {
  readonly features: readonly string[];
  /** How often each speaker says it. */
  readonly counts: Float64Array;
}

const CLASSES = SPEAKERS.length;

/**
 * Reads `texts/<who>.txt`: a greeting a line, with `(this|that)` for alternatives and `*` for names. `=3 ` before it: it is said
 * three times as often as others.
 */
export function greetingLines(): GreetingLine[] {
  return SPEAKERS.flatMap((who) => {
    const file = readFileSync(new URL(`texts/${who}.txt`, import.meta.url), 'utf8');
    return file
      .trim()
      .split('\n')
      .map((line) => {
        const [, share = '1', text = line] = /^=([\d.]+) (.*)$/u.exec(line) ?? [];
        return { who, texts: spread(expanded(text)), share: Number(share) };
      });
  });
}

function expanded(line: string): string[] {
  const [, before, choices, after] = /^(.*?)\(([^()]*)\)(.*)$/u.exec(line) ?? [];
  if (before === undefined || choices === undefined || after === undefined) return [line];
  const rest = expanded(after);
  return choices.split('|').flatMap((choice) => rest.map((each) => before + choice + each));
}

function spread(texts: readonly string[]): string[] {
  const count = Math.min(MOST_TEXTS, texts.length);
  return Array.from({ length: count }, (_, i) => texts[Math.floor((i * texts.length) / count)]!);
}

/** Returns the weights that tell the speakers of these lines by their first words. */
export function trained(lines: readonly GreetingLine[]): Weights {
  const known = inSeveral(lines, wordsOf);
  const isKnown = (word: string) => known.has(word);
  const shared = inSeveral(lines, (text) =>
    [true, false].flatMap((isPaused) => [
      ...featuresOf(wordsOf(text).slice(0, MOST_WORDS), isPaused, isKnown),
    ]),
  );
  const examples = examplesOf(lines, isKnown, shared);
  const indices = new Map<string, number>();
  const rows = examples.map(({ features }) =>
    Int32Array.from(features, (feature) => {
      const index = indices.get(feature) ?? indices.size;
      indices.set(feature, index);
      return index;
    }),
  );
  const weights = new Float64Array(indices.size * CLASSES);
  const squares = new Float64Array(indices.size * CLASSES).fill(1e-6);
  const usual = 1 / examples.length;
  for (let step = 0; step < STEPS; step++)
    for (let i = 0; i < rows.length; i++) learn(rows[i]!, examples[i]!.counts, usual, weights, squares);
  return new Map(
    [...indices].map(([feature, index]) => {
      const own = weights.subarray(index * CLASSES, (index + 1) * CLASSES);
      return [feature, own.slice(1).map((weight) => weight - own[0]!)];
    }),
  );
}

/** What is found in the texts of several lines. */
function inSeveral(
  lines: readonly GreetingLine[],
  foundIn: (text: string) => readonly string[],
): ReadonlySet<string> {
  const counts = new Map<string, number>();
  for (const { texts } of lines)
    for (const each of new Set(texts.flatMap(foundIn))) counts.set(each, (counts.get(each) ?? 0) + 1);
  return new Set([...counts].filter(([, count]) => count >= LEAST_LINES).map(([each]) => each));
}

/** All beginnings of the texts, those that are alike together. */
function examplesOf(
  lines: readonly GreetingLine[],
  isKnown: (word: string) => boolean,
  shared: ReadonlySet<string>,
): Example[] {
  const examples = new Map<string, Example>();
  for (const [index, who] of SPEAKERS.entries()) {
    const own = lines.filter((line) => line.who === who);
    const all = own.reduce((sum, each) => sum + each.share, 0);
    for (const { texts, share: ofLine } of own) {
      const share = (PRIOR[who] * ofLine) / all / texts.length;
      for (const text of texts)
        for (const { words, isPaused, weight } of beginnings(text)) {
          const features = [...featuresOf(words, isPaused, isKnown)].filter((each) => shared.has(each));
          const key = features.join(' ');
          const example = examples.get(key) ?? { features, counts: new Float64Array(SPEAKERS.length) };
          example.counts[index]! += share * weight;
          examples.set(key, example);
        }
    }
  }
  return [...examples.values()];
}

interface Beginning {
  readonly words: readonly string[];
  readonly isPaused: boolean;
  readonly weight: number;
}

function beginnings(text: string): Beginning[] {
  const ends = new Set<number>();
  let length = 0;
  for (const sentence of text.split(/(?<=[.?!])\s+/u)) {
    length += wordsOf(sentence).length;
    ends.add(length);
  }
  const words = wordsOf(text);
  return words.slice(0, MOST_WORDS).flatMap((_, i) => {
    const said = words.slice(0, i + 1);
    if (said.length === words.length) return [{ words: said, isPaused: true, weight: 1 }];
    const goesOn = { words: said, isPaused: false, weight: 1 };
    return ends.has(said.length) ? [goesOn, { words: said, isPaused: true, weight: PAUSES }] : [goesOn];
  });
}

/** One step of logistic regression, with a rate for each weight (AdaGrad). */
function learn(
  row: Int32Array,
  counts: Float64Array,
  usual: number,
  weights: Float64Array,
  squares: Float64Array,
): void {
  const likely = new Float64Array(CLASSES);
  for (const index of row) for (let i = 0; i < CLASSES; i++) likely[i]! += weights[index * CLASSES + i]!;
  let sum = 0;
  for (let i = 0; i < CLASSES; i++) sum += likely[i] = Math.exp(likely[i]!);
  const total = counts.reduce((one, other) => one + other) / usual;
  for (let i = 0; i < CLASSES; i++) {
    const error = (total * likely[i]!) / sum - counts[i]! / usual;
    for (const index of row) {
      const at = index * CLASSES + i;
      const slope = error + DECAY * weights[at]!;
      squares[at]! += slope * slope;
      weights[at]! -= (RATE * slope) / Math.sqrt(squares[at]!);
    }
  }
}
