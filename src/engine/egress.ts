import { Resampler } from '../audio/resampler.ts';
import { frameSamples } from '../base/frame.ts';
import { onePer } from '../base/one-per.ts';
import { type FrameRing, FrameRingProducer } from '../rings/frame-ring.ts';
import { SampleFifo } from './sample-fifo.ts';

/** After this many silent frames the resampler contains only silence and can be bypassed. */
const FRAMES_TO_FALL_SILENT = 2;

/** Scratch memory for frames of one size, used by all listeners in turn so that it stays in the CPU cache. */
const workbenchFor = onePer((samples) => ({
  realigned: new Int16Array(samples),
  silence: new Int16Array(samples),
}));

/**
 * An agent's audio on its way from the mixer to the downlink ring: one frame per tick at the agent's rate, including
 * silence. When the ring is full, the newest frame is dropped and counted so that the reader can report it.
 */
export class Egress {
  overruns = 0;
  readonly #ring: FrameRingProducer;
  readonly #frameSamples: number;
  readonly #resampler: Resampler | null;
  readonly #workbench: ReturnType<typeof workbenchFor>;
  /** Created only for rates at which an input frame does not always yield exactly one output frame. */
  #fifo: SampleFifo | null = null;
  #silentFrames = 0;

  constructor(downlink: FrameRing, roomRateHz: number) {
    const { sampleRateHz: rateHz, memory } = downlink;
    this.#ring = new FrameRingProducer(memory, rateHz);
    this.#frameSamples = frameSamples(rateHz);
    this.#resampler =
      roomRateHz === rateHz ? null : new Resampler(roomRateHz, rateHz, frameSamples(roomRateHz));
    this.#workbench = workbenchFor(this.#frameSamples);
  }

  push(frame: Int16Array, voiced: boolean): void {
    if (this.#resampler === null) {
      this.#write(frame);
      return;
    }
    const isAligned = this.#fifo === null || this.#fifo.length === 0;
    this.#silentFrames = voiced ? 0 : this.#silentFrames + 1;
    if (this.#silentFrames > FRAMES_TO_FALL_SILENT && isAligned) {
      this.#write(this.#workbench.silence);
      return;
    }
    const resampled = this.#resampler.process(frame, frame.length);
    if (resampled.length === this.#frameSamples && isAligned) this.#write(resampled);
    else this.#writeRealigned(resampled);
  }

  #writeRealigned(resampled: Int16Array): void {
    const { realigned } = this.#workbench;
    this.#fifo ??= new SampleFifo(this.#frameSamples);
    this.#fifo.append(resampled);
    while (this.#fifo.length >= this.#frameSamples) {
      this.#fifo.shift(realigned, this.#frameSamples);
      this.#write(realigned);
    }
  }

  #write(frame: Int16Array): void {
    if (!this.#ring.write(frame)) this.overruns++;
  }
}
