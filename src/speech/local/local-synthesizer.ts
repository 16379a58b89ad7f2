import { TooManyAttempts } from '../../base/errors.ts';
import { runJob } from '../../jobs/jobs.ts';
import type { AudioFormat } from '../audio-format.ts';
import type { SpeechPreset } from '../speech-preset.ts';
import { speechPieces } from '../text/speech-pieces.ts';
import type { SpokenPiece, Synthesizer, SynthesizerObserver } from '../tts/synthesizer.ts';
import { textAt } from '../vendor-message.ts';
import { FLITE_RATE_HZ, MAX_FLITE_CHARS } from './flite.ts';
import { type FliteVoice, LOCAL_VOICES } from './flite-voices.ts';
import { LocalSpeechError } from './local-speech-error.ts';

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

/** A first piece of this length is ready in about 70 ms; in 0.5 s when no thread is running. */
const PIECES = { first: 60, rest: MAX_FLITE_CHARS };
/** Each has one piece in the queue of this thread's jobs at most, so that the last one waits for 3 s at worst. */
const MAX_UTTERANCES = 32;

export interface SpeechRequest {
  readonly text: string;
  readonly voice: FliteVoice;
  /** Ends the speech at the next piece. */
  readonly signal: AbortSignal;
}

/** Mono samples at 16 kHz, in a buffer of their own. */
export type SpokenSamples = Int16Array<ArrayBuffer>;

/** Speech synthesis without a vendor, on the threads for jobs. */
export class LocalTts {
  #speaking = 0;

  /**
   * Yields the audio of a text, piece by piece. The next piece is computed while the caller has the last one. Throws
   * LocalSpeechError. The caller must iterate to the end or leave the loop by `break`, `return` or an error.
   */
  async *speak(request: SpeechRequest): AsyncGenerator<SpokenSamples, void, undefined> {
    if (this.#speaking >= MAX_UTTERANCES)
      throw new LocalSpeechError('busy', 'Too many texts are being spoken on this machine');
    this.#speaking += 1;
    try {
      yield* piecesOf(request);
    } finally {
      this.#speaking -= 1;
    }
  }
}

async function* piecesOf({
  text,
  voice,
  signal,
}: SpeechRequest): AsyncGenerator<SpokenSamples, void, undefined> {
  const texts = speechPieces(text, PIECES).filter((piece) => piece.trim() !== '');
  let ahead: Promise<SpokenSamples> | null = null;
  for (const [i, piece] of texts.entries()) {
    if (signal.aborted) return;
    const samples: SpokenSamples = await (ahead ?? synthesized(piece, voice));
    const next = texts[i + 1];
    if (signal.aborted) return;
    ahead = next === undefined ? null : synthesized(next, voice);
    // It may fail while the caller is busy with this piece, or has left.
    ahead?.catch(() => {});
    yield samples;
  }
}

async function synthesized(text: string, voice: FliteVoice): Promise<SpokenSamples> {
  try {
    return await runJob('synthesize', { text, voice });
  } catch (error) {
    throw speechError(error);
  }
}

function speechError(cause: unknown): LocalSpeechError {
  const isLate = cause instanceof Error && cause.name === 'AbortError';
  if (isLate) return new LocalSpeechError('timed_out', 'Speech synthesis did not finish in time', { cause });
  const isBusy = cause instanceof TooManyAttempts;
  return new LocalSpeechError(isBusy ? 'busy' : 'failed', 'Speech synthesis failed', { cause });
}
