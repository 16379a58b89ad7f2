import { ANSWER_WEIGHTS } from './answer-weights.ts';

/** Who may speak. The weights of each word are for those after the first, compared with it. */
export const SPEAKERS = ['human', 'machine', 'screening', 'ivr'] as const;
export type Speaker = (typeof SPEAKERS)[number];

/** What the words of a greeting may be followed by: it goes on, or somebody waits. */
export const PAUSE = '$';
const START = '^';
/** A name, or any other word that is not in the table, and several of them. */
const ANY = '*';
const NUMBER = '#';
const NUMBERS =
  /^(\d+|zero|two|three|four|five|six|seven|eight|nine|zwei|drei|vier|fünf|sechs|sieben|acht|neun|deux|trois|quatre|cinq|sept|huit|neuf|dos|tres|cuatro|cinco|seis|siete|ocho|nueve)$/u;
/** Words that are looked at together. */
const TOGETHER = 3;
/** What comes later in a greeting tells nothing more. */
const MOST_WORDS = 24;

/** A greeting's words in small letters, without punctuation. */
export function wordsOf(text: string): string[] {
  const plain = text
    .toLowerCase()
    .replaceAll('’', "'")
    .replace(/[^\p{L}\p{M}\p{N}'*#-]+/gu, ' ')
    .trim();
  return plain === '' ? [] : plain.split(' ');
}

/** What the model sees of a greeting: its first words, each two and three of them, and where it begins and pauses. */
export function featuresOf(
  words: readonly string[],
  isPaused: boolean,
  isKnown: (word: string) => boolean,
): Set<string> {
  const seen = [START];
  for (const word of words.slice(0, MOST_WORDS)) {
    const known = NUMBERS.test(word) ? NUMBER : isKnown(word) ? word : ANY;
    if (known !== seen.at(-1) || (known !== ANY && known !== NUMBER)) seen.push(known);
  }
  if (isPaused) seen.push(PAUSE);
  const features = new Set<string>();
  for (let end = 1; end <= seen.length; end++)
    for (let length = 1; length <= TOGETHER && length <= end; length++)
      features.add(seen.slice(end - length, end).join('_'));
  return features;
}

const SCALE = 10;
let weights: ReadonlyMap<string, string> | null = null;

/** Features with ten times their weights, as text: `a_b:12,-3,0`. Read when it is needed, as most starts never need it. */
function weightsByFeature(): ReadonlyMap<string, string> {
  weights ??= new Map(
    ANSWER_WEIGHTS.trim()
      .split('\n')
      .flatMap((line) => line.split(' ').map(featureAndWeights)),
  );
  return weights;
}

function featureAndWeights(entry: string): [string, string] {
  const at = entry.lastIndexOf(':');
  return [entry.slice(0, at), entry.slice(at + 1)];
}

/** Returns how likely it is that each of them has begun with these words, and then goes on or waits. */
export function likelySpeakers(text: string, isPaused: boolean): Readonly<Record<Speaker, number>> {
  const known = weightsByFeature();
  const scores = [0, 0, 0, 0];
  for (const feature of featuresOf(wordsOf(text), isPaused, (word) => known.has(word)))
    for (const [i, weight] of known.get(feature)?.split(',').entries() ?? [])
      scores[i + 1]! += Number(weight) / SCALE;
  const powers = scores.map((score) => Math.exp(score));
  const sum = powers.reduce((one, other) => one + other);
  return Object.fromEntries(SPEAKERS.map((who, i) => [who, powers[i]! / sum])) as Record<Speaker, number>;
}
