import type { AlignedPart } from '../../tts/synthesizer.ts';
import { numbersAt, objectAt, textsAt, type VendorMessage } from '../../vendor-message.ts';

/** Names of the lists, old ones included. */
const STARTS = ['charStartTimesMs', 'char_start_times_ms'];
const DURATIONS = ['charDurationsMs', 'charsDurationsMs', 'char_durations_ms', 'chars_durations_ms'];

/**
 * When the characters of an utterance are spoken. ElevenLabs counts from the beginning of each message's audio, by its
 * description, or from that of the utterance, as others have seen: a time that runs back tells.
 */
export class CharacterTimes {
  /** The end of the last message's characters, as ElevenLabs counts. */
  #endMs = 0;
  #isPerMessage = false;

  /** `beforeMs`: the utterance's audio before this message. */
  read(message: VendorMessage, beforeMs: number): AlignedPart[] {
    const alignment = alignmentOf(message);
    const chars = textsAt(alignment, 'chars');
    const starts = listOf(alignment, STARTS);
    const first = starts[0];
    if (first === undefined || chars.length !== starts.length) return [];
    this.#isPerMessage ||= first < this.#endMs;
    this.#endMs = Math.max(...starts) + (listOf(alignment, DURATIONS).at(-1) ?? 1);
    const offsetMs = this.#isPerMessage ? beforeMs : 0;
    return chars.map((text, at) => ({ text, startMs: Math.round(offsetMs + (starts[at] ?? 0)) }));
  }
}

/** The one of the text as it was sent comes first. */
function alignmentOf(message: VendorMessage): VendorMessage {
  const names = ['alignment', 'normalizedAlignment', 'normalized_alignment'];
  return names.map((name) => objectAt(message, name)).find((each) => Array.isArray(each.chars)) ?? {};
}

function listOf(alignment: VendorMessage, names: readonly string[]): readonly number[] {
  return names.map((name) => numbersAt(alignment, name)).find((list) => list.length > 0) ?? [];
}
