import { PacketLossConcealer } from '../audio/plc.ts';
import { SOMETIME, SOON, TimeScaler } from '../audio/time-scaler.ts';
import { unreachable } from '../base/assert.ts';
import { FRAME_MS, frameSamples } from '../base/frame.ts';
import { wallMs } from '../base/wall-ms.ts';
import { type Depth, PlayoutDepth, SAME_STREAM_MS, UNDERRUN_GAP_MS } from './playout-depth.ts';
import { PlayoutQueue } from './playout-queue.ts';

const FADE_MS = 5;
/** A stream that may be interrupted within three frames is heard, so that it can be concealed. */
const NEAR_END_MS = 3 * FRAME_MS;
/**
 * State of the playout. `buffering` waits until enough audio is queued, `playing` produces one frame per tick until the
 * ring is empty, `concealing` fills in for a live stream that was interrupted, and `fading` ends cleared audio within the
 * next frame.
 */
type Phase =
  | { readonly name: 'idle'; silentMs: number }
  | { readonly name: 'buffering'; waitedMs: number }
  | { readonly name: 'playing'; flushed: boolean }
  | { readonly name: 'concealing'; silentMs: number }
  | { readonly name: 'fading'; readonly fromConcealment: boolean };

/**
 * Plays a ring of audio, such as an agent's: produces the frames of the room. They do not depend on how the stream was
 * split into messages.
 */
export class Playout {
  underruns = 0;
  /** Milliseconds by which the audio was shortened to reduce the delay. They count as played. */
  shortenedMs = 0;
  /** Milliseconds by which the audio was lengthened to fill the queue. */
  lengthenedMs = 0;
  readonly #queue: PlayoutQueue;
  readonly #frameSamples: number;
  readonly #rateHz: number;
  readonly #depth: Depth;
  #phase: Phase = { name: 'idle', silentMs: Number.POSITIVE_INFINITY };
  /** Whether everything waits, until it is told to go on. */
  #isHeld = false;
  /** Whether the next frame goes on with a stream that broke off unconcealed. */
  #mustFadeIn = false;
  /** Allocated for the first change of pace. */
  #scaler: TimeScaler | null = null;
  /** Hears the stream while it is live and the queue is short. */
  #concealer: PacketLossConcealer | null = null;

  constructor(memory: SharedArrayBuffer, sampleRateHz: number, depth: Depth = new PlayoutDepth()) {
    this.#depth = depth;
    this.#queue = new PlayoutQueue(memory, sampleRateHz);
    this.#rateHz = sampleRateHz;
    this.#frameSamples = frameSamples(sampleRateHz);
  }

  /**
   * Milliseconds played since the leg was created. Together with `droppedMs` it covers all audio read from the ring.
   */
  get playedMs(): number {
    return this.#queue.playedMs;
  }

  get droppedMs(): number {
    return this.#queue.droppedMs;
  }

  /** As `playedMs`, without what waits in here for the next frame. */
  get leftMs(): number {
    return this.#queue.leftMs;
  }

  /** Milliseconds that wait to be played, including what does not fit into the ring yet. */
  get queuedMs(): number {
    return this.#queue.queuedMs;
  }

  /** When the last frame had come, if what follows it came at its pace. */
  get arrivedAtMs(): number {
    return wallMs() - this.queuedMs;
  }

  /** Whether more waits to be queued than the ring holds. */
  get isBehind(): boolean {
    return this.#queue.isBehind;
  }

  /** Whether cleared audio still has its last frame to play. */
  get fading(): boolean {
    return this.#phase.name === 'fading';
  }

  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** Silent from the next frame on, until `release`. */
  hold(): void {
    this.#isHeld = true;
  }

  /** Goes on with the sample after the last one that left. What has come meanwhile is not hurried. */
  release(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#depth.resumed(Number.POSITIVE_INFINITY);
  }

  /** Fills `frame` with the agent's next 20 ms. Returns false when the agent is silent. */
  pull(frame: Int16Array): boolean {
    if (this.#isHeld && !this.fading) return false;
    switch (this.#phase.name) {
      case 'idle':
        return this.#pullIdle(frame, this.#phase);
      case 'buffering':
        return this.#pullBuffering(frame, this.#phase);
      case 'playing':
        return this.#pullPlaying(frame, this.#phase);
      case 'concealing':
        return this.#pullConcealing(frame, this.#phase);
      case 'fading':
        return this.#pullFading(frame, this.#phase);
      default:
        return unreachable(this.#phase);
    }
  }

  /** Takes the id of a mark whose audio has left, or NO_MARK. Call it after the frame has been sent. */
  takeDueMark(): number {
    return this.#queue.takeDueMark();
  }

  /**
   * Drops all audio and notes before `position` and note `noteCount`, except for a 5 ms fade-out if audio is playing.
   * What is written afterwards is not held.
   */
  clear(position: number, noteCount: number): void {
    if (this.#phase.name === 'playing' && !this.#isHeld)
      this.#queue.fill((this.#rateHz * FADE_MS) / 1000, position, this.#frameSamples);
    this.#queue.discardTo(position, noteCount);
    if (this.#phase.name === 'fading') return this.release();
    if (this.#isHeld) return this.#dropHeld();
    const fromConcealment = this.#phase.name === 'concealing';
    const audible = fromConcealment || (this.#phase.name === 'playing' && this.#queue.length > 0);
    this.#phase = audible
      ? { name: 'fading', fromConcealment }
      : { name: 'idle', silentMs: Number.POSITIVE_INFINITY };
  }

  #dropHeld(): void {
    this.#queue.dropRest();
    this.#concealer?.forget();
    this.#phase = { name: 'idle', silentMs: Number.POSITIVE_INFINITY };
    this.release();
  }

  /** Drops everything that has been written so far, as `clear` does. */
  clearAll(): void {
    const { position, noteCount } = this.#queue.end;
    this.clear(position, noteCount);
  }

  #pullIdle(frame: Int16Array, phase: Phase & { name: 'idle' }): boolean {
    phase.silentMs += FRAME_MS;
    if (!this.#queue.hasMore) return false;
    this.#mustFadeIn = this.#depth.resumed(phase.silentMs);
    if (this.#mustFadeIn) this.underruns++;
    if (phase.silentMs > SAME_STREAM_MS) this.#concealer?.forget();
    const buffering = { name: 'buffering', waitedMs: 0 } as const satisfies Phase;
    this.#phase = buffering;
    return this.#pullBuffering(frame, buffering);
  }

  #pullBuffering(frame: Int16Array, phase: Phase & { name: 'buffering' }): boolean {
    if (this.queuedMs < this.#depth.targetMs && phase.waitedMs < this.#depth.targetMs) {
      phase.waitedMs += FRAME_MS;
      return false;
    }
    const playing = { name: 'playing', flushed: false } satisfies Phase;
    this.#phase = playing;
    return this.#pullPlaying(frame, playing);
  }

  #pullPlaying(frame: Int16Array, phase: Phase & { name: 'playing' }): boolean {
    if (this.#depth.pace !== 'usual') return this.#pullAtPace(frame, phase);
    this.#queue.fill(this.#frameSamples, null, null);
    if (this.#queue.length < this.#frameSamples) return this.#pullRemainder(frame, phase);
    this.#queue.shift(frame, this.#frameSamples);
    this.#notePlayed(frame, phase);
    return true;
  }

  /** Fills a frame with more or less audio than lasts a frame. */
  #pullAtPace(frame: Int16Array, phase: Phase & { name: 'playing' }): boolean {
    const depth = this.#depth;
    const scaler = this.#scaler ?? new TimeScaler(this.#rateHz);
    this.#scaler = scaler;
    const isFaster = depth.pace === 'faster';
    const wanted = (depth.offMs * this.#rateHz) / 1000;
    const needed = isFaster ? scaler.inputSamples(wanted) : this.#frameSamples;
    this.#queue.fill(needed, null, this.#frameSamples);
    if (this.#queue.length < needed) return this.#pullRemainder(frame, phase);
    const haste = depth.isFarOff ? SOON : SOMETIME;
    const taken = isFaster
      ? scaler.shorten(this.#queue.samples, wanted, haste, frame)
      : scaler.lengthen(this.#queue.samples, wanted, haste, frame);
    this.#queue.skip(taken);
    this.#noteShortened(((taken - this.#frameSamples) * 1000) / this.#rateHz);
    this.#notePlayed(frame, phase);
    return true;
  }

  #noteShortened(ms: number): void {
    if (ms === 0) return;
    if (ms > 0) this.shortenedMs += ms;
    else this.lengthenedMs -= ms;
    this.#depth.shortened(ms);
  }

  #notePlayed(frame: Int16Array, phase: Phase & { name: 'playing' }): void {
    phase.flushed = false;
    if (this.#mustFadeIn) this.#fadeIn(frame);
    const queuedMs = this.queuedMs;
    this.#depth.played(queuedMs);
    if ((queuedMs < NEAR_END_MS && this.#depth.isLive) || this.#concealer?.isConcealing) this.#hear(frame);
    else this.#concealer?.miss();
  }

  /** A sound that begins in its middle would click. */
  #fadeIn(frame: Int16Array): void {
    this.#mustFadeIn = false;
    const length = Math.floor((this.#rateHz * FADE_MS) / 1000);
    for (let i = 0; i < length; i++) frame[i] = ((frame[i] as number) * (i + 1)) / (length + 1);
  }

  #hear(frame: Int16Array): void {
    this.#concealer ??= new PacketLossConcealer(this.#rateHz, UNDERRUN_GAP_MS);
    this.#concealer.heard(frame, 0, frame.length);
  }

  /** There is less than needed. Plays the rest; a live stream that ends here has been interrupted. */
  #pullRemainder(frame: Int16Array, phase: Phase & { name: 'playing' }): boolean {
    if (this.#queue.length >= this.#frameSamples) {
      this.#queue.shift(frame, this.#frameSamples);
      this.#notePlayed(frame, phase);
      return true;
    }
    return this.#depth.isLive && this.#concealer !== null
      ? this.#pullInterrupted(frame, this.#concealer)
      : this.#pullEnd(frame, phase);
  }

  #pullInterrupted(frame: Int16Array, concealer: PacketLossConcealer): boolean {
    const length = this.#queue.length;
    this.#queue.shift(frame, length);
    if (length > 0) concealer.heard(frame, 0, length);
    concealer.conceal(frame, length, this.#frameSamples - length);
    this.#phase = { name: 'concealing', silentMs: 0 };
    return true;
  }

  /** Plays the rest, including the resampler's tail, padded with silence. */
  #pullEnd(frame: Int16Array, phase: Phase & { name: 'playing' }): boolean {
    if (!phase.flushed) {
      phase.flushed = true;
      this.#queue.flushResampler();
    }
    const length = Math.min(this.#queue.length, this.#frameSamples);
    frame.fill(0, length);
    this.#queue.shift(frame, length);
    if (this.#queue.length === 0 && !this.#queue.hasMore) this.#phase = { name: 'idle', silentMs: 0 };
    return length > 0;
  }

  #pullConcealing(frame: Int16Array, phase: Phase & { name: 'concealing' }): boolean {
    phase.silentMs += FRAME_MS;
    if (this.#queue.hasMore) return this.#resume(frame, phase.silentMs);
    if (phase.silentMs > UNDERRUN_GAP_MS) {
      this.#queue.forgetTail();
      this.#phase = { name: 'idle', silentMs: phase.silentMs };
      return false;
    }
    this.#concealer?.conceal(frame, 0, frame.length);
    return true;
  }

  /** Plays at once what there is. It is lengthened until enough is queued again. */
  #resume(frame: Int16Array, gapMs: number): boolean {
    if (this.#depth.resumed(gapMs)) this.underruns++;
    const playing = { name: 'playing', flushed: false } satisfies Phase;
    this.#phase = playing;
    return this.#pullPlaying(frame, playing);
  }

  #pullFading(frame: Int16Array, phase: Phase & { name: 'fading' }): boolean {
    const most = Math.floor((this.#rateHz * FADE_MS) / 1000);
    const length = phase.fromConcealment ? most : Math.min(this.#queue.length, most);
    if (phase.fromConcealment) this.#concealer?.conceal(frame, 0, length);
    else this.#queue.shift(frame, length);
    for (let i = 0; i < length; i++) frame[i] = ((frame[i] as number) * (length - i)) / length;
    frame.fill(0, length);
    this.#queue.dropRest();
    // What comes next does not continue what was cleared.
    this.#concealer?.forget();
    this.#phase = { name: 'idle', silentMs: Number.POSITIVE_INFINITY };
    return true;
  }
}
