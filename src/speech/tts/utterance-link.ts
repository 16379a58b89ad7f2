import type { SpeechFault } from '../speech-fault.ts';
import type { VendorEndpoint } from '../vendor-connection.ts';
import type { VendorMessage } from '../vendor-message.ts';
import { type KeepAlive, VendorSocket, type VendorSocketDeps } from '../vendor-socket.ts';
import type { SpokenPiece, SynthesizerObserver } from './synthesizer.ts';

/** Limit on pieces of text that wait. Callers ask for few at a time. */
const MAX_PIECES = 64;

/** How a vendor takes text. One utterance at a time is with the vendor. */
export interface TextDialect {
  readonly endpoint: VendorEndpoint;
  readonly keepAlive: KeepAlive | null;
  /** Whether the vendor can take an utterance now. */
  isReady(): boolean;
  /** A connection is open that knows nothing of earlier ones. */
  opened(): void;
  /** Sends a piece of the current utterance. */
  say(piece: SpokenPiece, isFirst: boolean): void;
  /** The current utterance, of which something was said, is cancelled. */
  abandon(): void;
  message(message: VendorMessage): void;
  binary(data: Uint8Array): void;
}

interface Utterance {
  readonly utteranceId: string;
  waiting: SpokenPiece[];
  /** Until there is audio: they may have to be said again. */
  said: SpokenPiece[];
  isBegun: boolean;
  hasAudio: boolean;
}

/**
 * The connection of a synthesizer to its vendor, and the utterances in their order. An utterance that has been heard in
 * part fails with its connection; any other is spoken over the next one.
 */
export class UtteranceLink {
  readonly #dialect: TextDialect;
  readonly #observer: SynthesizerObserver;
  readonly #socket: VendorSocket;
  #utterances: Utterance[] = [];
  #isDisconnected = false;
  #isOpen = false;
  #isClosed = false;

  constructor(dialect: TextDialect, deps: VendorSocketDeps, observer: SynthesizerObserver) {
    this.#dialect = dialect;
    this.#observer = observer;
    this.#socket = new VendorSocket(
      dialect.endpoint,
      deps,
      {
        opened: () => this.#open(),
        message: (message) => this.#isClosed || dialect.message(message),
        binary: (data) => this.#isClosed || dialect.binary(data),
        lost: (fault) => this.#lose(fault),
        failed: (fault) => this.#failAll(fault),
      },
      dialect.keepAlive,
    );
  }

  /** Whether an utterance is with the vendor. */
  get isSpeaking(): boolean {
    return this.#utterances[0]?.isBegun ?? false;
  }

  speak(piece: SpokenPiece): void {
    if (this.#isClosed) return;
    const { utteranceId } = piece;
    const count = this.#utterances.reduce((sum, { waiting }) => sum + waiting.length, 0);
    if (count >= MAX_PIECES) {
      this.cancel(utteranceId);
      return this.#observer.failed(utteranceId, { kind: 'refused', words: 'Too much text is waiting' });
    }
    let utterance = this.#utterances.find((each) => each.utteranceId === utteranceId);
    if (utterance === undefined) {
      utterance = { utteranceId, waiting: [], said: [], isBegun: false, hasAudio: false };
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

  /** Says what can be said now. */
  advance(): void {
    const utterance = this.#utterances[0];
    if (utterance === undefined || !this.#socket.isOpen) return;
    if (!utterance.isBegun && !this.#dialect.isReady()) return;
    for (let piece = utterance.waiting.shift(); piece !== undefined; piece = utterance.waiting.shift()) {
      const isFirst = !utterance.isBegun;
      utterance.isBegun = true;
      if (!utterance.hasAudio) utterance.said.push(piece);
      this.#dialect.say(piece, isFirst);
    }
  }

  send(message: string): void {
    this.#socket.send(message);
  }

  /** The vendor has sent audio of the current utterance: whole samples. */
  audio(data: Uint8Array): void {
    const utterance = this.#utterances[0];
    if (utterance === undefined || data.length === 0) return;
    utterance.hasAudio = true;
    utterance.said = [];
    this.#observer.audio(utterance.utteranceId, data);
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

  /** The id of the current utterance. */
  get utteranceId(): string | null {
    return this.#utterances[0]?.utteranceId ?? null;
  }

  /** The vendor has reported a fault of the connection. */
  drop(fault: SpeechFault): void {
    this.#socket.drop(fault);
  }

  /** Sends this last message and waits until the vendor closes, at most 2 s. Nothing more is reported. */
  async close(farewell: string): Promise<void> {
    this.#isClosed = true;
    this.#utterances = [];
    await this.#socket.close(farewell);
  }

  #open(): void {
    this.#isOpen = true;
    for (const utterance of this.#utterances) {
      utterance.waiting = [...utterance.said, ...utterance.waiting];
      utterance.said = [];
      utterance.isBegun = false;
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
    const isFault = !this.#isOpen || this.#utterances.length > 0;
    this.#isOpen = false;
    const current = this.#utterances[0];
    if (current?.hasAudio) {
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
    this.#observer.failed(null, fault);
  }
}
