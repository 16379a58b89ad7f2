import type { LibOpus } from '../../audio/libopus.ts';
import { GatewayError } from '../../base/errors.ts';
import { FRAME_MS } from '../../base/frame.ts';
import type { StreamRequest } from '../schema/stream.ts';
import { AUDIO_CODINGS } from './audio-coding.ts';
import { FramePacker, hasSamples, type MessageShape } from './frame-packer.ts';
import { OpusIntake } from './opus-intake.ts';
import { StreamFault } from './stream-request.ts';

/** Of one call. To encode for a listener takes eight times as long as all else that is done for one. */
const MAX_OPUS_STREAMS = 4;

export type AudioConfig = Extract<StreamRequest, { type: 'audio_config' }>;

export interface ClientAudioDeps {
  /** The rate before the client declares one. */
  readonly nativeRateHz: number;
  /** This thread's library. */
  readonly opus: () => LibOpus;
  /** Those of the call that use Opus. */
  readonly opusStreams: Set<object>;
  readonly nowMs: () => number;
  /** Sends a message that was packed. */
  readonly send: (message: Uint8Array) => void;
}

/** How a client writes and reads audio, in both directions, as it has declared it. */
export class ClientAudio {
  readonly #deps: ClientAudioDeps;
  #shape: MessageShape;
  #packer: FramePacker | null = null;
  /** Null: the client does not speak Opus. */
  #intake: OpusIntake | null = null;

  constructor(deps: ClientAudioDeps) {
    this.#deps = deps;
    this.#shape = { sampleRateHz: deps.nativeRateHz, format: 'pcm_s16le', messageMs: FRAME_MS };
  }

  get shape(): MessageShape {
    return this.#shape;
  }

  /** Null: the client gets the frames of the call, or packets, as they are. */
  get packer(): FramePacker | null {
    return this.#packer;
  }

  /** Whether what is written at another rate than the declared one is so. Opus is decoded at the declared rate. */
  get hasSamples(): boolean {
    return this.#intake === null;
  }

  /**
   * Changes the shape. What was packed for a message of the former one is dropped.
   * @throws StreamFault, GatewayError `too_many_streams`; the former shape then stays
   */
  declare({ sample_rate, format, frame_ms }: AudioConfig): void {
    if (sample_rate === undefined && format === undefined && frame_ms === undefined) return;
    const former = this.#shape;
    const shape = {
      sampleRateHz: sample_rate ?? former.sampleRateHz,
      format: format ?? former.format,
      messageMs: frame_ms ?? (format === 'opus' ? FRAME_MS : former.messageMs),
    };
    if (hasSamples(shape)) {
      const isPlain = shape.format === 'pcm_s16le' && shape.messageMs === FRAME_MS;
      this.#packer = isPlain ? null : new FramePacker(shape, this.#deps.send);
      this.close();
    } else this.#useOpus(shape);
    this.#shape = shape;
  }

  /**
   * Returns the samples of a message, valid until the next one; null when it came too far ahead of time and is dropped.
   * Throws a StreamFault if it is invalid.
   */
  read(bytes: ArrayBuffer): Int16Array | null {
    if (hasSamples(this.#shape)) return AUDIO_CODINGS[this.#shape.format].read(bytes);
    return this.#intake!.read(bytes, this.#deps.nowMs());
  }

  /** Releases the decoder. */
  close(): void {
    this.#intake?.close();
    this.#intake = null;
    this.#deps.opusStreams.delete(this);
  }

  #useOpus({ sampleRateHz, messageMs }: MessageShape): void {
    const { opus, opusStreams, nowMs } = this.#deps;
    if (messageMs !== FRAME_MS)
      throw new StreamFault('invalid_message', 'frame_ms: with opus, every message is a packet');
    if (!opusStreams.has(this) && opusStreams.size >= MAX_OPUS_STREAMS)
      throw new GatewayError('too_many_streams', `Only ${MAX_OPUS_STREAMS} streams of a call may use opus`);
    const intake = new OpusIntake(opus, sampleRateHz, nowMs());
    this.close();
    opusStreams.add(this);
    this.#intake = intake;
    this.#packer = null;
  }
}
