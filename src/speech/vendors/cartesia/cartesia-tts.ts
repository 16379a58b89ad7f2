import type { CancelTimer } from '../../../base/time.ts';
import { isTemporary, type SpeechFault } from '../../speech-fault.ts';
import type { SpeechPreset } from '../../speech-preset.ts';
import type { TtsDialect, TtsParts, TtsVendor } from '../../tts/stream-synthesizer.ts';
import type { AlignedPart, SpokenPiece } from '../../tts/synthesizer.ts';
import { numberAt, numbersAt, objectAt, textAt, textsAt, type VendorMessage } from '../../vendor-message.ts';
import { retryDelayMs } from '../../vendor-socket.ts';
import { socketUrl } from '../vendor-manners.ts';
import { CARTESIA, encodingOf, faultOfError } from './cartesia-manners.ts';

const DEFAULT_MODEL = 'sonic-3';
const DEFAULT_VOICE = 'f786b574-daa5-4673-aa0c-cbe3e8534c02';
const MAX_TRIES = 3;
/** Cartesia answers text without any with an error. */
const SPEAKABLE = /[\p{L}\p{N}]/u;

/** What Cartesia is speaking. */
interface Context {
  readonly id: string;
  readonly piece: SpokenPiece;
  readonly words: WordParts;
  /** When the piece begins, in ms since the start of its utterance. */
  readonly fromMs: number;
}

/**
 * Speaks with Cartesia, each piece in a context of its own: a context dies 1 s after its last audio, and the next piece
 * is asked for while the last one plays. Contexts are spoken one after the other, because plans limit their number.
 *
 * Source: https://docs.cartesia.ai/api-reference/tts/websocket
 */
export const cartesiaTts: TtsVendor = {
  manners: CARTESIA,
  ratesHz: [16_000, 22_050, 24_000, 44_100, 48_000],
  newDialect: (parts) => new Sonic(parts),
};

class Sonic implements TtsDialect {
  readonly url: string;
  readonly keepAlive = null;
  readonly farewell = null;
  readonly #parts: TtsParts;
  /** Null while there is nothing to speak. */
  #context: Context | null = null;
  #contexts = 0;
  /** How often the piece has been refused for the moment. */
  #failures = 0;
  #cancelRetry: CancelTimer = () => {};
  #isRetrying = false;

  constructor(parts: TtsParts) {
    this.url = socketUrl(parts.preset.url, '/tts/websocket', {});
    this.#parts = parts;
  }

  isReady(): boolean {
    return this.#context === null && !this.#isRetrying;
  }

  opened(): void {
    this.#forget();
  }

  say(piece: SpokenPiece): void {
    if (!SPEAKABLE.test(piece.text)) return this.#done(piece);
    this.#contexts += 1;
    const id = `${this.#contexts}`;
    const { audioMs: fromMs } = this.#parts.speech;
    this.#context = { id, piece, words: new WordParts(piece.text), fromMs };
    this.#parts.speech.send(requestOf(this.#parts, id, piece.text));
  }

  abandon(): void {
    const context = this.#context;
    this.#forget();
    if (context) this.#parts.speech.send({ context_id: context.id, cancel: true });
  }

  message(message: VendorMessage): void {
    const contextId = textAt(message, 'context_id');
    const type = textAt(message, 'type') ?? '';
    const { speech } = this.#parts;
    if (type === 'error' && contextId === null) return speech.drop(faultOfError(message));
    // What still comes of a cancelled context is not heard.
    const context = this.#context;
    if (context === null || contextId !== context.id) return;
    switch (type) {
      case 'chunk':
        return speech.audio(Buffer.from(textAt(message, 'data') ?? '', 'base64'));
      case 'timestamps':
        return this.#takeTimes(context, objectAt(message, 'word_timestamps'));
      case 'done':
        this.#forget();
        return this.#done(context.piece);
      case 'error':
        return this.#refuse(context, faultOfError(message));
      default:
    }
  }

  close(): void {
    this.#forget();
  }

  #takeTimes({ words, fromMs }: Context, times: VendorMessage): void {
    const starts = numbersAt(times, 'start');
    const parts = textsAt(times, 'words')
      .map((word, place) => words.next(word, Math.round(fromMs + 1_000 * (starts[place] ?? 0))))
      .filter((part) => part !== null);
    this.#parts.speech.aligned(parts);
  }

  #done({ isLast }: SpokenPiece): void {
    if (isLast) this.#parts.speech.end();
    else this.#parts.speech.pause();
  }

  /** Errors end their context, also by `done: true`. */
  #refuse({ piece, fromMs }: Context, fault: SpeechFault): void {
    const { speech, clock, random } = this.#parts;
    this.#context = null;
    if (fault.kind === 'bad_key' || fault.kind === 'out_of_funds') return speech.drop(fault);
    this.#failures += 1;
    if (!isTemporary(fault) || speech.audioMs > fromMs || this.#failures >= MAX_TRIES) {
      this.#forget();
      return speech.fail(fault);
    }
    this.#isRetrying = true;
    this.#cancelRetry = clock.after(retryDelayMs(this.#failures, random()), () => {
      this.#isRetrying = false;
      this.say(piece);
    });
  }

  /** Forgets the piece that is being spoken. */
  #forget(): void {
    this.#context = null;
    this.#failures = 0;
    this.#cancelRetry();
    this.#isRetrying = false;
  }
}

function requestOf({ preset: { options }, format }: TtsParts, contextId: string, transcript: string): object {
  const pronunciation = textAt(options, 'pronunciation_dict_id');
  return {
    context_id: contextId,
    model_id: textAt(options, 'model') ?? DEFAULT_MODEL,
    voice: { mode: 'id', id: textAt(options, 'voice') ?? DEFAULT_VOICE },
    language: textAt(options, 'language') ?? 'en',
    transcript,
    continue: false,
    output_format: { container: 'raw', encoding: encodingOf(format), sample_rate: format.sampleRateHz },
    add_timestamps: true,
    // A piece is whole: there is nothing to wait for.
    max_buffer_delay_ms: numberAt(options, 'max_buffer_delay_ms') ?? 0,
    ...generationConfig(options),
    ...(pronunciation !== null && { pronunciation_dict_id: pronunciation }),
  };
}

/** Options that are as usual are left out: not every model takes them. */
function generationConfig(options: SpeechPreset['options']): object {
  const speed = numberAt(options, 'speed') ?? 1;
  const volume = numberAt(options, 'volume') ?? 1;
  const emotion = textAt(options, 'emotion');
  const config = {
    ...(speed !== 1 && { speed }),
    ...(volume !== 1 && { volume }),
    ...(emotion !== null && { emotion }),
  };
  return Object.keys(config).length === 0 ? {} : { generation_config: config };
}

/** What belongs to the word before it: marks, then spaces. */
const SEPARATOR = /[\p{P}\p{S}]*\s*/uy;

/** How far ahead a word is looked for. In UTF-16 units. */
const LOOKAHEAD = 200;

/** Finds words in the text that is spoken, and gives each the marks and spaces that follow it. */
export class WordParts {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /**
   * Returns the part of the text that ends with this word. Null if the word is not there, such as a number that is
   * spelled out: its text belongs to the next part.
   */
  next(word: string, startMs: number): AlignedPart | null {
    const found = this.#text.slice(this.#at, this.#at + LOOKAHEAD).indexOf(word);
    if (found < 0 || word === '') return null;
    const wordEnd = this.#at + found + word.length;
    SEPARATOR.lastIndex = wordEnd;
    const end = wordEnd + (SEPARATOR.exec(this.#text)?.[0].length ?? 0);
    const text = this.#text.slice(this.#at, end);
    this.#at = end;
    return { text, startMs };
  }
}
