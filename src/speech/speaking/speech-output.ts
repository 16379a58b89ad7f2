import { decodeUlaw } from '../../audio/g711.ts';
import { RingProducer } from '../../rings/ring-producer.ts';
import { SpeechControl } from '../../rings/speech-control.ts';
import type { SpeechRings } from '../../rings/speech-rings.ts';
import type { AudioFormat } from '../audio-format.ts';

/** Limit on audio that is queued. Texts are asked for in pieces, so only a vendor's mistake reaches it. */
const MAX_QUEUED_MS = 120_000;

/** Audio on its way to the call: the ring, and behind it whatever does not fit yet. Counts samples. */
export class SpeechOutput {
  readonly #ring: RingProducer;
  readonly #control: SpeechControl;
  readonly #format: AudioFormat;
  readonly #backlog: Int16Array[] = [];
  /** Samples of the first item of the backlog that are in the ring. */
  #from = 0;
  #waiting = 0;
  #written = 0;
  /** The last stop that this thread has agreed to. */
  #generation: number;
  /** What the engine had played at the last `restart`. */
  #playedBeforeMs: number;

  /** Takes over the ring. An earlier producer may have left audio there: the main thread asks for a stop before. */
  constructor({ says, control }: SpeechRings, format: AudioFormat) {
    this.#ring = new RingProducer(says);
    this.#control = new SpeechControl(control);
    this.#format = format;
    this.#playedBeforeMs = this.#control.playedMs;
    this.#generation = this.#control.asked;
    this.#control.agree(this.#generation);
  }

  /** Asks for a stop, as the main thread does. */
  askStop(): void {
    this.#control.ask();
  }

  /** Silent from the engine's next tick on, until `release` or a stop. */
  hold(): void {
    this.#control.hold();
  }

  /** Goes on with the next sample. */
  release(): void {
    this.#control.release();
  }

  /** Whether a stop was asked that this thread has not agreed to. */
  get mustStop(): boolean {
    return this.#control.asked !== this.#generation;
  }

  /** Whether the stop agreed to has taken effect. */
  get isSilenced(): boolean {
    return this.#control.silenced === this.#generation;
  }

  /** Number of the last stop agreed to. What was said before it is not to be heard. */
  get generation(): number {
    return this.#generation;
  }

  /** Samples that the engine has taken since the last `restart`. At most the last frame has not left yet. */
  get played(): number {
    return this.#written === 0 ? 0 : this.#written - this.#ring.queuedSamples;
  }

  /** Samples that the engine has not taken. */
  get queued(): number {
    return this.#waiting + this.#written - this.played;
  }

  /** Appends audio. Returns the number of samples, 0 when too much is queued: nothing is taken then. */
  append(data: Uint8Array): number {
    const samples = this.#decoded(data);
    if (this.toMs(this.queued + samples.length) > MAX_QUEUED_MS) return 0;
    this.#waiting += samples.length;
    this.#backlog.push(samples);
    this.advance();
    return samples.length;
  }

  /** Moves what fits into the ring. */
  advance(): void {
    if (this.mustStop || !this.isSilenced) return;
    for (let samples = this.#backlog[0]; samples !== undefined; samples = this.#backlog[0]) {
      const rest = samples.length - this.#from;
      const count = this.#ring.write(samples, this.#from, rest, this.#format.sampleRateHz);
      this.#waiting -= count;
      this.#written += count;
      this.#from += count;
      if (count < rest) return;
      this.#backlog.shift();
      this.#from = 0;
    }
  }

  /** Agrees to the stop: drops what waits, and writes nothing more until `isSilenced`. */
  stop(): void {
    this.#backlog.length = 0;
    this.#from = 0;
    this.#waiting = 0;
    this.#generation = this.#control.asked;
    this.#control.agree(this.#generation);
  }

  /** Call it once the stop has taken effect. Returns the samples that left since the last time, up to the stop. */
  restart(): number {
    const { playedMs } = this.#control;
    const played = ((playedMs - this.#playedBeforeMs) * this.#format.sampleRateHz) / 1000;
    this.#playedBeforeMs = playedMs;
    this.#written = 0;
    return Math.round(played);
  }

  toMs(samples: number): number {
    return (samples * 1000) / this.#format.sampleRateHz;
  }

  #decoded(data: Uint8Array): Int16Array {
    if (this.#format.encoding === 'mulaw') {
      const samples = new Int16Array(data.length);
      decodeUlaw(data, 0, data.length, samples);
      return samples;
    }
    const aligned = data.byteOffset % Int16Array.BYTES_PER_ELEMENT === 0 ? data : data.slice();
    return new Int16Array(aligned.buffer, aligned.byteOffset, aligned.length >> 1);
  }
}
