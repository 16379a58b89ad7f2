/** A message that came after one of ours. */
export interface Answer {
  readonly text: string;
  /** Milliseconds since our message. */
  readonly afterOursMs: number;
  /** Milliseconds since the sender's own message before it. */
  readonly afterOwnMs: number;
  /** The sender's message before it had the same text. */
  readonly isRepeated: boolean;
  /** Several people write there, so the message may be an answer to somebody else. */
  readonly isInGroup: boolean;
  /** Whether the exchange is slowed already. */
  readonly isSlowed: boolean;
}

/** Something that a person hardly ever does, let alone often. */
const STRONG = 1;
/** Something that people do as well, but not a hundred times in a row. */
const WEAK = 0.1;
/** Somebody thinks before they write: outweighs two texts that were pasted. */
const HUMAN = -2;
/** Nobody who reads and answers is so fast. Our message takes a while to arrive. */
const INSTANT_MS = 1_500;
/** People stop to think now and then. */
const BRISK_MS = 10_000;
const LONG_TEXT = 40;
/** The fastest typists write half as fast. */
const MS_PER_CHARACTER = 50;
const READING_MS = 1_000;

/** What mail programs, phones and shops write while nobody is there. */
const MARKER =
  /\bauto(?:matic|mated)?[- ]?(?:reply|response|answer)|\bout of (?:the )?office\b|\baway from (?:my|the) desk\b|\b(?:do not|don't) reply\b|\bautomatische (?:antwort|nachricht)\b|\babwesenheitsnotiz\b|\bnicht im büro\b|\bréponse automatique\b|\brespuesta automática\b|\brisposta automatica\b/i;

/**
 * Returns how much an answer speaks for a machine: 1 for a strong sign, a tenth for a brisk answer, and −2 for one that takes
 * the time of a person.
 */
export function weightOf(answer: Answer): number {
  if (MARKER.test(answer.text) || isInstant(answer) || isTooFast(answer) || isRecited(answer)) return STRONG;
  return briskMs(answer) < BRISK_MS ? WEAK : HUMAN;
}

function isInstant({ isInGroup, afterOursMs }: Answer): boolean {
  return !isInGroup && afterOursMs < INSTANT_MS;
}

/**
 * People may begin to write before they have our message, so their time counts from their own one. In an exchange that is
 * slowed, it counts from ours: the pause is not the machine's.
 */
function isTooFast({ text, isInGroup, isSlowed, afterOursMs, afterOwnMs }: Answer): boolean {
  const takenMs = isSlowed && !isInGroup ? afterOursMs : afterOwnMs;
  return takenMs < READING_MS + text.length * MS_PER_CHARACTER;
}

/** Short texts are repeated by people too: who plays, or presses a button. */
function isRecited({ text, isRepeated, isInGroup, afterOursMs }: Answer): boolean {
  return isRepeated && text.length >= LONG_TEXT && (isInGroup || afterOursMs < BRISK_MS);
}

/** In a lively group, somebody always writes soon after us. */
function briskMs({ isInGroup, afterOursMs, afterOwnMs }: Answer): number {
  return isInGroup ? afterOwnMs : afterOursMs;
}
