import { FrameRingProducer, frameRingMemory } from '../../../src/rings/frame-ring.ts';
import { Hearing, type HearingDeps } from '../../../src/speech/hearing/hearing.ts';
import { interruptionOf } from '../../../src/speech/hearing/interruption.ts';
import type { ConnectRecognizer } from '../../../src/speech/hearing/listening.ts';
import { speechParts } from '../../../src/speech/transport/speech-parts.ts';
import { ManualClock } from '../manual-clock.ts';
import { ScriptedRecognizer } from './scripted-recognizer.ts';

const FRAME_MS = 20;
/** −40 dBFS: it can be heard, and its echo is no louder than a quiet line. */
const SENT_POWER = 1e-4;

interface OverheardOptions {
  readonly sampleRateHz: number;
  /** Whether somebody who speaks over the utterance pauses it first. */
  readonly pauses?: boolean;
  readonly clock?: ManualClock;
  /** By default, nothing is understood. */
  readonly connect?: ConnectRecognizer;
  /** Default: nothing is taken from the voice. */
  readonly suppress?: HearingDeps['suppress'];
}

/**
 * The hearing of a call, as a bridge thread has it, in simulated time. Somebody is spoken to without pause, and may
 * interrupt.
 */
export class OverheardCall {
  /** Whatever was noticed, in order. */
  readonly events: string[] = [];
  readonly #clock: ManualClock;
  readonly #ring: FrameRingProducer;
  readonly #hearing: Hearing;
  #frames = 0;

  constructor({
    sampleRateHz,
    pauses = false,
    clock = new ManualClock(),
    connect = (vendor) =>
      new ScriptedRecognizer(vendor, { format: { encoding: 's16le', sampleRateHz }, chunkMs: 100 }),
    suppress = () => null,
  }: OverheardOptions) {
    this.#clock = clock;
    const memory = frameRingMemory(sampleRateHz);
    this.#ring = new FrameRingProducer(memory, sampleRateHz);
    const { newDetector } = speechParts(this.#clock);
    this.#hearing = new Hearing(
      {
        taps: [{ sampleRateHz, memory }],
        speaker: 'caller',
        sent: { take: () => SENT_POWER },
        isInterruptible: () => true,
        interruption: interruptionOf(pauses ? { interruption: 'pause' } : {}),
        connect,
        newDetector,
        suppress,
        clock: this.#clock,
      },
      {
        heard: ({ text }) => this.events.push(`heard ${text}`),
        interim: ({ text }) => this.events.push(`interim ${text}`),
        activity: (_, state) => this.events.push(state),
        unheard: (_, reason) => this.events.push(`unheard: ${reason}`),
        paused: () => this.events.push('paused'),
        resumed: () => this.events.push('resumed'),
        interrupted: () => this.events.push('interrupted'),
        fault: ({ kind }) => this.events.push(`fault: ${kind}`),
        reconnected: () => this.events.push('reconnected'),
        missed: (ms) => this.events.push(`missed ${ms} ms`),
      },
    );
  }

  get heardMs(): number {
    return this.#frames * FRAME_MS;
  }

  /** How many events begin with this word. */
  count(word: string): number {
    return this.events.filter((event) => event.startsWith(word)).length;
  }

  /** Looks without a new frame. */
  look(): void {
    this.#hearing.look();
  }

  close(): Promise<void> {
    return this.#hearing.close();
  }

  /** Takes the next 20 ms. */
  hear(frame: Int16Array): void {
    this.#frames += 1;
    this.#ring.write(frame);
    this.#clock.advance(FRAME_MS);
    this.#hearing.look();
  }
}
