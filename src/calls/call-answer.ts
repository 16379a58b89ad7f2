import type { RecognizedLine } from '../base/speech.ts';
import type { CancelTimer, Clock } from '../base/time.ts';
import type { HeardFact } from '../threads/protocol.ts';
import { AnswerDetector } from './answer-detector.ts';
import type { AnsweredBy } from './answer-words.ts';
import type { CallEvent } from './call-event.ts';
import type { CallMessage } from './call-state.ts';
import type { MachineDetection } from './machine-detection.ts';

/** A person is never hung up on: length and cadence of a greeting are less sure than that. */
const SURE_ENOUGH = 0.9;
/** Whoever is only guessed to be a person may be a machine that goes on. */
const LEAST_TO_SPEAK = 0.71;
/** How long what is to be said waits for a beep: the longest greeting. */
const MOST_WAIT_MS = 60_000;
/** Some machines do not beep. */
const SILENT_MACHINE_MS = 4_000;

/** The call that is answered. */
export interface AnsweredCall {
  readonly isOver: boolean;
  readonly room: { listen(): void };
  readonly interims: { add(listener: (line: RecognizedLine) => void): () => void };
  post(message: CallMessage): void;
  publish(event: CallEvent): void;
}

/** Who has answered a call, and what follows from that. Lives as long as the call, for music comes later. */
export class CallAnswer {
  /** Called once what is said need not wait any more. */
  onRelease: () => void = () => {};
  readonly #mode: MachineDetection;
  readonly #call: AnsweredCall;
  readonly #clock: Pick<Clock, 'after'>;
  #detector: AnswerDetector | null = null;
  #isHeld: boolean;
  #who: AnsweredBy | null = null;
  #stopInterims: () => void = () => {};
  readonly #cancelTimers: CancelTimer[] = [];

  constructor(mode: MachineDetection, call: AnsweredCall, clock: Pick<Clock, 'after'>) {
    this.#mode = mode;
    this.#call = call;
    this.#clock = clock;
    this.#isHeld = mode === 'wait_for_beep';
  }

  /** Whether hosted speech waits for the beep, or until it is known that there is none. */
  get isSpeechHeld(): boolean {
    return this.#isHeld;
  }

  /** The call is answered. */
  begin(): void {
    this.#detector = new AnswerDetector(this.#clock, {
      answeredBy: (who, confidence) => this.#answeredBy(who, confidence),
      beep: () => this.#beeped(),
    });
    this.#call.room.listen();
    this.#stopInterims = this.#call.interims.add(({ text }) => this.understood(text, false));
    if (this.#isHeld) this.#later(MOST_WAIT_MS, () => this.#release());
  }

  heard(fact: HeardFact): void {
    if (this.#call.isOver) return;
    this.#detector?.heard(fact);
    if (fact.type === 'music') this.#call.publish({ type: 'hold_music', playing: fact.isOn });
    if (fact.type === 'speech') this.#followMachine(fact.isOn);
  }

  understood(text: string, isFinal: boolean): void {
    if (!this.#call.isOver) this.#detector?.understood(text, isFinal);
  }

  close(): void {
    this.#detector?.close();
    this.#stopInterims();
    for (const cancel of this.#cancelTimers.splice(0)) cancel();
  }

  #answeredBy(who: AnsweredBy, confidence: number): void {
    this.#who = who;
    this.#call.publish({ type: 'call_answered_by', answered_by: who, confidence });
    if (confidence >= SURE_ENOUGH) this.#stopInterims();
    if (this.#mode === 'hang_up' && (who === 'machine' || who === 'fax') && confidence >= SURE_ENOUGH)
      this.#call.post({ type: 'hang_up', reason: `answered by a ${who}` });
    else if (who === 'unknown' || (who !== 'machine' && confidence >= LEAST_TO_SPEAK)) this.#release();
  }

  #beeped(): void {
    this.#call.publish({ type: 'beep' });
    this.#release();
  }

  /** A machine that has said all and does not beep. */
  #followMachine(isSpeaking: boolean): void {
    if (!this.#isHeld || this.#who !== 'machine') return;
    for (const cancel of this.#cancelTimers.splice(1)) cancel();
    if (!isSpeaking) this.#later(SILENT_MACHINE_MS, () => this.#release());
  }

  #release(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.onRelease();
  }

  #later(ms: number, action: () => void): void {
    this.#cancelTimers.push(this.#clock.after(ms, action));
  }
}
