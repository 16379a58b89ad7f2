import { isQuiet } from '../audio/quiet.ts';
import { Resampler } from '../audio/resampler.ts';
import { unreachable } from '../base/assert.ts';
import { FRAME_MS, frameSamples, MAX_SAMPLE_RATE_HZ } from '../base/frame.ts';
import { NO_MARK, RingConsumer } from '../threads/ring-consumer.ts';
import { DueMarks } from './due-marks.ts';
import { type Depth, PlayoutDepth } from './playout-depth.ts';
import { SampleFifo } from './sample-fifo.ts';

const FADE_OUT_MS = 5;
const PIECE_CAPACITY = frameSamples(MAX_SAMPLE_RATE_HZ) + 1;
/** Scratch memory between a ring and a resampler, used by all playouts in turn so that it stays in the CPU cache. */
const piece = new Int16Array(PIECE_CAPACITY);
/** View of the start of `piece`, as long as the last read. The length rarely changes. */
let pieceFront = piece;

/** Returns a view of the first `length` samples of `piece`. Copying a whole array is faster than a part. */
function frontOf(length: number): Int16Array {
  if (length !== pieceFront.length) pieceFront = piece.subarray(0, length);
  return pieceFront;
}

/**
 * State of the playout. `buffering` waits until enough audio is queued, `playing` produces one frame per tick until the
 * ring is empty, and `fading` ends cleared audio within the next frame.
 */
type Phase =
  | { readonly name: 'idle'; silentMs: number }
  | { readonly name: 'buffering'; waitedMs: number }
  | { readonly name: 'playing'; flushed: boolean }
  | { readonly name: 'fading' };

/**
 * Plays a ring of audio, such as an agent's: produces the frames of the room. They do not depend on how the stream was
 * split into messages.
 */
export class Playout {
  readonly #ring: RingConsumer;
  readonly #frameSamples: number;
  readonly #rateHz: number;
  readonly #depth: Depth;
  readonly #fifo: SampleFifo;
  /** Samples at the front of the fifo that came from the agent. The rest is padding after an utterance. */
  #agentSamples = 0;
  /** Null while the agent's rate equals the room's. */
  #resampler: Resampler | null = null;
  #agentRateHz: number;
  #phase: Phase = { name: 'idle', silentMs: Number.POSITIVE_INFINITY };
  #shiftedSamples = 0;
  readonly #marks = new DueMarks();
  #underruns = 0;
  #driftDrops = 0;

  constructor(memory: SharedArrayBuffer, sampleRateHz: number, depth: Depth = new PlayoutDepth()) {
    this.#depth = depth;
    this.#ring = new RingConsumer(memory);
    this.#rateHz = sampleRateHz;
    this.#agentRateHz = sampleRateHz;
    this.#frameSamples = frameSamples(sampleRateHz);
    this.#fifo = new SampleFifo(this.#frameSamples);
  }

  /**
   * Milliseconds played since the leg was created. Together with `droppedMs` it covers all audio read from the ring.
   */
  get playedMs(): number {
    return this.#ring.playedMs;
  }

  get droppedMs(): number {
    return this.#ring.droppedMs;
  }

  get underruns(): number {
    return this.#underruns;
  }

  get driftDrops(): number {
    return this.#driftDrops;
  }

  /** Whether cleared audio still has its last frame to play. */
  get fading(): boolean {
    return this.#phase.name === 'fading';
  }

  /** Fills `frame` with the agent's next 20 ms. Returns false when the agent is silent. */
  pull(frame: Int16Array): boolean {
    switch (this.#phase.name) {
      case 'idle':
        return this.#pullIdle(frame, this.#phase);
      case 'buffering':
        return this.#pullBuffering(frame, this.#phase);
      case 'playing':
        return this.#pullPlaying(frame, this.#phase);
      case 'fading':
        return this.#pullFading(frame);
      default:
        return unreachable(this.#phase);
    }
  }

  /** Takes the id of a mark whose audio has left, or NO_MARK. Call it after the frame has been sent. */
  takeDueMark(): number {
    this.#collectMarks();
    if (this.#marks.isEmpty) this.#ring.releaseMarks();
    return this.#marks.take(this.#shiftedSamples);
  }

  /**
   * Drops all audio and notes before `position` and note `noteCount`, except for a 5 ms fade-out if audio is playing.
   */
  clear(position: number, noteCount: number): void {
    if (this.#phase.name === 'playing') this.#fill((this.#rateHz * FADE_OUT_MS) / 1000, position);
    this.#ring.countDropped(this.#ring.discardTo(position, noteCount));
    this.#marks.clear();
    this.#ring.releaseMarks();
    if (this.#phase.name === 'fading') return;
    const audible = this.#phase.name === 'playing' && this.#fifo.length > 0;
    this.#phase = audible ? { name: 'fading' } : { name: 'idle', silentMs: Number.POSITIVE_INFINITY };
  }

  /** Drops everything that has been written so far, as `clear` does. */
  clearAll(): void {
    const position = this.#ring.writtenPosition;
    this.clear(position, this.#ring.notesWritten);
  }

  #pullIdle(frame: Int16Array, phase: Phase & { name: 'idle' }): boolean {
    phase.silentMs += FRAME_MS;
    if (this.#ring.queuedSamples === 0) return false;
    if (this.#depth.resumed(phase.silentMs)) this.#underruns++;
    const buffering = { name: 'buffering', waitedMs: 0 } as const satisfies Phase;
    this.#phase = buffering;
    return this.#pullBuffering(frame, buffering);
  }

  #pullBuffering(frame: Int16Array, phase: Phase & { name: 'buffering' }): boolean {
    if (this.#queuedMs() < this.#depth.targetMs && phase.waitedMs < this.#depth.targetMs) {
      phase.waitedMs += FRAME_MS;
      return false;
    }
    const playing = { name: 'playing', flushed: false } satisfies Phase;
    this.#phase = playing;
    return this.#pullPlaying(frame, playing);
  }

  #pullPlaying(frame: Int16Array, phase: Phase & { name: 'playing' }): boolean {
    this.#fill(this.#frameSamples, null);
    if (this.#fifo.length < this.#frameSamples) return this.#pullRemainder(frame, phase);
    phase.flushed = false;
    this.#shift(frame, this.#frameSamples);
    this.#depth.played(this.#queuedMs());
    if (this.#depth.surplus && isQuiet(frame, 0, frame.length)) this.#dropFrame(frame);
    return true;
  }

  /** The ring is empty: plays the rest, including the resampler's tail, padded with silence. */
  #pullRemainder(frame: Int16Array, phase: Phase & { name: 'playing' }): boolean {
    if (!phase.flushed) {
      phase.flushed = true;
      this.#flushResampler();
    }
    const length = Math.min(this.#fifo.length, this.#frameSamples);
    frame.fill(0, length);
    this.#shift(frame, length);
    if (this.#fifo.length === 0 && this.#ring.queuedSamples === 0)
      this.#phase = { name: 'idle', silentMs: 0 };
    return length > 0;
  }

  #pullFading(frame: Int16Array): boolean {
    const length = Math.min(this.#fifo.length, Math.floor((this.#rateHz * FADE_OUT_MS) / 1000));
    this.#shift(frame, length);
    for (let i = 0; i < length; i++) frame[i] = ((frame[i] as number) * (length - i)) / length;
    frame.fill(0, length);
    this.#forgetFifo();
    this.#phase = { name: 'idle', silentMs: Number.POSITIVE_INFINITY };
    return true;
  }

  /** Reclassifies the rest of the fifo from played to dropped. */
  #forgetFifo(): void {
    const leftMs = (this.#agentSamples * 1000) / this.#rateHz;
    this.#ring.countPlayed(-leftMs);
    this.#ring.countDropped(leftMs);
    this.#flushResampler();
    this.#fifo.clear();
    this.#agentSamples = 0;
  }

  #dropFrame(frame: Int16Array): void {
    this.#fill(this.#frameSamples, null);
    if (this.#fifo.length < this.#frameSamples) return;
    this.#shift(frame, this.#frameSamples);
    this.#ring.countPlayed(-FRAME_MS);
    this.#ring.countDropped(FRAME_MS);
    this.#depth.surplusDropped();
    this.#driftDrops++;
  }

  /** Reads the ring until the fifo holds `samples`, the ring is empty, or `until` is reached. */
  #fill(samples: number, until: number | null): void {
    while (this.#fifo.length < samples) {
      this.#collectMarks();
      let length = this.#ring.readableSamples();
      if (until !== null) length = Math.min(length, this.#ring.distanceTo(until));
      if (length <= 0) return;
      this.#feed(Math.min(length, this.#pieceSamples(samples - this.#fifo.length)));
    }
  }

  /**
   * Number of samples at the ring's rate that yield `missing` samples at the room's rate: at least one, at most 20 ms.
   */
  #pieceSamples(missing: number): number {
    const inHz = this.#ring.sampleRateHz;
    return Math.min(PIECE_CAPACITY, Math.max(1, Math.ceil((missing * inHz) / this.#rateHz)));
  }

  #feed(length: number): void {
    const rateHz = this.#ring.sampleRateHz;
    this.#setAgentRate(rateHz);
    this.#ring.read(piece, 0, length);
    this.#append(length);
    this.#agentSamples = this.#fifo.length;
    this.#ring.countPlayed((length * 1000) / rateHz);
  }

  #setAgentRate(rateHz: number): void {
    if (rateHz === this.#agentRateHz) return;
    this.#flushResampler();
    this.#agentRateHz = rateHz;
    this.#resampler =
      rateHz === this.#rateHz ? null : new Resampler(rateHz, this.#rateHz, frameSamples(rateHz) + 1);
  }

  /** Pushes 20 ms of silence through the resampler to get the end of the utterance out of its delay line. */
  #flushResampler(): void {
    if (this.#resampler === null) return;
    const length = frameSamples(this.#agentRateHz);
    piece.fill(0, 0, length);
    this.#append(length);
  }

  /** Appends the first `length` samples of `piece` to the fifo at the room's rate. */
  #append(length: number): void {
    const front = frontOf(length);
    this.#fifo.append(this.#resampler === null ? front : this.#resampler.process(front, length));
  }

  #shift(frame: Int16Array, count: number): void {
    this.#fifo.shift(frame, count);
    this.#shiftedSamples += count;
    this.#agentSamples = Math.max(0, this.#agentSamples - count);
  }

  #collectMarks(): void {
    while (!this.#marks.isFull) {
      const markId = this.#ring.takeMark();
      if (markId === NO_MARK) return;
      this.#marks.add(markId, this.#shiftedSamples + this.#fifo.length);
    }
  }

  #queuedMs(): number {
    const rateHz = this.#ring.sampleRateHz || this.#rateHz;
    const queuedMs = (this.#ring.queuedSamples * 1000) / rateHz;
    return queuedMs + this.#ring.behindMs + (this.#fifo.length * 1000) / this.#rateHz;
  }
}
