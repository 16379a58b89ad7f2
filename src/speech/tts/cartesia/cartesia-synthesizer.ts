import { type AudioFormat, bytesPerSample, bytesPerSecond, nearestFormat } from '../../audio-format.ts';
import { retryDelayMs } from '../../retry-delay.ts';
import { isTemporary, type SpeechFault } from '../../speech-fault.ts';
import type { SpeechPreset } from '../../speech-preset.ts';
import { numberAt, numbersAt, objectAt, textAt, textsAt, type VendorMessage } from '../../vendor-message.ts';
import { VendorSocket, type VendorSocketDeps } from '../../vendor-socket.ts';
import { socketUrl } from '../../vendor-url.ts';
import { CARTESIA, faultOfError } from '../../vendors/cartesia/cartesia-manners.ts';
import { endpointOf } from '../../vendors/vendor-manners.ts';
import type { SpokenPiece, Synthesizer, SynthesizerObserver } from '../synthesizer.ts';
import { WholeSamples } from '../whole-samples.ts';
import { WordParts } from './word-parts.ts';

const RATES_HZ = [16_000, 22_050, 24_000, 44_100, 48_000] as const;
const DEFAULT_MODEL = 'sonic-3';
const DEFAULT_VOICE = 'f786b574-daa5-4673-aa0c-cbe3e8534c02';
const MAX_PIECES = 64;
const MAX_TRIES = 3;
/** Cartesia answers text without any with an error. */
const SPEAKABLE = /[\p{L}\p{N}]/u;

/** What Cartesia is speaking. */
interface Context {
  readonly id: string;
  readonly samples: WholeSamples;
  readonly words: WordParts;
  /** When the piece begins, in ms since the start of its utterance. */
  readonly fromMs: number;
  audioBytes: number;
}

/**
 * Speaks with Cartesia, each piece in a context of its own: a context dies 1 s after its last audio, and the next piece
 * is asked for while the last one plays. Contexts are spoken one after the other, because plans limit their number.
 *
 * Source: https://docs.cartesia.ai/api-reference/tts/websocket
 */
export class CartesiaSynthesizer implements Synthesizer {
  readonly format: AudioFormat;
  readonly #options: SpeechPreset['options'];
  readonly #deps: VendorSocketDeps;
  readonly #observer: SynthesizerObserver;
  readonly #socket: VendorSocket;
  /** In order. The first one is spoken. */
  #pieces: SpokenPiece[] = [];
  /** Null while there is nothing to speak, or nobody to speak it. */
  #context: Context | null = null;
  #contexts = 0;
  /** The utterance of the last audio and its length. */
  #spoken = { utteranceId: '', bytes: 0 };
  /** How often the first piece has been refused for the moment. */
  #failures = 0;
  #cancelRetry = (): void => {};
  #isRetrying = false;
  #isOpen = false;
  #isDisconnected = false;

  /** `rateHz` is the rate of the call. */
  constructor(preset: SpeechPreset, rateHz: number, deps: VendorSocketDeps, observer: SynthesizerObserver) {
    this.format = nearestFormat(RATES_HZ, rateHz);
    this.#options = preset.options;
    this.#deps = deps;
    this.#observer = observer;
    const url = socketUrl(preset.url, '/tts/websocket', {});
    this.#socket = new VendorSocket(endpointOf(CARTESIA, url, preset.key), deps, {
      opened: () => this.#open(),
      message: (message) => this.#take(message),
      binary: () => {},
      lost: (fault) => this.#lose(fault),
      failed: (fault) => this.#end(fault),
    });
  }

  speak(piece: SpokenPiece): void {
    if (this.#pieces.length >= MAX_PIECES) {
      const words = `More than ${MAX_PIECES} sentences are waiting to be spoken`;
      return this.#fail(piece.utteranceId, { kind: 'refused', words });
    }
    this.#pieces.push(piece);
    this.#next();
  }

  cancel(utteranceId: string): void {
    const isSpoken = this.#pieces[0]?.utteranceId === utteranceId;
    this.#pieces = this.#pieces.filter((piece) => piece.utteranceId !== utteranceId);
    if (isSpoken) this.#abandon();
    this.#next();
  }

  async close(): Promise<void> {
    this.#cancelRetry();
    this.#pieces = [];
    this.#context = null;
    await this.#socket.close();
  }

  #open(): void {
    this.#isOpen = true;
    if (this.#isDisconnected) this.#observer.reconnected();
    this.#isDisconnected = false;
    this.#next();
  }

  /** Has the first piece spoken, if it is not being spoken. */
  #next(): void {
    this.#skipSilentPieces();
    const [piece] = this.#pieces;
    if (piece === undefined || this.#context || this.#isRetrying || !this.#socket.isOpen) return;
    const { utteranceId, text } = piece;
    if (this.#spoken.utteranceId !== utteranceId) this.#spoken = { utteranceId, bytes: 0 };
    this.#contexts += 1;
    const id = `${this.#contexts}`;
    const fromMs = this.#msOf(this.#spoken.bytes);
    this.#context = {
      id,
      samples: new WholeSamples(bytesPerSample(this.format)),
      words: new WordParts(text),
      fromMs,
      audioBytes: 0,
    };
    this.#socket.send(JSON.stringify(this.#request(id, text)));
  }

  #skipSilentPieces(): void {
    for (let piece = this.#pieces[0]; piece && !SPEAKABLE.test(piece.text); piece = this.#pieces[0]) {
      this.#pieces.shift();
      if (piece.isLast) this.#observer.ended(piece.utteranceId);
    }
  }

  #request(contextId: string, transcript: string): object {
    const options = this.#options;
    const pronunciation = textAt(options, 'pronunciation_dict_id');
    return {
      context_id: contextId,
      model_id: textAt(options, 'model') ?? DEFAULT_MODEL,
      voice: { mode: 'id', id: textAt(options, 'voice') ?? DEFAULT_VOICE },
      language: textAt(options, 'language') ?? 'en',
      transcript,
      continue: false,
      output_format: {
        container: 'raw',
        encoding: this.format.encoding === 'mulaw' ? 'pcm_mulaw' : 'pcm_s16le',
        sample_rate: this.format.sampleRateHz,
      },
      add_timestamps: true,
      // A piece is whole: there is nothing to wait for.
      max_buffer_delay_ms: numberAt(options, 'max_buffer_delay_ms') ?? 0,
      ...generationConfig(options),
      ...(pronunciation !== null && { pronunciation_dict_id: pronunciation }),
    };
  }

  #take(message: VendorMessage): void {
    const contextId = textAt(message, 'context_id');
    const isError = textAt(message, 'type') === 'error';
    if (isError && contextId === null) return this.#socket.drop(faultOfError(message));
    // What still comes of a cancelled context is not heard.
    const context = this.#context;
    const [piece] = this.#pieces;
    if (context === null || piece === undefined || contextId !== context.id) return;
    switch (textAt(message, 'type') ?? '') {
      case 'chunk':
        this.#takeAudio(context, piece, textAt(message, 'data') ?? '');
        break;
      case 'timestamps':
        this.#takeTimes(context, piece, objectAt(message, 'word_timestamps'));
        break;
      case 'done':
        this.#finish(piece);
        break;
      case 'error':
        this.#refuse(context, piece, faultOfError(message));
        break;
      default:
    }
  }

  #takeAudio(context: Context, { utteranceId }: SpokenPiece, base64: string): void {
    const data = context.samples.take(Buffer.from(base64, 'base64'));
    if (data.length === 0) return;
    context.audioBytes += data.length;
    this.#spoken.bytes += data.length;
    this.#observer.audio(utteranceId, data);
  }

  #takeTimes(context: Context, { utteranceId }: SpokenPiece, times: VendorMessage): void {
    const starts = numbersAt(times, 'start');
    const parts = textsAt(times, 'words')
      .map((word, place) =>
        context.words.next(word, Math.round(context.fromMs + 1_000 * (starts[place] ?? 0))),
      )
      .filter((part) => part !== null);
    if (parts.length > 0) this.#observer.aligned(utteranceId, parts);
  }

  #finish(piece: SpokenPiece): void {
    this.#context = null;
    this.#failures = 0;
    this.#pieces.shift();
    if (piece.isLast) this.#observer.ended(piece.utteranceId);
    this.#next();
  }

  /** Errors end their context, also by `done: true`. */
  #refuse({ audioBytes }: Context, { utteranceId }: SpokenPiece, fault: SpeechFault): void {
    this.#context = null;
    if (fault.kind === 'bad_key' || fault.kind === 'out_of_funds') return this.#socket.drop(fault);
    this.#failures += 1;
    if (!isTemporary(fault) || audioBytes > 0 || this.#failures >= MAX_TRIES) {
      return this.#fail(utteranceId, fault);
    }
    this.#isRetrying = true;
    const delayMs = retryDelayMs(this.#failures, this.#deps.random());
    this.#cancelRetry = this.#deps.clock.after(delayMs, () => this.#retry());
  }

  #retry(): void {
    this.#isRetrying = false;
    this.#next();
  }

  /** Gives up the piece that is being spoken. */
  #abandon(): void {
    this.#failures = 0;
    this.#cancelRetry();
    this.#isRetrying = false;
    const context = this.#context;
    this.#context = null;
    if (context) this.#socket.send(JSON.stringify({ context_id: context.id, cancel: true }));
  }

  /**
   * An utterance that has been heard in part cannot be spoken on. Cartesia closes connections that nobody uses, which is
   * no fault as long as another one can be opened.
   */
  #lose(fault: SpeechFault): void {
    const [piece] = this.#pieces;
    const isIdle = this.#isOpen && piece === undefined;
    const isHeard =
      piece !== undefined && this.#spoken.utteranceId === piece.utteranceId && this.#spoken.bytes > 0;
    this.#isOpen = false;
    this.#context = null;
    if (isHeard) this.#fail(piece.utteranceId, fault);
    if (this.#isDisconnected || isIdle) return;
    this.#isDisconnected = true;
    this.#observer.disconnected(fault);
  }

  #fail(utteranceId: string, fault: SpeechFault): void {
    this.cancel(utteranceId);
    this.#observer.failed(utteranceId, fault);
  }

  #end(fault: SpeechFault): void {
    this.#cancelRetry();
    this.#pieces = [];
    this.#context = null;
    this.#observer.failed(null, fault);
  }

  #msOf(bytes: number): number {
    return (1_000 * bytes) / bytesPerSecond(this.format);
  }
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
