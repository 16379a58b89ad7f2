import { runJob } from '../../jobs/jobs.ts';
import type { SpeechPreset } from '../speech-preset.ts';
import { speechPieces } from '../text/speech-pieces.ts';
import type { SpokenPiece, Synthesizer, SynthesizerObserver } from '../tts/synthesizer.ts';
import { textAt } from '../vendor-message.ts';
import { FLITE_RATE_HZ, MAX_FLITE_CHARS } from './flite.ts';
import { type FliteVoice, LOCAL_VOICES } from './flite-voices.ts';
import type { LocalPlaces } from './local-places.ts';
import { LocalSpeechError } from './local-speech-error.ts';

/** The voice of one call, by Flite. Pieces are computed one after the other. */
export function localSynthesizer(
  { options }: SpeechPreset,
  tts: LocalTts,
  observer: SynthesizerObserver,
): Synthesizer {
  const wanted = textAt(options, 'voice');
  const voice = (LOCAL_VOICES.find(({ id }) => id === wanted) ?? LOCAL_VOICES[0]).id;
  /** What aborts each utterance that is not over. */
  const utterances = new Map<string, AbortController>();
  /** Settled when all pieces so far have been spoken. Never rejected. */
  let spoken: Promise<void> = Promise.resolve();
  const cancel = (utteranceId: string): void => {
    utterances.get(utteranceId)?.abort();
    utterances.delete(utteranceId);
  };
  const say = async ({ utteranceId, text, isLast }: SpokenPiece, signal: AbortSignal): Promise<void> => {
    try {
      for await (const samples of tts.speak({ text, voice, signal })) {
        if (signal.aborted) return;
        observer.audio(utteranceId, new Uint8Array(samples.buffer));
      }
      if (signal.aborted || !isLast) return;
      utterances.delete(utteranceId);
      observer.ended(utteranceId);
    } catch (error) {
      if (signal.aborted) return;
      cancel(utteranceId);
      const { fault } =
        error instanceof LocalSpeechError ? error : new LocalSpeechError('failed', `${error}`);
      observer.failed(utteranceId, fault);
    }
  };
  return {
    format: { encoding: 's16le', sampleRateHz: FLITE_RATE_HZ },
    speak(piece) {
      const abort = utterances.get(piece.utteranceId) ?? new AbortController();
      utterances.set(piece.utteranceId, abort);
      spoken = spoken.then(() => say(piece, abort.signal));
    },
    cancel,
    async close() {
      for (const utteranceId of utterances.keys()) cancel(utteranceId);
    },
  };
}

/** A first piece of this length is ready in about 70 ms; in 0.5 s when no thread is running. */
const PIECES = { first: 60, rest: MAX_FLITE_CHARS };

export interface SpeechRequest {
  readonly text: string;
  readonly voice: FliteVoice;
  /** Ends the speech at the next piece. */
  readonly signal: AbortSignal;
}

/** Mono samples at 16 kHz, in a buffer of their own. */
export type SpokenSamples = Int16Array<ArrayBuffer>;

/** Speech synthesis without a vendor, for one call, on the threads for jobs. */
export class LocalTts {
  readonly #places: LocalPlaces;

  constructor(places: LocalPlaces) {
    this.#places = places;
  }

  /**
   * Yields the audio of a text, piece by piece. The next piece is computed while the caller has the last one. Throws
   * LocalSpeechError.
   */
  async *speak({ text, voice, signal }: SpeechRequest): AsyncGenerator<SpokenSamples, void, undefined> {
    const texts = speechPieces(text, PIECES).filter((piece) => piece.trim() !== '');
    let ahead: Promise<SpokenSamples> | null = null;
    for (const [i, piece] of texts.entries()) {
      if (signal.aborted) return;
      const samples: SpokenSamples = await (ahead ?? this.#synthesized(piece, voice));
      const next = texts[i + 1];
      if (signal.aborted) return;
      ahead = next === undefined ? null : this.#synthesized(next, voice);
      // It may fail while the caller is busy with this piece, or has left.
      ahead?.catch(() => {});
      yield samples;
    }
  }

  async #synthesized(text: string, voice: FliteVoice): Promise<SpokenSamples> {
    const leave = await this.#places.take('synthesis');
    if (leave === null) throw new LocalSpeechError('busy', 'Too many texts are being spoken on this machine');
    try {
      return await runJob('synthesize', { text, voice });
    } catch (error) {
      throw speechError(error);
    } finally {
      leave();
    }
  }
}

function speechError(cause: unknown): LocalSpeechError {
  const isLate = cause instanceof Error && cause.name === 'AbortError';
  return isLate
    ? new LocalSpeechError('timed_out', 'Speech synthesis did not finish in time', { cause })
    : new LocalSpeechError('failed', 'Speech synthesis failed', { cause });
}
