import type { AudioFormat } from '../../../src/speech/audio-format.ts';
import type { SpokenPiece, Synthesizer, SynthesizerObserver } from '../../../src/speech/tts/synthesizer.ts';

const MESSAGE_MS = 100;
const MESSAGE_EVERY_MS = 5;

export interface RecordedVoice {
  readonly sampleRateHz: number;
  /** Samples of each text, 16 bits, shared because presets are copied to their threads. */
  readonly recordings: Readonly<Record<string, SharedArrayBuffer>>;
}

/** A vendor that plays recordings, many times faster than they last. It knows whole texts only. */
export class RecordedSynthesizer implements Synthesizer {
  readonly format: AudioFormat;
  readonly #voice: RecordedVoice;
  readonly #observer: SynthesizerObserver;
  readonly #timers = new Map<string, NodeJS.Timeout>();

  constructor(voice: RecordedVoice, observer: SynthesizerObserver) {
    this.format = { encoding: 's16le', sampleRateHz: voice.sampleRateHz };
    this.#voice = voice;
    this.#observer = observer;
  }

  speak({ utteranceId, text }: SpokenPiece): void {
    const recording = this.#voice.recordings[text];
    if (recording === undefined) throw new Error(`no recording of ${text}`);
    const step = (this.format.sampleRateHz * MESSAGE_MS * 2) / 1000;
    let from = 0;
    const send = (): void => {
      if (from >= recording.byteLength) {
        this.cancel(utteranceId);
        return this.#observer.ended(utteranceId);
      }
      const part = new Uint8Array(recording, from, Math.min(step, recording.byteLength - from)).slice();
      from += step;
      this.#observer.audio(utteranceId, part);
    };
    this.#timers.set(utteranceId, setInterval(send, MESSAGE_EVERY_MS));
  }

  cancel(utteranceId: string): void {
    clearInterval(this.#timers.get(utteranceId));
    this.#timers.delete(utteranceId);
  }

  async close(): Promise<void> {
    for (const utteranceId of this.#timers.keys()) this.cancel(utteranceId);
  }
}
