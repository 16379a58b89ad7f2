import type { AudioFormat } from '../../../src/speech/audio-format.ts';
import type { SpokenPiece, Synthesizer, SynthesizerObserver } from '../../../src/speech/tts/synthesizer.ts';
import { Tone } from '../tone.ts';

const MESSAGE_MS = 100;
const MESSAGE_EVERY_MS = 5;
export const STALL_MS = 1_200;
const NEVER = new Int32Array(new SharedArrayBuffer(4));

export interface ToneVoice {
  readonly format: AudioFormat;
  readonly toneHz: number;
  readonly msPerCharacter: number;
  /** Time until the first audio of an utterance. */
  readonly firstByteMs: number;
  /** Messages that still come after a cancel. */
  readonly lateMessages: number;
}

/**
 * A vendor that speaks in one tone, many times faster than it is played. The text `crash` ends its thread, `stall` holds
 * it up.
 */
export class ToneSynthesizer implements Synthesizer {
  readonly format: AudioFormat;
  readonly #voice: ToneVoice;
  readonly #observer: SynthesizerObserver;
  readonly #tone: Tone;
  readonly #pieces: { readonly piece: SpokenPiece; leftMs: number; messages: number }[] = [];
  #timer: NodeJS.Timeout | null = null;

  constructor(voice: ToneVoice, observer: SynthesizerObserver) {
    this.format = voice.format;
    this.#voice = voice;
    this.#observer = observer;
    this.#tone = new Tone(voice.toneHz, voice.format.sampleRateHz, 0.3);
  }

  speak(piece: SpokenPiece): void {
    if (piece.text === 'crash') setTimeout(() => this.#crash());
    if (piece.text === 'stall') setTimeout(() => Atomics.wait(NEVER, 0, 0, STALL_MS));
    const leftMs = piece.text.length * this.#voice.msPerCharacter;
    this.#pieces.push({ piece, leftMs, messages: Number.POSITIVE_INFINITY });
    this.#timer ??= setTimeout(() => this.#send(), this.#voice.firstByteMs);
  }

  cancel(utteranceId: string): void {
    for (const item of this.#pieces)
      if (item.piece.utteranceId === utteranceId) item.messages = this.#voice.lateMessages;
  }

  async close(): Promise<void> {
    this.#pieces.length = 0;
  }

  #send(): void {
    const [item] = this.#pieces;
    this.#timer = item === undefined ? null : setTimeout(() => this.#send(), MESSAGE_EVERY_MS);
    if (item === undefined) return;
    const { utteranceId, isLast } = item.piece;
    const lengthMs = Math.min(MESSAGE_MS, item.leftMs);
    if (lengthMs > 0 && item.messages > 0) {
      item.leftMs -= lengthMs;
      item.messages--;
      const samples = new Int16Array((this.format.sampleRateHz * lengthMs) / 1000);
      this.#tone.fill(samples);
      return this.#observer.audio(utteranceId, new Uint8Array(samples.buffer));
    }
    this.#pieces.shift();
    if (isLast) this.#observer.ended(utteranceId);
  }

  #crash(): void {
    throw new Error('the vendor client crashed');
  }
}
