import { Resampler } from '../audio/resampler.ts';
import { frameSamples } from '../base/frame.ts';
import { FrameRingProducer } from '../threads/frame-ring.ts';
import type { AgentDownlink } from '../threads/protocol.ts';
import { SampleFifo } from './sample-fifo.ts';

/** After so much silence the resampler holds nothing else, and need not be run for more. */
const FRAMES_TO_FALL_SILENT = 2;

/**
 * What a listening agent hears, on its way from the mixer to the agent's ring: one frame at the agent's rate every
 * tick, silence included. A full ring costs the newest frame, which is counted for the reader to tell.
 */
export class Egress {
  readonly #ring: FrameRingProducer;
  readonly #frameSamples: number;
  readonly #resampler: Resampler | null;
  readonly #resampled: Int16Array;
  /** The usual result: as many samples as one frame has. */
  readonly #resampledFrame: Int16Array;
  readonly #fifo: SampleFifo;
  readonly #frame: Int16Array;
  readonly #silence: Int16Array;
  #silentFrames = 0;
  #overruns = 0;

  constructor(downlink: AgentDownlink, roomRateHz: number) {
    const { sampleRateHz: rateHz, memory } = downlink;
    this.#ring = new FrameRingProducer(memory, rateHz);
    this.#frameSamples = frameSamples(rateHz);
    this.#resampler =
      roomRateHz === rateHz ? null : new Resampler(roomRateHz, rateHz, frameSamples(roomRateHz));
    this.#resampled = new Int16Array(this.#resampler?.maxOutputSamples ?? 0);
    this.#resampledFrame = this.#resampled.subarray(0, this.#frameSamples);
    const ownFrameSamples = this.#resampler === null ? 0 : this.#frameSamples;
    this.#fifo = new SampleFifo(ownFrameSamples);
    this.#frame = new Int16Array(ownFrameSamples);
    this.#silence = new Int16Array(ownFrameSamples);
  }

  get overruns(): number {
    return this.#overruns;
  }

  push(frame: Int16Array, voiced: boolean): void {
    if (this.#resampler === null) {
      this.#write(frame);
      return;
    }
    this.#silentFrames = voiced ? 0 : this.#silentFrames + 1;
    if (this.#silentFrames > FRAMES_TO_FALL_SILENT && this.#fifo.length === 0) {
      this.#write(this.#silence);
      return;
    }
    const length = this.#resampler.process(frame, frame.length, this.#resampled);
    if (length === this.#frameSamples && this.#fifo.length === 0) this.#write(this.#resampledFrame);
    else this.#writeRealigned(length);
  }

  #writeRealigned(length: number): void {
    this.#fifo.append(this.#resampled, length);
    while (this.#fifo.length >= this.#frameSamples) {
      this.#fifo.shift(this.#frame, this.#frameSamples);
      this.#write(this.#frame);
    }
  }

  #write(frame: Int16Array): void {
    if (!this.#ring.write(frame)) this.#overruns++;
  }
}
