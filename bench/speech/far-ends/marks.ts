/**
 * A mark is a µ-law byte of its own, repeated: telephones and the vendor tell by it what they hear. The gateway passes it
 * on as it is, because nothing else speaks in the room and the vendor takes µ-law.
 */
export const MARKS = 64;
/** Positive samples, from loud to faint. */
const FIRST_BYTE = 0x90;
const TEXT = /^Mark (\d+)\./;

export function markedAudio(mark: number, bytes: number): Uint8Array {
  return new Uint8Array(bytes).fill(FIRST_BYTE + mark);
}

/** Returns the mark of which audio consists, or null. Looks at the whole, but not at each sample. */
export function markIn(audio: Uint8Array): number | null {
  const last = audio.length - 1;
  const byte = audio[last >> 1] as number;
  const mark = byte - FIRST_BYTE;
  const isPure = audio[0] === byte && audio[last >> 2] === byte && audio[last] === byte;
  return isPure && mark >= 0 && mark < MARKS ? mark : null;
}

/** A text for which the vendor speaks this mark. */
export function markedText(mark: number): string {
  return `Mark ${mark}.`;
}

export function markInText(text: string): number | null {
  const [, mark] = TEXT.exec(text) ?? [];
  return mark === undefined ? null : Number(mark);
}
