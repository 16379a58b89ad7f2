import { assert } from '../../base/assert.ts';
import { MAX_VOICES, MEDIA_MEMORY_BYTES } from '../../media/media-leg.ts';

/*
 * Which source has which voice, in the call's shared memory behind RtpState, so that voices stay the same when the
 * call moves to another engine thread:
 *
 *   byte 128 ┌──────────────────────┬──────────────────────┐
 *            │ 1 when it is taken   │ SSRC or CSRC         │  voice 0
 *        136 ├──────────────────────┼──────────────────────┤
 *            │ …                                           │
 *        184 └─────────────────────────────────────────────┘
 */
const OFFSET_BYTES = 128;
const WORDS = 2;
const PLACES = MAX_VOICES - 1;

/** The voice that all sources without a voice of their own share. */
export const OTHERS = PLACES;

/** Silence after which a source counts as gone, and its voice may go to another one. */
export const GONE_AFTER_MS = 10_000;

/** The voices that each belong to one source. Times are wall-clock. */
export class VoicePlaces {
  readonly #words: Uint32Array;
  readonly #heardAtMs: Float64Array;

  constructor(memory: SharedArrayBuffer, nowMs: number) {
    const length = PLACES * WORDS;
    assert(
      OFFSET_BYTES + length * Uint32Array.BYTES_PER_ELEMENT <= MEDIA_MEMORY_BYTES,
      'the media memory is too small',
    );
    this.#words = new Uint32Array(memory, OFFSET_BYTES, length);
    this.#heardAtMs = new Float64Array(PLACES).fill(nowMs);
  }

  /** Calls `tell` for each voice that has a source. */
  forEach(tell: (voice: number, source: number) => void): void {
    for (let voice = 0; voice < PLACES; voice++) if (this.#isTaken(voice)) tell(voice, this.#sourceOf(voice));
  }

  /** Returns the source's own voice, or OTHERS. */
  find(source: number): number {
    for (let voice = 0; voice < PLACES; voice++)
      if (this.#isTaken(voice) && this.#sourceOf(voice) === source) return voice;
    return OTHERS;
  }

  /**
   * Gives the source a voice: a free one, otherwise that of the source that has been gone longest. Returns OTHERS when
   * there is none.
   */
  take(source: number, nowMs: number): number {
    const voice = this.#available(nowMs);
    if (voice === OTHERS) return OTHERS;
    this.#words[voice * WORDS] = 1;
    this.#words[voice * WORDS + 1] = source;
    this.#heardAtMs[voice] = nowMs;
    return voice;
  }

  /** The source of this voice was heard. */
  note(voice: number, nowMs: number): void {
    this.#heardAtMs[voice] = nowMs;
  }

  #available(nowMs: number): number {
    let longest = 0;
    for (let voice = 0; voice < PLACES; voice++) {
      if (!this.#isTaken(voice)) return voice;
      if (this.#heardAtMs[voice]! < this.#heardAtMs[longest]!) longest = voice;
    }
    return nowMs - this.#heardAtMs[longest]! >= GONE_AFTER_MS ? longest : OTHERS;
  }

  #isTaken(voice: number): boolean {
    return this.#words[voice * WORDS] === 1;
  }

  #sourceOf(voice: number): number {
    return this.#words[voice * WORDS + 1]!;
  }
}
