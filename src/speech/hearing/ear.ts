import { FRAME_MS, frameSamples } from '../../base/frame.ts';
import { type FrameRing, FrameRingConsumer } from '../../rings/frame-ring.ts';
import { AwaitedWords } from './awaited-words.ts';
import { Interjection, type Verdict } from './interjection.ts';
import type { Interruption } from './interruption.ts';
import type { Listening } from './listening.ts';
import type { VoiceDetector } from './voice-detector.ts';

/** What is sent of the time before a voice is listened to. */
const RECENT_MS = 500;
/** What a recognizer may change of a voice with each of its frames. */
const MAX_TURNS = 2;

/** One voice of the platform. */
export class Ear {
  /** The voice's last 20 ms. */
  readonly frame: Int16Array;
  readonly recent: RecentAudio;
  readonly awaited = new AwaitedWords();
  readonly interjection: Interjection;
  listening: Listening | null = null;
  /** Null while nobody knows. */
  speaker: string | null;
  /** Whether it is told that the recognizer takes what was said last for a whole turn. */
  isTurnTold = true;
  /** When there was something to listen to. Monotonic. */
  activeMs = 0;
  readonly #ring: FrameRingConsumer;
  readonly #bytes: Uint8Array;
  readonly #detector: VoiceDetector;
  readonly #overlap: Overlap;
  readonly #voice: number;
  /** What the recognizer has changed since the last frame. */
  #turns = 0;
  /** Frames lost so far. Null until they are asked for: nobody missed what was lost before. */
  #lost: number | null = null;

  constructor(voice: number, { sampleRateHz, memory }: FrameRing, from: EarParts) {
    this.#voice = voice;
    this.speaker = from.speaker;
    this.#ring = new FrameRingConsumer(memory, sampleRateHz);
    this.frame = new Int16Array(frameSamples(sampleRateHz));
    this.#bytes = new Uint8Array(this.frame.buffer);
    this.recent = new RecentAudio(sampleRateHz, RECENT_MS);
    this.#detector = from.detector;
    this.interjection = new Interjection(from.interruption);
    this.#overlap = new Overlap(from.interruption.leastMs ?? OVERLAP_MS);
  }

  /** The speaker's name in transcripts. */
  get name(): string {
    return this.speaker ?? `Speaker ${this.#voice + 1}`;
  }

  /** Reads the next frame. Returns false when there is none. */
  next(): boolean {
    if (this.#ring.waiting() === 0) return false;
    this.#turns = 0;
    this.#bytes.set(this.#ring.oldest());
    this.#ring.release();
    return true;
  }

  /** Length of the voice's audio since it is tapped, up to the frame that was read. */
  get heardMs(): number {
    return ((this.#ring.framesRead + this.#ring.framesLost) >>> 0) * FRAME_MS;
  }

  get isSpeaking(): boolean {
    return this.#detector.isSpeaking;
  }

  /** Returns whether the voice starts or stops speaking with the frame that was read. */
  detectChange(): 'started' | 'ended' | null {
    return this.#detector.hear(this.frame);
  }

  /** Takes the power of what is sent to the voice. */
  sent(power: number): void {
    this.#detector.sent(power);
  }

  /** Whether the voice has spoken over an utterance for long enough, with the frame that was read. */
  wantsTurn(isPlaying: boolean): boolean {
    if (this.isOver(isPlaying)) return this.#overlap.take(this.#detector.isHeard);
    this.#overlap.forget();
    return false;
  }

  /** What becomes of the utterance that the voice speaks over, with the frame that was read. */
  interject(isPlaying: boolean): Verdict | null {
    return this.interjection.take(this.#detector.isVoiced, this.isOver(isPlaying), this.heardMs);
  }

  /** The recognizer says that the voice has started or stopped. Returns what changes with that. */
  turn(state: 'started' | 'ended'): 'started' | 'ended' | null {
    this.#turns += 1;
    return this.#turns > MAX_TURNS ? null : this.#detector.turn(state);
  }

  /** Whether something is played that can be heard, so that the voice speaks over it. */
  isOver(isPlaying: boolean): boolean {
    return isPlaying && this.#detector.isSending;
  }

  /** Frames lost since the last call, because this thread was late. Call it when the ring is empty. */
  takeLost(): number {
    const { framesLost } = this.#ring;
    const lost = (framesLost - (this.#lost ?? framesLost)) | 0;
    this.#lost = framesLost;
    return lost;
  }

  /** Frees the detector. Call it once. */
  close(): void {
    this.#detector.close();
  }
}

interface EarParts {
  readonly speaker: string | null;
  readonly detector: VoiceDetector;
  readonly interruption: Interruption;
}

/** Somebody who speaks for so long over what is played wants the turn, unless the preset says otherwise. */
const OVERLAP_MS = 220;
/** So much less of it must be heard as speech; consonants are not. */
const UNHEARD_MS = 20;
/** A longer pause ends what was said. */
const MAX_PAUSE_MS = 160;

/** Tells when somebody has spoken for so long over an utterance that it should stop. */
class Overlap {
  readonly #leastMs: number;
  #spanMs = 0;
  #heardMs = 0;
  #pauseMs = 0;

  constructor(leastMs: number) {
    this.#leastMs = leastMs;
  }

  /** Takes the next 20 ms. Returns true when the utterance should stop. Call `forget` while none can be heard. */
  take(isSpeech: boolean): boolean {
    if (isSpeech) this.#pauseMs = 0;
    else this.#pauseMs += FRAME_MS;
    if (this.#pauseMs > MAX_PAUSE_MS) this.forget();
    if (isSpeech) this.#heardMs += FRAME_MS;
    if (this.#heardMs > 0) this.#spanMs += FRAME_MS;
    return this.#spanMs >= this.#leastMs && this.#heardMs >= this.#leastMs - UNHEARD_MS;
  }

  forget(): void {
    this.#spanMs = 0;
    this.#heardMs = 0;
    this.#pauseMs = 0;
  }
}

/** The last frames of a voice that nobody listens to, so that the beginning of its first word is not lost. */
class RecentAudio {
  readonly #samples: Int16Array;
  readonly #frames: readonly Int16Array[];
  #kept = 0;

  constructor(sampleRateHz: number, keptMs: number) {
    const length = frameSamples(sampleRateHz);
    const count = keptMs / FRAME_MS;
    this.#samples = new Int16Array(count * length);
    this.#frames = Array.from({ length: count }, (_, i) =>
      this.#samples.subarray(i * length, (i + 1) * length),
    );
  }

  get lengthMs(): number {
    return Math.min(this.#kept, this.#frames.length) * FRAME_MS;
  }

  keep(frame: Int16Array): void {
    this.#frames[this.#kept % this.#frames.length]?.set(frame);
    this.#kept++;
  }

  /** Gives the kept frames, oldest first, and forgets them. */
  take(give: (frame: Int16Array) => void): void {
    const count = this.#frames.length;
    for (let i = Math.max(0, this.#kept - count); i < this.#kept; i++)
      give(this.#frames[i % count] as Int16Array);
    this.forget();
  }

  forget(): void {
    this.#kept = 0;
  }
}
