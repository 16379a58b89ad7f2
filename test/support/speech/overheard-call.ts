import { FrameRingProducer, frameRingMemory } from '../../../src/rings/frame-ring.ts';
import { Hearing } from '../../../src/speech/hearing/hearing.ts';
import { speechParts } from '../../../src/speech/transport/speech-parts.ts';
import { ManualClock } from '../manual-clock.ts';
import { ScriptedRecognizer } from './scripted-recognizer.ts';

const FRAME_MS = 20;
/** −40 dBFS: it can be heard, and its echo is no louder than a quiet line. */
const SENT_POWER = 1e-4;

/**
 * The hearing of a call, as a bridge thread has it, in simulated time. Somebody is spoken to without pause, and may
 * interrupt. Nothing of what is heard is understood.
 */
export class OverheardCall {
  /** Whatever was noticed, in order. */
  readonly events: string[] = [];
  readonly #clock = new ManualClock();
  readonly #ring: FrameRingProducer;
  readonly #hearing: Hearing;
  #frames = 0;

  /** `pauses`: see HearingDeps. */
  constructor(sampleRateHz: number, pauses: boolean) {
    const memory = frameRingMemory(sampleRateHz);
    this.#ring = new FrameRingProducer(memory, sampleRateHz);
    const { newDetector } = speechParts(this.#clock);
    this.#hearing = new Hearing(
      {
        taps: [{ sampleRateHz, memory }],
        speaker: 'caller',
        sent: { take: () => SENT_POWER },
        isInterruptible: () => true,
        pauses,
        connect: (vendor) =>
          new ScriptedRecognizer(vendor, { format: { encoding: 's16le', sampleRateHz }, chunkMs: 100 }),
        newDetector,
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

  /** Takes the next 20 ms. */
  hear(frame: Int16Array): void {
    this.#frames += 1;
    this.#ring.write(frame);
    this.#clock.advance(FRAME_MS);
    this.#hearing.look();
  }
}
