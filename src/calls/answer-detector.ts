import type { CancelTimer, Clock } from '../base/time.ts';
import type { HeardFact } from '../threads/protocol.ts';
import { type AnsweredBy, spokenBy } from './answer-words.ts';

/** Who says nothing for so long says nothing at first. */
const SILENT_MS = 2_300;
/** After a person's first words comes silence. Facts of speech come 300 ms after its end. */
const WAITS_MS = { short: 700, long: 1_000 };
const TOLD_AFTER_MS = 300;
/** A word or two, and all that a person says: longer greetings are recorded. */
const SHORT_MS = 1_500;
const LONGEST_MS = 4_600;
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

/** 0 to 1: how sure each way of knowing is. */
const SURE = { words: 0.95, fax: 0.95, beep: 0.95, short: 0.9, pause: 0.75, long: 0.6, silence: 0.5 };

export interface AnswerObserver {
  answeredBy(who: AnsweredBy, confidence: number): void;
  /** It is time to speak. */
  beep(): void;
}

/**
 * Finds out who has answered a call, from the length and cadence of the greeting, tones, and words where there are any.
 * Tells it once, and again when it is known better: a person is `human` after the first words and a pause, a machine that
 * pauses there is found out by its words or its beep.
 */
export class AnswerDetector {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #observer: AnswerObserver;
  #who: AnsweredBy | null = null;
  #confidence = 0;
  #speechAtMs: number | null = null;
  #spokenMs = 0;
  #words = '';
  #cancelTimer: CancelTimer;

  constructor(clock: Pick<Clock, 'after'>, observer: AnswerObserver) {
    this.#clock = clock;
    this.#observer = observer;
    this.#cancelTimer = this.#clock.after(SILENT_MS, () => this.#decide('unknown', SURE.silence));
  }

  heard(fact: HeardFact): void {
    if (fact.type === 'speech') this.#speech(fact.isOn, fact.atMs);
    else if (fact.type === 'tone') this.#tone(fact);
  }

  /** What has been understood of the greeting: interim results replace each other, finals add up. */
  understood(text: string, isFinal: boolean): void {
    const said = `${this.#words} ${text}`.trim();
    if (isFinal) this.#words = said.slice(-500);
    const who = spokenBy(said);
    if (who !== null) this.#decide(who, SURE.words);
  }

  close(): void {
    this.#cancelTimer();
  }

  #speech(isOn: boolean, atMs: number): void {
    this.#cancelTimer();
    if (isOn) {
      this.#speechAtMs = atMs;
      const leftMs = Math.max(0, LONGEST_MS - this.#spokenMs);
      this.#cancelTimer = this.#clock.after(leftMs, () => this.#decide('machine', SURE.long));
      return;
    }
    this.#spokenMs += atMs - (this.#speechAtMs ?? atMs);
    this.#speechAtMs = null;
    const isShort = this.#spokenMs <= SHORT_MS;
    const waitsMs = isShort ? WAITS_MS.short : WAITS_MS.long;
    this.#cancelTimer = this.#clock.after(waitsMs - TOLD_AFTER_MS, () => this.#waits());
  }

  /** Who has spoken waits for an answer. */
  #waits(): void {
    if (this.#who === null || this.#who === 'unknown')
      this.#decide('human', this.#spokenMs <= SHORT_MS ? SURE.short : SURE.pause);
  }

  #tone({ hz, ms, isOver }: { readonly hz: number; readonly ms: number; readonly isOver: boolean }): void {
    const isFax = FAX_HZ.some(([from, to]) => hz >= from && hz <= to) && ms >= FAX_MS;
    const hasSpoken = this.#spokenMs >= GREETING_MS || this.#who === 'machine';
    if (isFax && this.#spokenMs === 0) return this.#decide('fax', SURE.fax);
    if (!isOver || !hasSpoken || this.#who === 'fax') return;
    if (hz < BEEP_HZ.least || hz > BEEP_HZ.most || ms < BEEP_MS.least || ms > BEEP_MS.most) return;
    // On the line of a person, other things beep: they have answered, and are not taken for a machine.
    if (this.#who === 'human' && this.#confidence >= SURE.short) return;
    this.#decide('machine', SURE.beep);
    this.#observer.beep();
  }

  /** What is surer than what is known counts, and whatever is heard after silence. */
  #decide(who: AnsweredBy, confidence: number): void {
    this.#cancelTimer();
    const isHeard = this.#who === 'unknown' && who !== 'unknown';
    if (this.#who !== null && !isHeard && confidence <= this.#confidence) return;
    this.#who = who;
    this.#confidence = confidence;
    this.#observer.answeredBy(who, confidence);
  }
}
