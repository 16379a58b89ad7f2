import { TooManyAttempts } from '../../base/errors.ts';
import { runJob } from '../../threads/jobs.ts';
import { speechPieces } from '../text/speech-pieces.ts';
import { FLITE_RATE_HZ, MAX_FLITE_CHARS } from './flite.ts';
import type { FliteVoice } from './flite-voices.ts';
import { LocalSpeechError } from './local-speech-error.ts';

/** About ten minutes of speech. In UTF-16 units. */
export const MAX_TEXT_CHARS = 10_000;
/** A first piece of this length is ready in about 70 ms; in 0.5 s when no thread is running. */
const PIECES = { first: 60, rest: MAX_FLITE_CHARS };
/** Each has one piece in the queue of the jobs at most, so that sign-ins wait for 3 s at worst. */
const MAX_UTTERANCES = 32;

export interface SpeechRequest {
  readonly text: string;
  readonly voice: FliteVoice;
  /** Ends the speech at the next piece. */
  readonly signal: AbortSignal;
}

/** A part of a text with its audio: mono samples at 16 kHz, in a buffer of their own that may be transferred. */
export interface SpokenPiece {
  readonly text: string;
  readonly samples: Int16Array<ArrayBuffer>;
}

/** Totals since the start. */
export interface LocalTtsCounts {
  readonly characters: number;
  readonly audioMs: number;
  readonly failures: number;
  /** Utterances refused because too many were being spoken. */
  readonly refusals: number;
}

/** Speech synthesis without a vendor, on the threads for jobs. */
export class LocalTts {
  #speaking = 0;
  readonly #counts = { characters: 0, audioMs: 0, failures: 0, refusals: 0 };

  get counts(): LocalTtsCounts {
    return this.#counts;
  }

  /** Number of utterances being spoken. */
  get speaking(): number {
    return this.#speaking;
  }

  /**
   * Yields the audio of a text, piece by piece. The next piece is computed while the caller has the last one. Throws
   * LocalSpeechError. The caller must iterate to the end or leave the loop by `break`, `return` or an error.
   */
  async *speak(request: SpeechRequest): AsyncGenerator<SpokenPiece, void, undefined> {
    this.#admit(request);
    this.#speaking += 1;
    try {
      yield* this.#pieces(request);
    } finally {
      this.#speaking -= 1;
    }
  }

  #admit({ text }: SpeechRequest): void {
    if (text.length > MAX_TEXT_CHARS) {
      throw new LocalSpeechError('too_long', `Text is longer than ${MAX_TEXT_CHARS} characters`);
    }
    if (this.#speaking < MAX_UTTERANCES) return;
    this.#counts.refusals += 1;
    throw new LocalSpeechError('busy', 'Too many texts are being spoken on this machine');
  }

  async *#pieces({ text, voice, signal }: SpeechRequest): AsyncGenerator<SpokenPiece, void, undefined> {
    const texts = speechPieces(text, PIECES).filter((piece) => piece.trim() !== '');
    let ahead: Promise<Int16Array<ArrayBuffer>> | null = null;
    for (const [i, piece] of texts.entries()) {
      if (signal.aborted) return;
      const samples: Int16Array<ArrayBuffer> = await (ahead ?? this.#synthesize(piece, voice));
      const next = texts[i + 1];
      if (signal.aborted) return;
      ahead = next === undefined ? null : this.#synthesize(next, voice);
      // It may fail while the caller is busy with this piece, or has left.
      ahead?.catch(() => {});
      yield { text: piece, samples };
    }
  }

  async #synthesize(text: string, voice: FliteVoice): Promise<Int16Array<ArrayBuffer>> {
    try {
      const samples = await runJob('synthesize', { text, voice });
      this.#counts.characters += text.length;
      this.#counts.audioMs += Math.round((samples.length * 1000) / FLITE_RATE_HZ);
      return samples;
    } catch (error) {
      this.#counts.failures += 1;
      throw speechError(error);
    }
  }
}

function speechError(cause: unknown): LocalSpeechError {
  const isLate = cause instanceof Error && cause.name === 'AbortError';
  if (isLate) return new LocalSpeechError('timed_out', 'Speech synthesis did not finish in time', { cause });
  const isBusy = cause instanceof TooManyAttempts;
  return new LocalSpeechError(isBusy ? 'busy' : 'failed', 'Speech synthesis failed', { cause });
}
