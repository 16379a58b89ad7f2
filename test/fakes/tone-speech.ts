import { decodeUlaw, encodeUlaw } from '../../src/audio/g711.ts';

/**
 * A language of tones, one per word, that fakes of vendors speak and understand. It survives G.711 and Opus, and the
 * same audio always has the same words, wherever it is cut between them.
 */
export const VOCABULARY = [
  'alpha',
  'bravo',
  'charlie',
  'delta',
  'echo',
  'foxtrot',
  'golf',
  'hotel',
  'india',
  'juliett',
  'kilo',
  'lima',
  'mike',
  'november',
  'oscar',
  'papa',
  'quebec',
  'romeo',
  'sierra',
  'tango',
  'uniform',
  'victor',
  'whiskey',
  'xray',
  'yankee',
  'zulu',
] as const;

export interface ToneFormat {
  readonly encoding: 's16le' | 'mulaw';
  readonly sampleRateHz: number;
}

/** A word and when it was heard, in ms of the audio since the beginning. */
export interface HeardWord {
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
}

/** A word that is being heard. Its tone is measured from its first to its last zero crossing. */
interface SpokenWord {
  readonly startMs: number;
  samples: number;
  isPositive: boolean;
  crossings: number;
  firstCrossing: number;
  lastCrossing: number;
}

const FIRST_HZ = 400;
const STEP_HZ = 100;
export const WORD_MS = 200;
export const GAP_MS = 100;
const AMPLITUDE = 8_000;
/** Below this level a frame is silent. */
const QUIET = 500;
/** Below this level a sample has no sign: resamplers ring before and after a tone. */
const FIRM = 2_000;
const FRAME_MS = 10;
/** Anything shorter is a click. */
const MIN_WORD_MS = 100;

/** Speaks each word for 200 ms and is silent for 100 ms after it. A word outside the vocabulary gets any of its tones. */
export function toneSpeech(text: string, format: ToneFormat): Uint8Array {
  const words = wordsOf(text);
  const wordSamples = samplesOf(WORD_MS, format);
  const stride = wordSamples + samplesOf(GAP_MS, format);
  const samples = new Int16Array(words.length * stride);
  words.forEach((word, place) => {
    const step = (2 * Math.PI * toneOf(word)) / format.sampleRateHz;
    for (let at = 0; at < wordSamples; at++)
      samples[place * stride + at] = Math.round(AMPLITUDE * Math.sin(step * (at + 0.5)));
  });
  return encode(samples, format);
}

export function silence(durationMs: number, format: ToneFormat): Uint8Array {
  return encode(new Int16Array(samplesOf(durationMs, format)), format);
}

export function bytesPerMs({ encoding, sampleRateHz }: ToneFormat): number {
  return ((encoding === 's16le' ? 2 : 1) * sampleRateHz) / 1_000;
}

/** Recognizes the words of tone speech. */
export class ToneRecognizer {
  readonly #format: ToneFormat;
  #rest = new Uint8Array(0);
  #heardMs = 0;
  #silentMs = 0;
  /** The word that is being spoken. */
  #word: SpokenWord | null = null;

  constructor(format: ToneFormat) {
    this.#format = format;
  }

  get heardMs(): number {
    return this.#heardMs;
  }

  /** How long it has been silent. */
  get silentMs(): number {
    return this.#silentMs;
  }

  get isSpeaking(): boolean {
    return this.#word !== null;
  }

  /** Takes any number of bytes and returns the words that ended with them. */
  hear(bytes: Uint8Array): HeardWord[] {
    const all = Buffer.concat([this.#rest, bytes]);
    const frameBytes = FRAME_MS * bytesPerMs(this.#format);
    const words: HeardWord[] = [];
    let at = 0;
    for (; at + frameBytes <= all.length; at += frameBytes) {
      const word = this.#hearFrame(decode(all.subarray(at, at + frameBytes), this.#format));
      if (word) words.push(word);
    }
    this.#rest = all.subarray(at);
    return words;
  }

  /** Ends the word that is being spoken. */
  flush(): HeardWord[] {
    const word = this.#endWord();
    return word ? [word] : [];
  }

  #hearFrame(frame: Int16Array): HeardWord | null {
    const isVoiced = frame.some((sample) => Math.abs(sample) > QUIET);
    const startMs = this.#heardMs;
    this.#heardMs += FRAME_MS;
    this.#silentMs = isVoiced ? 0 : this.#silentMs + FRAME_MS;
    if (!isVoiced) return this.#endWord();
    const isPositive = (frame[0] ?? 0) >= 0;
    this.#word ??= { startMs, samples: 0, isPositive, crossings: 0, firstCrossing: 0, lastCrossing: 0 };
    for (const sample of frame) follow(this.#word, sample);
    return null;
  }

  #endWord(): HeardWord | null {
    const word = this.#word;
    this.#word = null;
    if (!word) return null;
    const { sampleRateHz } = this.#format;
    const durationMs = (word.samples * 1_000) / sampleRateHz;
    if (durationMs < MIN_WORD_MS) return null;
    const periods = (word.crossings - 1) / 2;
    const hz = (periods * sampleRateHz) / (word.lastCrossing - word.firstCrossing);
    const text = VOCABULARY[Math.round((hz - FIRST_HZ) / STEP_HZ)] ?? 'noise';
    return { text, startMs: word.startMs, endMs: word.startMs + durationMs };
  }
}

function follow(word: SpokenWord, sample: number): void {
  word.samples += 1;
  if (Math.abs(sample) < FIRM || sample > 0 === word.isPositive) return;
  word.isPositive = !word.isPositive;
  word.crossings += 1;
  word.lastCrossing = word.samples;
  if (word.crossings === 1) word.firstCrossing = word.samples;
}

/** Returns all words of some tone speech. */
export function understand(audio: Uint8Array, format: ToneFormat): string {
  const recognizer = new ToneRecognizer(format);
  return [...recognizer.hear(audio), ...recognizer.flush()].map(({ text }) => text).join(' ');
}

/** The words of a text that have a tone of their own, in order and in lower case. */
export function wordsOfTones(text: string): string[] {
  return wordsOf(text).filter((word) => (VOCABULARY as readonly string[]).includes(word));
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}'-]+/gu) ?? [];
}

function toneOf(word: string): number {
  const known = (VOCABULARY as readonly string[]).indexOf(word);
  const hash = [...word].reduce((sum, letter) => sum + letter.charCodeAt(0), 0);
  return FIRST_HZ + STEP_HZ * (known >= 0 ? known : hash % VOCABULARY.length);
}

function samplesOf(durationMs: number, { sampleRateHz }: ToneFormat): number {
  return (durationMs * sampleRateHz) / 1_000;
}

function encode(samples: Int16Array, { encoding }: ToneFormat): Uint8Array {
  if (encoding === 's16le') return new Uint8Array(samples.buffer);
  const bytes = new Uint8Array(samples.length);
  encodeUlaw(samples, samples.length, bytes, 0);
  return bytes;
}

function decode(bytes: Uint8Array, { encoding }: ToneFormat): Int16Array {
  const samples = new Int16Array(encoding === 's16le' ? bytes.length / 2 : bytes.length);
  if (encoding === 'mulaw') decodeUlaw(bytes, 0, bytes.length, samples);
  else new Uint8Array(samples.buffer).set(bytes);
  return samples;
}
