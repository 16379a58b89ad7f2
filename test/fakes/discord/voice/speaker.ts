import { Encoder } from '@evan/opus';
import { SILENCE } from './frame-cipher.ts';

const RATE_HZ = 48_000;
const FRAME_MS = 20;
export const FRAME_SAMPLES = (RATE_HZ * FRAME_MS) / 1_000;
const CHANNELS = 2;
/** Discord asks for so many at the end of speech. */
const CLOSING_SILENCES = 5;

/** Fills the next 20 ms, mono at 48 kHz; false when there is no more. */
export type AudioSource = (frame: Int16Array) => boolean;

/** The mouth of a person: encodes a source in stereo, a frame every 20 ms of the clock. */
export class Speaker {
  readonly #send: (opus: Buffer) => void;
  readonly #encoder = new Encoder({ channels: CHANNELS, sample_rate: RATE_HZ, application: 'audio' });
  #timer: NodeJS.Timeout | null = null;
  #finish: (() => void) | null = null;

  constructor(send: (opus: Buffer) => void, bitrateBps = 64_000) {
    this.#send = send;
    this.#encoder.bitrate = bitrateBps;
  }

  get isSpeaking(): boolean {
    return this.#timer !== null;
  }

  /** Speaks until the source ends or `stop` is called, in place of anything before. */
  speak(source: AudioSource): Promise<void> {
    this.stop();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#finish = resolve;
    const frame = new Int16Array(FRAME_SAMPLES);
    let dueMs = performance.now();
    const step = () => {
      for (; dueMs <= performance.now(); dueMs += FRAME_MS) {
        frame.fill(0);
        if (!source(frame)) {
          this.stop();
          return;
        }
        this.#send(this.#encode(frame));
      }
      this.#timer = setTimeout(step, dueMs - performance.now());
    };
    this.#timer = setTimeout(step, 0);
    return promise;
  }

  stop(): void {
    if (!this.#timer) return;
    clearTimeout(this.#timer);
    this.#timer = null;
    for (let i = 0; i < CLOSING_SILENCES; i++) this.#send(SILENCE);
    this.#finish?.();
  }

  #encode(frame: Int16Array): Buffer {
    const stereo = new Int16Array(frame.length * CHANNELS);
    for (let i = 0; i < frame.length; i++) stereo.fill(frame[i]!, i * CHANNELS, (i + 1) * CHANNELS);
    return Buffer.from(this.#encoder.encode(stereo));
  }
}
