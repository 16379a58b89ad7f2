import { PacketLossConcealer } from '../audio/plc.ts';
import { Resampler } from '../audio/resampler.ts';
import { SOMETIME, SOON, TimeScaler } from '../audio/time-scaler.ts';
import { unreachable } from '../base/assert.ts';
import { FRAME_MS, frameSamples, MAX_SAMPLE_RATE_HZ } from '../base/frame.ts';
import { wallMs } from '../base/wall-ms.ts';
import { NO_MARK, RingConsumer } from '../rings/ring-consumer.ts';
import { NOTE_CAPACITY } from '../rings/ring-layout.ts';
import { type Depth, PlayoutDepth, SAME_STREAM_MS, UNDERRUN_GAP_MS } from './playout-depth.ts';
import { SampleFifo } from './sample-fifo.ts';

const FADE_MS = 5;
/** A stream that may be interrupted within three frames is heard, so that it can be concealed. */
const NEAR_END_MS = 3 * FRAME_MS;
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
  /** Whether everything waits, until it is told to go on. */
  #isHeld = false;
  /** Whether the next frame goes on with a stream that broke off unconcealed. */
  #mustFadeIn = false;
  #shiftedSamples = 0;
  /**
   * Marks that have left the ring and wait until the samples before them have left the fifo, each with the number of
   * samples that must have left before it is due.
   */
  readonly #marks: { readonly markId: number; readonly dueAt: number }[] = [];
  /** Allocated for the first change of pace. */
  #scaler: TimeScaler | null = null;
  /** Hears the stream while it is live and the queue is short. */
  #concealer: PacketLossConcealer | null = null;

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

  /** As `playedMs`, without what waits in here for the next frame. */
  get leftMs(): number {
    return this.playedMs - (this.#agentSamples * 1000) / this.#rateHz;
  }

  /** Milliseconds that wait to be played, including what does not fit into the ring yet. */
  get queuedMs(): number {
    const rateHz = this.#ring.sampleRateHz || this.#rateHz;
    const queuedMs = (this.#ring.queuedSamples * 1000) / rateHz;
    return queuedMs + this.#ring.behindMs + (this.#fifo.length * 1000) / this.#rateHz;
  }

  /** When the last frame had come, if what follows it came at its pace. */
  get arrivedAtMs(): number {
    return wallMs() - this.queuedMs;
  }

  /** Whether more waits to be queued than the ring holds. */
  get isBehind(): boolean {
    return this.#ring.behindMs > 0;
  }

  /** Whether cleared audio still has its last frame to play. */
  get fading(): boolean {
    return this.#phase.name === 'fading';
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
    this.#collectMarks();
    const [next] = this.#marks;
    if (next === undefined) this.#ring.releaseMarks();
    if (next === undefined || next.dueAt > this.#shiftedSamples) return NO_MARK;
    this.#marks.shift();
    return next.markId;
  }

  /**
   * Drops all audio and notes before `position` and note `noteCount`, except for a 5 ms fade-out if audio is playing.
   * What is written afterwards is not held.
   */
  clear(position: number, noteCount: number): void {
    if (this.#phase.name === 'playing' && !this.#isHeld)
      this.#fill((this.#rateHz * FADE_MS) / 1000, position);
    this.#ring.countDropped(this.#ring.discardTo(position, noteCount));
    this.#marks.length = 0;
    this.#ring.releaseMarks();
    if (this.#phase.name === 'fading') return this.release();
    if (this.#isHeld) return this.#dropHeld();
    const fromConcealment = this.#phase.name === 'concealing';
    const audible = fromConcealment || (this.#phase.name === 'playing' && this.#fifo.length > 0);
    this.#phase = audible
      ? { name: 'fading', fromConcealment }
      : { name: 'idle', silentMs: Number.POSITIVE_INFINITY };
  }

  #dropHeld(): void {
    this.#forgetFifo();
    this.#concealer?.forget();
    this.#phase = { name: 'idle', silentMs: Number.POSITIVE_INFINITY };
    this.release();
  }

  /** Drops everything that has been written so far, as `clear` does. */
  clearAll(): void {
    const position = this.#ring.writtenPosition;
    this.clear(position, this.#ring.notesWritten);
  }

  #pullIdle(frame: Int16Array, phase: Phase & { name: 'idle' }): boolean {
    phase.silentMs += FRAME_MS;
    if (this.#ring.queuedSamples === 0) return false;
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
    this.#fill(this.#frameSamples, null);
    if (this.#fifo.length < this.#frameSamples) return this.#pullRemainder(frame, phase);
    this.#shift(frame, this.#frameSamples);
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
    this.#fill(needed, null);
    if (this.#fifo.length < needed) return this.#pullRemainder(frame, phase);
    const haste = depth.isFarOff ? SOON : SOMETIME;
    const taken = isFaster
      ? scaler.shorten(this.#fifo.samples, wanted, haste, frame)
      : scaler.lengthen(this.#fifo.samples, wanted, haste, frame);
    this.#fifo.drop(taken);
    this.#noteShifted(taken);
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
    if (this.#fifo.length >= this.#frameSamples) {
      this.#shift(frame, this.#frameSamples);
      this.#notePlayed(frame, phase);
      return true;
    }
    return this.#depth.isLive && this.#concealer !== null
      ? this.#pullInterrupted(frame, this.#concealer)
      : this.#pullEnd(frame, phase);
  }

  #pullInterrupted(frame: Int16Array, concealer: PacketLossConcealer): boolean {
    const length = this.#fifo.length;
    this.#shift(frame, length);
    if (length > 0) concealer.heard(frame, 0, length);
    concealer.conceal(frame, length, this.#frameSamples - length);
    this.#phase = { name: 'concealing', silentMs: 0 };
    return true;
  }

  /** Plays the rest, including the resampler's tail, padded with silence. */
  #pullEnd(frame: Int16Array, phase: Phase & { name: 'playing' }): boolean {
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

  #pullConcealing(frame: Int16Array, phase: Phase & { name: 'concealing' }): boolean {
    phase.silentMs += FRAME_MS;
    if (this.#ring.queuedSamples > 0) return this.#resume(frame, phase.silentMs);
    if (phase.silentMs > UNDERRUN_GAP_MS) {
      this.#dropTail();
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

  /** Empties the resampler for the next utterance. */
  #dropTail(): void {
    this.#flushResampler();
    this.#fifo.clear();
  }

  #pullFading(frame: Int16Array, phase: Phase & { name: 'fading' }): boolean {
    const most = Math.floor((this.#rateHz * FADE_MS) / 1000);
    const length = phase.fromConcealment ? most : Math.min(this.#fifo.length, most);
    if (phase.fromConcealment) this.#concealer?.conceal(frame, 0, length);
    else this.#shift(frame, length);
    for (let i = 0; i < length; i++) frame[i] = ((frame[i] as number) * (length - i)) / length;
    frame.fill(0, length);
    this.#forgetFifo();
    // What comes next does not continue what was cleared.
    this.#concealer?.forget();
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

  /** Reads the ring until the fifo holds `samples`, the ring is empty, or `until` is reached. */
  #fill(samples: number, until: number | null): void {
    while (this.#fifo.length < samples) {
      this.#collectMarks();
      let length = this.#ring.readableSamples();
      if (until !== null) length = Math.min(length, this.#ring.distanceTo(until));
      if (length <= 0) return;
      // At another pace something else is missing each time. Pieces of one length need no new view.
      const missing = this.#depth.pace === 'usual' ? samples - this.#fifo.length : this.#frameSamples;
      this.#feed(Math.min(length, this.#pieceSamples(missing)));
    }
  }

  /**
   * Number of samples at the ring's rate that yield `missing` samples at the room's rate: at least one, at most 20 ms.
   */
  #pieceSamples(missing: number): number {
    const inHz = this.#ring.sampleRateHz;
    return Math.min(frameSamples(inHz) + 1, Math.max(1, Math.ceil((missing * inHz) / this.#rateHz)));
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
    this.#noteShifted(count);
  }

  #noteShifted(count: number): void {
    this.#shiftedSamples += count;
    this.#agentSamples = Math.max(0, this.#agentSamples - count);
  }

  #collectMarks(): void {
    while (this.#marks.length < NOTE_CAPACITY) {
      const markId = this.#ring.takeMark();
      if (markId === NO_MARK) return;
      this.#marks.push({ markId, dueAt: this.#shiftedSamples + this.#fifo.length });
    }
  }
}
