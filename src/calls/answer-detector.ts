import type { CancelTimer, Clock } from '../base/time.ts';
import type { HeardFact } from '../threads/protocol.ts';
import { likelySpeakers, SPEAKERS } from './answer-model.ts';
import { type AnsweredBy, spokenBy } from './answer-words.ts';

/** Who says nothing for so long says nothing at first. Whoever speaks is judged by what was understood until then. */
const FIRST_MS = 2_460;
/** After a person's first words comes silence. Facts of speech come 300 ms after its end. */
const TOLD_AFTER_MS = 300;
/** A word or two; what most people say at most; and all that a person says: longer greetings are recorded. */
const SHORT_MS = 1_500;
const LONG_MS = 3_000;
const LONGEST_MS = 8_000;
/** Modems answer with 2,100 Hz and call with 1,100 Hz (ITU-T T.30). */
const FAX_HZ: readonly (readonly [from: number, to: number])[] = [
  [2_085, 2_115],
  [1_062, 1_138],
];
const FAX_MS = 400;
const BEEP_HZ = { least: 350, most: 2_600 };
const BEEP_MS = { least: 100, most: 3_000 };
/** What is said before a beep is so long at least, or is a machine's by its words. */
const GREETING_MS = 1_500;
/** A machine listens after its beep. A person on whose line something beeps goes on. */
const LISTENS_MS = 2_500;
/** What a person says after so long is no greeting, whatever it is about. */
const PERSON_MS = 12_000;
const MOST_GREETING_MS = 60_000;

/** 0 to 1: how sure each way of knowing is. */
const SURE = {
  words: 0.95,
  fax: 0.95,
  silentAfterBeep: 0.95,
  short: 0.9,
  beep: 0.85,
  asks: 0.8,
  pause: 0.75,
  maybe: 0.72,
  long: 0.6,
  silence: 0.5,
};
/** First words make nobody surer than that: those who wait are people, and sure words are a machine's. */
const GUESS = { least: 0.5, mostPerson: 0.7, mostMachine: 0.85 };
/** People are not to be taken for machines: those are guessed only where nearly nobody begins like that. */
const LEAST_LIKELY = { goesOn: 0.95, waits: 0.9 };

export interface AnswerObserver {
  answeredBy(who: AnsweredBy, confidence: number): void;
  /** It is time to speak. */
  beep(): void;
}

/**
 * Finds out who has answered a call, from the length and cadence of the greeting, tones, and words where there are any.
 * Tells it as soon as it may be known, and again when it is known better: a person is `human` after the first words and a
 * pause, a machine that pauses there is found out by its words or its beep. Ends with the greeting.
 */
export class AnswerDetector {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #observer: AnswerObserver;
  #who: AnsweredBy | null = null;
  #confidence = 0;
  #isGuess = false;
  #isFirstOver = false;
  #speechAtMs: number | null = null;
  #spokenMs = 0;
  #words = '';
  #said = '';
  #isOver = false;
  #cancelTimer: CancelTimer = () => {};
  #cancelListening: CancelTimer = () => {};
  readonly #cancelFirst: CancelTimer;
  #cancelEnd: CancelTimer;

  constructor(clock: Pick<Clock, 'after'>, observer: AnswerObserver) {
    this.#clock = clock;
    this.#observer = observer;
    this.#cancelFirst = clock.after(FIRST_MS, () => this.#judgeFirst());
    this.#cancelEnd = clock.after(MOST_GREETING_MS, () => this.close());
  }

  heard(fact: HeardFact): void {
    if (this.#isOver) return;
    if (fact.type === 'speech') this.#speech(fact.isOn, fact.atMs);
    else if (fact.type === 'tone') this.#tone(fact);
  }

  /** What has been understood of the greeting: interim results replace each other, finals add up. */
  understood(text: string, isFinal: boolean): void {
    if (this.#isOver) return;
    this.#said = `${this.#words} ${text}`.trim();
    if (isFinal) this.#words = this.#said.slice(-500);
    const impression = spokenBy(this.#said);
    if (impression !== null) {
      const { who, isSure } = impression;
      this.#decide(who, isSure ? SURE.words : who === 'human' ? SURE.asks : SURE.maybe);
    }
    this.#guess();
  }

  /** Nothing is told afterwards. */
  close(): void {
    this.#isOver = true;
    this.#cancelTimer();
    this.#cancelListening();
    this.#cancelFirst();
    this.#cancelEnd();
  }

  #judgeFirst(): void {
    this.#isFirstOver = true;
    if (this.#who !== null) return;
    if (this.#spokenMs === 0 && this.#speechAtMs === null) return this.#decide('unknown', SURE.silence);
    this.#guess();
  }

  /** Tells who is likely to begin like that; later, if it is rather a person. */
  #guess(): void {
    const isKnown = this.#who !== null && this.#who !== 'unknown' && !this.#isGuess;
    if (!this.#isFirstOver || this.#said === '' || isKnown) return;
    const { who, confidence } = guessed(this.#said, this.#speechAtMs === null);
    if (who === this.#who || (this.#isGuess && who !== 'human')) return;
    this.#who = null;
    this.#decide(who, confidence);
    this.#isGuess = true;
  }

  #speech(isOn: boolean, atMs: number): void {
    this.#cancelTimer();
    if (isOn) {
      this.#cancelListening();
      this.#speechAtMs = atMs;
      const leftMs = Math.max(0, LONGEST_MS - this.#spokenMs);
      this.#cancelTimer = this.#clock.after(leftMs, () => this.#decide('machine', SURE.long));
      return;
    }
    this.#spokenMs += atMs - (this.#speechAtMs ?? atMs);
    this.#speechAtMs = null;
    this.#guess();
    this.#cancelTimer = this.#clock.after(waitMs(this.#spokenMs) - TOLD_AFTER_MS, () => this.#waits());
  }

  /** Who has spoken waits for an answer. */
  #waits(): void {
    const isShort = this.#spokenMs <= SHORT_MS;
    const isMachines = this.#who === 'machine' || this.#who === 'ivr' || this.#who === 'screening';
    if (!isMachines && this.#who !== 'fax') this.#decide('human', isShort ? SURE.short : SURE.pause);
  }

  #tone({ hz, ms, isOver }: { readonly hz: number; readonly ms: number; readonly isOver: boolean }): void {
    const isFax = FAX_HZ.some(([from, to]) => hz >= from && hz <= to) && ms >= FAX_MS;
    const hasSpoken = this.#spokenMs >= GREETING_MS || this.#who === 'machine';
    if (isFax && this.#spokenMs === 0) return this.#decide('fax', SURE.fax);
    // Whoever beeps does not wait in silence.
    if (!isOver) return this.#cancelTimer();
    if (!hasSpoken || this.#who === 'fax') return;
    if (hz < BEEP_HZ.least || hz > BEEP_HZ.most || ms < BEEP_MS.least || ms > BEEP_MS.most) return;
    // On the line of a person, other things beep: they have answered, and are not taken for a machine.
    if (this.#who === 'human' && this.#confidence > SURE.pause) return;
    this.#beep();
  }

  #beep(): void {
    const wasPerson = this.#who === 'human';
    if (!wasPerson) this.#tellBeep(SURE.beep);
    this.#cancelListening();
    this.#cancelListening = this.#clock.after(LISTENS_MS, () => {
      if (wasPerson) this.#tellBeep(SURE.beep);
      else this.#decide('machine', SURE.silentAfterBeep);
    });
  }

  #tellBeep(confidence: number): void {
    this.#decide('machine', confidence);
    this.#observer.beep();
  }

  /** What is surer than what is known counts, and whatever is heard after silence. */
  #decide(who: AnsweredBy, confidence: number): void {
    const isHeard = this.#who === 'unknown' && who !== 'unknown';
    if (this.#who !== null && !isHeard && confidence <= this.#confidence) return;
    this.#who = who;
    this.#confidence = confidence;
    this.#isGuess = false;
    if (who === 'human' && confidence > GUESS.mostPerson) this.#endAfter(PERSON_MS);
    else this.#endAfter(MOST_GREETING_MS);
    this.#observer.answeredBy(who, confidence);
  }

  #endAfter(ms: number): void {
    this.#cancelEnd();
    this.#cancelEnd = this.#clock.after(ms, () => this.close());
  }
}

/**
 * Returns who is likely to begin with these words, and then goes on or waits. That somebody waits is known 300 ms later:
 * a machine is one in both cases.
 */
function guessed(text: string, isPaused: boolean): { who: AnsweredBy; confidence: number } {
  const waits = likelySpeakers(text, true);
  const likely = isPaused ? waits : likelySpeakers(text, false);
  const rounded = (share: number, most: number) =>
    Math.round(100 * Math.min(most, Math.max(GUESS.least, share))) / 100;
  if (1 - likely.human < LEAST_LIKELY.goesOn || 1 - waits.human < LEAST_LIKELY.waits)
    return { who: 'human', confidence: rounded(likely.human, GUESS.mostPerson) };
  const who = SPEAKERS.slice(1).reduce((one, other) => (likely[other] > likely[one] ? other : one));
  return { who, confidence: rounded(likely[who], GUESS.mostMachine) };
}

/** How long somebody is silent who has spoken for so long and waits for an answer. Machines beep after a second, or later. */
function waitMs(spokenMs: number): number {
  if (spokenMs <= SHORT_MS) return 700;
  return spokenMs <= LONG_MS ? 1_000 : 1_500;
}
