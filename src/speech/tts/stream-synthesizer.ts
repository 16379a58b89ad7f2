import {
  type AudioFormat,
  bytesPerSample,
  bytesPerSecond,
  nearestFormat,
  WholeSamples,
} from '../audio-format.ts';
import type { SpeechFault } from '../speech-fault.ts';
import type { SpeechPreset } from '../speech-preset.ts';
import type { VendorMessage } from '../vendor-message.ts';
import { type KeepAlive, VendorSocket, type VendorSocketDeps } from '../vendor-socket.ts';
import { endpointOf, type VendorManners } from '../vendors/vendor-manners.ts';
import type {
  AlignedPart,
  NewSynthesizer,
  SpokenPiece,
  Synthesizer,
  SynthesizerObserver,
} from './synthesizer.ts';

/** Limit on pieces of text that wait. Callers ask for few at a time. */
export const MAX_PIECES = 64;
export const TOO_MANY_PIECES: SpeechFault = {
  kind: 'refused',
  words: `More than ${MAX_PIECES} sentences are waiting to be spoken`,
};

/** How a vendor takes text. One utterance at a time is with the vendor. */
export interface TtsDialect {
  /** ws: or wss:, without secrets. */
  readonly url: string;
  readonly keepAlive: KeepAlive | null;
  /** The last message. Null: the connection is closed at once. */
  readonly farewell: string | null;
  /** Whether the vendor can take a piece now. `isFirst`: of an utterance. */
  isReady(isFirst: boolean): boolean;
  /** A connection is open that knows nothing of earlier ones. */
  opened(): void;
  /** Sends a piece of the current utterance. */
  say(piece: SpokenPiece, isFirst: boolean): void;
  /** The current utterance, of which something was said, is cancelled. */
  abandon(): void;
  message(message: VendorMessage): void;
  binary?(data: Uint8Array): void;
  /** The session is over. */
  close?(): void;
}

export interface TtsVendor {
  readonly manners: VendorManners;
  /** At 8 kHz it speaks µ-law. */
  readonly ratesHz: readonly [number, ...number[]];
  newDialect(parts: TtsParts): TtsDialect;
}

export interface TtsParts extends VendorSocketDeps {
  readonly preset: SpeechPreset;
  readonly format: AudioFormat;
  /** What is spoken, to which the dialect reports. */
  readonly speech: StreamSynthesizer;
}

/** Returns the function that makes synthesizers of this vendor. */
export function synthesizerBy(vendor: TtsVendor, deps: VendorSocketDeps): NewSynthesizer {
  return (preset, rateHz, observer) =>
    new StreamSynthesizer(vendor, { preset, format: nearestFormat(vendor.ratesHz, rateHz) }, deps, observer);
}

interface Utterance {
  readonly utteranceId: string;
  waiting: SpokenPiece[];
  /** Until there is audio: they may have to be said again. */
  said: SpokenPiece[];
  isBegun: boolean;
  /** Whether the vendor still owes audio of what was said. */
  isOwed: boolean;
  samples: WholeSamples;
  audioBytes: number;
}

/**
 * Text-to-speech by a vendor over a WebSocket: its connection, and the utterances in their order. An utterance that has
 * been heard in part fails with its connection; any other is spoken over the next one.
 */
export class StreamSynthesizer implements Synthesizer {
  readonly format: AudioFormat;
  readonly #dialect: TtsDialect;
  readonly #observer: SynthesizerObserver;
  readonly #socket: VendorSocket;
  #utterances: Utterance[] = [];
  #isDisconnected = false;
  #isOpen = false;
  #isClosed = false;

  constructor(
    { manners, newDialect }: TtsVendor,
    { preset, format }: Pick<TtsParts, 'preset' | 'format'>,
    deps: VendorSocketDeps,
    observer: SynthesizerObserver,
  ) {
    this.format = format;
    this.#observer = observer;
    const dialect = newDialect({ ...deps, preset, format, speech: this });
    this.#dialect = dialect;
    this.#socket = new VendorSocket(
      endpointOf(manners, dialect.url, preset.key),
      deps,
      {
        opened: () => this.#open(),
        message: (message) => this.#isClosed || dialect.message(message),
        binary: (data) => this.#isClosed || dialect.binary?.(data),
        lost: (fault) => this.#lose(fault),
        failed: (fault) => this.#failAll(fault),
      },
      dialect.keepAlive,
    );
  }

  speak(piece: SpokenPiece): void {
    if (this.#isClosed) return;
    const { utteranceId } = piece;
    const count = this.#utterances.reduce((sum, { waiting }) => sum + waiting.length, 0);
    if (count >= MAX_PIECES) {
      this.cancel(utteranceId);
      return this.#observer.failed(utteranceId, TOO_MANY_PIECES);
    }
    let utterance = this.#utterances.find((each) => each.utteranceId === utteranceId);
    if (utterance === undefined) {
      const samples = this.#newSamples();
      const nothing = { waiting: [], said: [], isBegun: false, isOwed: false, samples, audioBytes: 0 };
      utterance = { utteranceId, ...nothing };
      this.#utterances.push(utterance);
    }
    utterance.waiting.push(piece);
    this.advance();
  }

  cancel(utteranceId: string): void {
    const at = this.#utterances.findIndex((each) => each.utteranceId === utteranceId);
    if (at < 0) return;
    const [utterance] = this.#utterances.splice(at, 1);
    if (utterance?.isBegun && this.#socket.isOpen) this.#dialect.abandon();
    this.advance();
  }

  /** Waits until the vendor closes, at most 2 s. Nothing more is reported. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#utterances = [];
    this.#dialect.close?.();
    const { farewell } = this.#dialect;
    await this.#socket.close(...(farewell === null ? [] : [farewell]));
  }

  /** Whether an utterance is with the vendor. */
  get isSpeaking(): boolean {
    return this.#utterances[0]?.isBegun ?? false;
  }

  /** Length of the current utterance's audio so far. */
  get audioMs(): number {
    return (1_000 * (this.#utterances[0]?.audioBytes ?? 0)) / bytesPerSecond(this.format);
  }

  /** Says what can be said now. */
  advance(): void {
    const utterance = this.#utterances[0];
    if (utterance === undefined || !this.#socket.isOpen) return;
    while (utterance.waiting.length > 0 && this.#dialect.isReady(!utterance.isBegun)) {
      const piece = utterance.waiting.shift() as SpokenPiece;
      const isFirst = !utterance.isBegun;
      utterance.isBegun = true;
      utterance.isOwed = true;
      if (utterance.audioBytes === 0) utterance.said.push(piece);
      this.#dialect.say(piece, isFirst);
    }
  }

  send(message: object): void {
    this.#socket.send(JSON.stringify(message));
  }

  /** The vendor has sent audio of the current utterance. */
  audio(data: Uint8Array): void {
    const utterance = this.#utterances[0];
    const whole = utterance?.samples.take(data);
    if (utterance === undefined || whole === undefined || whole.length === 0) return;
    utterance.audioBytes += whole.length;
    utterance.said = [];
    this.#observer.audio(utterance.utteranceId, whole);
  }

  /** The vendor has told when parts of the current utterance are spoken. */
  aligned(parts: readonly AlignedPart[]): void {
    const utterance = this.#utterances[0];
    if (utterance !== undefined && parts.length > 0) this.#observer.aligned(utterance.utteranceId, parts);
  }

  /** The vendor has sent all audio of what was said so far, and knows nothing of it any more. */
  pause(): void {
    const utterance = this.#utterances[0];
    if (utterance === undefined) return;
    utterance.isOwed = false;
    utterance.said = [];
    utterance.samples = this.#newSamples();
    this.advance();
  }

  /** The vendor has sent all audio of the current utterance. */
  end(): void {
    const utterance = this.#utterances.shift();
    if (utterance !== undefined) this.#observer.ended(utterance.utteranceId);
    this.advance();
  }

  /** The vendor has given up the current utterance. */
  fail(fault: SpeechFault): void {
    const utterance = this.#utterances.shift();
    if (utterance !== undefined) this.#observer.failed(utterance.utteranceId, fault);
    this.advance();
  }

  /** The vendor has reported a fault of the connection. */
  drop(fault: SpeechFault): void {
    this.#socket.drop(fault);
  }

  #newSamples(): WholeSamples {
    return new WholeSamples(bytesPerSample(this.format));
  }

  #open(): void {
    this.#isOpen = true;
    for (const utterance of this.#utterances) {
      utterance.waiting = [...utterance.said, ...utterance.waiting];
      utterance.said = [];
      utterance.isBegun = false;
      utterance.isOwed = false;
      utterance.samples = this.#newSamples();
    }
    this.#dialect.opened();
    if (this.#isDisconnected) {
      this.#isDisconnected = false;
      this.#observer.reconnected();
    }
    this.advance();
  }

  /** Vendors close connections that nobody uses. That is no fault as long as another one can be opened. */
  #lose(fault: SpeechFault): void {
    const isFault = !this.#isOpen || this.#utterances.some((each) => each.isOwed || each.waiting.length > 0);
    this.#isOpen = false;
    const current = this.#utterances[0];
    if (current?.isOwed && current.audioBytes > 0) {
      this.#utterances.shift();
      this.#observer.failed(current.utteranceId, fault);
    }
    if (!isFault || this.#isDisconnected) return;
    this.#isDisconnected = true;
    this.#observer.disconnected(fault);
  }

  #failAll(fault: SpeechFault): void {
    this.#isClosed = true;
    this.#utterances = [];
    this.#dialect.close?.();
    this.#observer.failed(null, fault);
  }
}
