import { isTrueAt, numberAt, objectsAt, textAt, type VendorMessage } from '../../vendor-message.ts';
import { mean } from '../recognized-words.ts';
import type { Recognized } from '../recognizer.ts';

interface TurnWord {
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
}

/** A `Turn` message. Times in ms of the audio heard. */
export interface AssemblyAiTurn {
  readonly order: number;
  readonly isEnd: boolean;
  readonly isFormatted: boolean;
  readonly words: readonly TurnWord[];
  /** What is settled: at the end of the turn, all of it. */
  readonly settled: Recognized;
}

/** A speaker that is not known. */
const UNKNOWN = 'UNKNOWN';

/** `heardMs` maps the vendor's milliseconds. */
export function readTurn(message: VendorMessage, heardMs: (vendorMs: number) => number): AssemblyAiTurn {
  const ms = (word: VendorMessage, name: string): number => Math.round(heardMs(numberAt(word, name) ?? 0));
  const entries = objectsAt(message, 'words');
  const words = entries.map((word) => ({
    text: textAt(word, 'text') ?? '',
    startMs: ms(word, 'start'),
    endMs: ms(word, 'end'),
  }));
  const speaker = textAt(message, 'speaker_label');
  return {
    order: numberAt(message, 'turn_order') ?? 0,
    isEnd: isTrueAt(message, 'end_of_turn'),
    isFormatted: isTrueAt(message, 'turn_is_formatted'),
    words,
    settled: {
      ...timesOf(words),
      text: (textAt(message, 'transcript') ?? '').trim(),
      confidence: mean(entries.map((word) => numberAt(word, 'confidence')).filter((value) => value !== null)),
      language: textAt(message, 'language_code'),
      speaker: speaker === UNKNOWN ? null : speaker,
    },
  };
}

/** Returns the turn as if it had only these of its words. */
export function withWords(turn: AssemblyAiTurn, words: readonly TurnWord[]): Recognized {
  return { ...turn.settled, ...timesOf(words), text: words.map(({ text }) => text).join(' ') };
}

function timesOf(words: readonly TurnWord[]): Pick<Recognized, 'startMs' | 'endMs'> {
  return { startMs: words[0]?.startMs ?? null, endMs: words.at(-1)?.endMs ?? null };
}
