import type { AudioFormat } from '../audio-format.ts';
import type { SpeechPreset } from '../speech-preset.ts';
import type { SpokenPiece, Synthesizer, SynthesizerObserver } from '../tts/synthesizer.ts';
import { textAt } from '../vendor-message.ts';
import { FLITE_RATE_HZ } from './flite.ts';
import { type FliteVoice, LOCAL_VOICES } from './flite-voices.ts';
import { LocalSpeechError } from './local-speech-error.ts';
import type { LocalTts } from './local-tts.ts';

/** The voice of one call, by Flite. Pieces are computed one after the other. */
export class LocalSynthesizer implements Synthesizer {
  readonly format: AudioFormat = { encoding: 's16le', sampleRateHz: FLITE_RATE_HZ };
  readonly #tts: LocalTts;
  readonly #voice: FliteVoice;
  readonly #observer: SynthesizerObserver;
  /** What aborts each utterance that is not over. */
  readonly #utterances = new Map<string, AbortController>();
  /** Settled when all pieces so far have been spoken. Never rejected. */
  #spoken: Promise<void> = Promise.resolve();

  constructor({ options }: SpeechPreset, tts: LocalTts, observer: SynthesizerObserver) {
    const wanted = textAt(options, 'voice');
    this.#voice = (LOCAL_VOICES.find(({ id }) => id === wanted) ?? LOCAL_VOICES[0]).id;
    this.#tts = tts;
    this.#observer = observer;
  }

  speak(piece: SpokenPiece): void {
    const { utteranceId } = piece;
    const abort = this.#utterances.get(utteranceId) ?? new AbortController();
    this.#utterances.set(utteranceId, abort);
    this.#spoken = this.#spoken.then(() => this.#speak(piece, abort.signal));
  }

  cancel(utteranceId: string): void {
    this.#utterances.get(utteranceId)?.abort();
    this.#utterances.delete(utteranceId);
  }

  async close(): Promise<void> {
    for (const utteranceId of this.#utterances.keys()) this.cancel(utteranceId);
  }

  async #speak({ utteranceId, text, isLast }: SpokenPiece, signal: AbortSignal): Promise<void> {
    try {
      for await (const samples of this.#tts.speak({ text, voice: this.#voice, signal })) {
        if (signal.aborted) return;
        this.#observer.audio(utteranceId, new Uint8Array(samples.buffer));
      }
      if (signal.aborted || !isLast) return;
      this.#utterances.delete(utteranceId);
      this.#observer.ended(utteranceId);
    } catch (error) {
      if (signal.aborted) return;
      this.cancel(utteranceId);
      const { fault } =
        error instanceof LocalSpeechError ? error : new LocalSpeechError('failed', `${error}`);
      this.#observer.failed(utteranceId, fault);
    }
  }
}
