import { wholeWords } from './whole-words.ts';

/** When the characters of one chunk of audio are spoken, as ElevenLabs reports it. Both lists have the same length. */
export interface CharacterTimes {
  readonly characters: readonly string[];
  readonly startsMs: readonly number[];
}

/** Which text an utterance has reached at which time, from the times of its characters. */
export class CharacterAlignment {
  #text = '';
  /** Length of the text up to and with each character, in UTF-16 units. */
  readonly #lengths: number[] = [];
  readonly #startsMs: number[] = [];
  #audioMs = 0;

  /** Adds a chunk of `audioMs`. The vendor sends some chunks without times (null). */
  add(times: CharacterTimes | null, audioMs: number): void {
    const offsetMs = this.#offsetMs(times?.startsMs[0] ?? 0);
    for (const [i, startMs] of (times?.startsMs ?? []).entries()) {
      this.#text += times?.characters[i] ?? '';
      this.#lengths.push(this.#text.length);
      this.#startsMs.push(offsetMs + startMs);
    }
    this.#audioMs += audioMs;
  }

  /** Returns the words that had been spoken after `playedMs`. A word counts when its last character has begun. */
  spokenText(playedMs: number): string {
    const heard = this.#startsMs.findIndex((startMs) => startMs >= playedMs);
    if (heard === -1) return this.#text;
    return wholeWords(this.#text, this.#lengths[heard - 1] ?? 0);
  }

  /**
   * Times count from the start of the chunk or from that of the utterance; clients of this vendor disagree. The first
   * character of a later chunk is near the one or the other.
   */
  #offsetMs(firstStartMs: number): number {
    return firstStartMs < this.#audioMs / 2 ? this.#audioMs : 0;
  }
}
