import { frameSamples } from '../../base/frame.ts';
import type { AudioFormat, SampleFormat } from '../schema/stream.ts';
import { AUDIO_CODINGS, type AudioCoding } from './audio-coding.ts';

/** What a client wants its messages of audio to be. */
export interface MessageShape {
  readonly sampleRateHz: number;
  readonly format: AudioFormat;
  /** Length of a message in milliseconds; of a packet of Opus, as the gateway makes it. */
  readonly messageMs: number;
}

/** Samples in one message. */
export function messageSamples({ sampleRateHz, messageMs }: MessageShape): number {
  return Math.floor((sampleRateHz * messageMs) / 1_000);
}

/** Bytes of one message; 0 when they differ. */
export function messageBytes(shape: MessageShape): number {
  return hasSamples(shape) ? messageSamples(shape) * AUDIO_CODINGS[shape.format].bytesPerSample : 0;
}

/** The shape of messages that are samples, one after the other. */
export type SampleShape = MessageShape & { readonly format: SampleFormat };

export function hasSamples(shape: MessageShape): shape is SampleShape {
  return shape.format !== 'opus';
}

/** Makes messages of a shape from the 20 ms frames of a call. Uses one buffer for all of them. */
export class FramePacker {
  readonly #coding: AudioCoding;
  readonly #frameBytes: number;
  /** A message, and behind it what is left of the frame that completes it. */
  readonly #bytes: Uint8Array;
  readonly #message: Uint8Array;
  readonly #send: (message: Uint8Array) => void;
  #filled = 0;

  /** `send` gets each complete message, which is valid only during the call. */
  constructor(shape: SampleShape, send: (message: Uint8Array) => void) {
    this.#coding = AUDIO_CODINGS[shape.format];
    this.#frameBytes = frameSamples(shape.sampleRateHz) * this.#coding.bytesPerSample;
    this.#bytes = new Uint8Array(messageBytes(shape) + this.#frameBytes);
    this.#message = this.#bytes.subarray(0, messageBytes(shape));
    this.#send = send;
  }

  /** Whether another frame completes a message. */
  get isDue(): boolean {
    return this.#filled + this.#frameBytes >= this.#message.length;
  }

  /** Adds a frame: 16-bit little-endian mono PCM. */
  add(frame: Uint8Array): void {
    this.#coding.write(frame, this.#bytes, this.#filled);
    this.#filled += this.#frameBytes;
    for (; this.#filled >= this.#message.length; this.#filled -= this.#message.length) {
      this.#send(this.#message);
      this.#bytes.copyWithin(0, this.#message.length, this.#filled);
    }
  }
}
