import type { PcmRings } from '../media/pcm-media.ts';
import { Doorbell } from './doorbell.ts';
import { FrameRingConsumer } from './frame-ring.ts';
import { RingProducer } from './ring-producer.ts';

/** The bridge thread's end of a call's PCM rings. */
export class PcmPort {
  readonly #voices: readonly RingProducer[];
  readonly #hears: FrameRingConsumer;
  readonly #doorbell: Doorbell;

  constructor({ voices, hears, doorbell }: PcmRings) {
    this.#voices = voices.map((memory) => new RingProducer(memory));
    this.#hears = new FrameRingConsumer(hears.memory, hears.sampleRateHz);
    this.#doorbell = new Doorbell(doorbell);
  }

  /**
   * Appends samples to what a voice says, counted from 0. Returns the number that fitted: a full ring means that the
   * engine is behind, and the newest audio is dropped.
   */
  say(voice: number, samples: Int16Array, sampleRateHz: number): number {
    return this.#voices[voice]?.write(samples, 0, samples.length, sampleRateHz) ?? 0;
  }

  /**
   * Calls `take` for every frame that the platform should hear: 20 ms of little-endian 16-bit PCM, valid only during the
   * call.
   */
  listen(take: (pcm: Uint8Array) => void): void {
    this.#doorbell.listen(() => {
      for (let frames = this.#hears.waiting(); frames > 0; frames--) {
        take(this.#hears.oldest());
        this.#hears.release();
      }
    });
  }

  close(): void {
    this.#doorbell.stop();
  }
}
