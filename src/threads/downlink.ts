import { FRAME_MS } from '../base/frame.ts';
import { FrameRingConsumer, frameRingMemory } from '../rings/frame-ring.ts';
import { type DownlinkRing, PACKET_RING_RATE_HZ, packetIn, type RingCoding } from '../rings/packet-frame.ts';

/** Audio kept for a reader that has fallen behind; anything older is dropped. */
const MAX_BEHIND_FRAMES = 200 / FRAME_MS;
const TELL_EVERY_MS = 1_000;

/** Receives the frames of a downlink. */
export interface DownlinkReader {
  /**
   * One 20 ms frame of the mix without the agent's own voice: 16-bit little-endian mono at the rate the agent listens
   * at, or a packet of Opus. Valid only during the call. Return false when the frame cannot be taken now; it is offered again until it is
   * 200 ms old.
   */
  frame(audio: Uint8Array): boolean;
  /** Runs `give` synchronously. It offers several frames, which may be sent together. */
  cork(give: () => void): void;
  /** The oldest audio, since the previous report, was dropped because frames were not taken for 200 ms. */
  overrun(lostMs: number): void;
}

/** The audio an agent hears, on its way from the worker to the reader. */
export class Downlink implements DownlinkRing {
  /** Of the ring's frames. */
  readonly sampleRateHz: number;
  readonly coding: RingCoding;
  readonly memory: SharedArrayBuffer;
  readonly #frames: FrameRingConsumer;
  #framesLost = 0;
  #lostMs = 0;
  #toldAtMs = 0;

  /** The rate is that of samples. Packets have none. */
  constructor(sampleRateHz: number, coding: RingCoding = 'pcm') {
    this.coding = coding;
    this.sampleRateHz = coding === 'opus' ? PACKET_RING_RATE_HZ : sampleRateHz;
    this.memory = frameRingMemory(this.sampleRateHz);
    this.#frames = new FrameRingConsumer(this.memory, this.sampleRateHz);
  }

  /** What the engine writes into. */
  get ring(): DownlinkRing {
    const { sampleRateHz, memory, coding } = this;
    return { sampleRateHz, memory, coding };
  }

  /**
   * Offers the reader all queued frames. Frames it does not take stay queued, up to 200 ms. Several frames are queued
   * only when this thread is late, and then there is no time to send them one by one.
   */
  drain(reader: DownlinkReader): void {
    const waiting = this.#frames.waiting();
    this.#countLost();
    if (waiting > 1) reader.cork(() => this.#give(reader, waiting));
    else this.#give(reader, waiting);
  }

  #give(reader: DownlinkReader, frames: number): void {
    let waiting = frames;
    for (; waiting > 0 && reader.frame(this.#oldest()); waiting--) {
      this.#frames.release();
      this.#tell(reader, 0);
    }
    if (waiting === 0) return;
    this.#dropOldest(waiting);
    this.#tell(reader, TELL_EVERY_MS);
  }

  #oldest(): Uint8Array {
    const frame = this.#frames.oldest();
    return this.coding === 'opus' ? packetIn(frame) : frame;
  }

  /** Counts frames that the worker could not write because this thread did not read in time and the ring was full. */
  #countLost(): void {
    const lost = (this.#frames.framesLost - this.#framesLost) | 0;
    if (lost === 0) return;
    this.#framesLost = (this.#framesLost + lost) | 0;
    this.#lostMs += lost * FRAME_MS;
  }

  #dropOldest(waiting: number): void {
    for (let frames = waiting; frames > MAX_BEHIND_FRAMES; frames--) {
      this.#frames.release();
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
