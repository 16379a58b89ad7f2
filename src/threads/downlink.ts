import { FRAME_MS, frameSamples } from '../base/frame.ts';
import type { AgentDownlink } from './protocol.ts';
import { RingConsumer } from './ring-consumer.ts';
import { ringCapacityFor, ringMemory } from './ring-layout.ts';

/** How much may wait for a reader that has fallen behind; older audio is dropped. */
const MAX_BEHIND_MS = 200;
const RING_MS = 300;
const TELL_EVERY_MS = 1_000;

/** Who takes the frames. */
export interface DownlinkReader {
  /** One 20 ms frame as little-endian bytes, valid during the call only. False: it cannot be taken now. */
  frame(pcm: Uint8Array): boolean;
  /** So much was dropped since the last frame taken, or since this was last told. */
  overrun(lostMs: number): void;
}

/** What an agent hears, on its way from the worker to the reader. */
export class Downlink implements AgentDownlink {
  readonly sampleRateHz: number;
  readonly memory: SharedArrayBuffer;
  readonly #ring: RingConsumer;
  readonly #frame: Int16Array;
  readonly #bytes: Uint8Array;
  #overrunSamples = 0;
  #lostMs = 0;
  #toldAtMs = 0;

  constructor(sampleRateHz: number) {
    this.sampleRateHz = sampleRateHz;
    this.memory = ringMemory(ringCapacityFor((sampleRateHz * RING_MS) / 1000));
    this.#ring = new RingConsumer(this.memory);
    this.#frame = new Int16Array(frameSamples(sampleRateHz));
    this.#bytes = new Uint8Array(this.#frame.buffer);
  }

  /** Gives the reader every whole frame that waits; what it cannot take stays, up to 200 ms of it. */
  drain(reader: DownlinkReader): void {
    this.#countOverrun();
    const length = this.#frame.length;
    while (this.#ring.readableSamples() >= length) {
      this.#ring.peek(this.#frame, length);
      if (!reader.frame(this.#bytes)) {
        this.#dropOldest();
        this.#tell(reader, TELL_EVERY_MS);
        return;
      }
      this.#ring.skip(length);
      this.#tell(reader, 0);
    }
  }

  /** Samples that the worker could not place because we did not read for longer than the ring holds. */
  #countOverrun(): void {
    const lost = (this.#ring.overrunSamples - this.#overrunSamples) | 0;
    this.#overrunSamples = (this.#overrunSamples + lost) | 0;
    this.#lostMs += (lost * 1000) / this.sampleRateHz;
  }

  #dropOldest(): void {
    const keep = (this.#frame.length * MAX_BEHIND_MS) / FRAME_MS;
    while (this.#ring.readableSamples() > keep) {
      this.#ring.skip(this.#frame.length);
      this.#lostMs += FRAME_MS;
    }
  }

  #tell(reader: DownlinkReader, notBeforeMs: number): void {
    if (this.#lostMs === 0 || performance.now() - this.#toldAtMs < notBeforeMs) return;
    const lostMs = Math.round(this.#lostMs);
    this.#lostMs = 0;
    this.#toldAtMs = performance.now();
    reader.overrun(lostMs);
  }
}
