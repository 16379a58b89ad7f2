import type { CancelTimer } from '../../base/time.ts';
import { type AudioFormat, bytesPerSecond, silenceOf } from '../audio-format.ts';
import type { SpeechFault } from '../speech-fault.ts';
import type { VendorEndpoint } from '../vendor-connection.ts';
import type { VendorMessage } from '../vendor-message.ts';
import { VendorSocket, type VendorSocketDeps } from '../vendor-socket.ts';
import { AudioBacklog } from './audio-backlog.ts';
import type { RecognizerObserver } from './recognizer.ts';
import { isSilent } from './silent-audio.ts';

/** Beyond this the vendor lags behind, and silence is left out. */
const LAG_MS = 200;
/** Silence that a lagging vendor is still sent, for it finds the ends of turns by it. */
const HEARD_SILENCE_MS = 1_500;
const KEEP_ALIVE_SILENCE_MS = 100;

/** How a vendor takes audio: raw, in binary messages. */
export interface PacedDialect {
  readonly endpoint: VendorEndpoint;
  readonly format: AudioFormat;
  /** Shortest message that the vendor takes. */
  readonly minChunkMs: number;
  /** Silence is sent when there has been no audio for so long. Null: the vendor waits. */
  readonly keepAliveMs: number | null;
}

export interface PacedObserver {
  /** A connection is open. */
  opened(): void;
  message(message: VendorMessage): void;
  /** No more results of this connection follow. `isOver`: another one is not tried. */
  lost(isOver: boolean): void;
}

/**
 * The connection of a recognizer to a vendor that takes audio no faster than it is spoken, or does not tell which audio
 * its results cover: what has been sent is then about what has been heard. A vendor that lags behind after a new
 * connection catches up in pauses, of which it is sent only the beginning.
 */
export class PacedUplink {
  readonly backlog: AudioBacklog;
  readonly #dialect: PacedDialect;
  readonly #clock: VendorSocketDeps['clock'];
  readonly #paced: PacedObserver;
  readonly #observer: RecognizerObserver;
  readonly #socket: VendorSocket;
  readonly #bytesPerMs: number;
  /** When this connection took its first audio. Null: it does not take any yet. */
  #begunAtMs: number | null = null;
  #sentMs = 0;
  /** Audio at the end of what was sent that is silent. */
  #silentMs = 0;
  /** Audio that is too short for a message. */
  #short = new Uint8Array(0);
  #isDisconnected = false;
  #cancelTimer: CancelTimer = () => {};
  /** What asks for the results of the audio so far, if nothing has been heard since. */
  #flush: (() => string | Uint8Array) | null = null;
  #isFlushed = false;

  constructor(
    dialect: PacedDialect,
    deps: VendorSocketDeps,
    paced: PacedObserver,
    observer: RecognizerObserver,
  ) {
    this.#dialect = dialect;
    this.#clock = deps.clock;
    this.#paced = paced;
    this.#observer = observer;
    this.#bytesPerMs = bytesPerSecond(dialect.format) / 1_000;
    this.backlog = new AudioBacklog(dialect.format);
    const { keepAliveMs } = dialect;
    this.#socket = new VendorSocket(
      dialect.endpoint,
      deps,
      {
        opened: () => paced.opened(),
        message: (message) => paced.message(message),
        binary: () => {},
        lost: (fault) => this.#lose(fault),
        failed: (fault) => this.#fail(fault),
      },
      keepAliveMs === null
        ? null
        : { afterMs: keepAliveMs, message: () => this.silence(KEEP_ALIVE_SILENCE_MS) },
    );
  }

  /** The connection takes audio from now on, first of all what no result covers. */
  begin(): void {
    this.backlog.rewind();
    this.#begunAtMs = this.#clock.monotonicMs();
    this.#sentMs = 0;
    this.#silentMs = Number.POSITIVE_INFINITY;
    this.#short = new Uint8Array(0);
    this.#isFlushed = false;
    if (this.#isDisconnected) this.#observer.reconnected();
    this.#isDisconnected = false;
    this.#pump();
  }

  hear(chunk: Uint8Array): void {
    this.#flush = null;
    this.backlog.add(chunk);
    this.#pump();
  }

  /** Asks for results. Asks again if the connection is lost before anything else is heard. */
  flush(message: () => string | Uint8Array): void {
    this.#flush = message;
    this.#isFlushed = false;
    this.#pump();
  }

  /** Sends silence that nobody said. It takes no time. */
  sendSilence(durationMs: number): void {
    if (this.#begunAtMs !== null) this.#socket.send(this.silence(durationMs));
  }

  /** Returns silence for `flush`. */
  silence(durationMs: number): Uint8Array {
    return this.backlog.silence(durationMs);
  }

  /** The vendor has reported a fault. */
  drop(fault: SpeechFault): void {
    this.#socket.drop(fault);
  }

  /** Sends this last message and waits for the vendor's last results, at most 2 s. */
  async close(farewell: string): Promise<void> {
    this.#sendDue(LAG_MS);
    this.#cancelTimer();
    this.#begunAtMs = null;
    if (this.#short.length > 0) this.#socket.send(this.#padded(this.#short));
    await this.#socket.close(farewell);
  }

  /** The last results are there. */
  finish(): void {
    this.#socket.finish();
  }

  #pump(): void {
    if (this.#begunAtMs === null) return;
    this.#sendDue(0);
    if (!this.#flush || this.#isFlushed || this.backlog.unsentMs > 0) return;
    this.#isFlushed = true;
    this.#socket.send(this.#flush());
  }

  /** Sends what is due within `aheadMs`. */
  #sendDue(aheadMs: number): void {
    this.#cancelTimer();
    if (this.#begunAtMs === null) return;
    const latestMs = this.#clock.monotonicMs() - this.#begunAtMs + aheadMs;
    for (;;) {
      while (this.#canSkip()) this.backlog.skip();
      const audio = this.#sentMs <= latestMs ? this.backlog.next() : null;
      if (audio === null) break;
      this.#send(audio);
    }
    if (this.backlog.unsentMs === 0) return;
    this.#cancelTimer = this.#clock.after(this.#sentMs - latestMs, () => this.#pump());
  }

  /** A little silence stays before speech, so that its beginning is understood. */
  #canSkip(): boolean {
    if (this.backlog.unsentMs <= LAG_MS || this.#silentMs < HEARD_SILENCE_MS) return false;
    const [next, second] = this.backlog.upcoming(2);
    return next !== undefined && second !== undefined && this.#isSilent(next) && this.#isSilent(second);
  }

  #isSilent(audio: Uint8Array): boolean {
    return isSilent(audio, this.#dialect.format);
  }

  #send(audio: Uint8Array): void {
    const durationMs = audio.length / this.#bytesPerMs;
    this.#sentMs += durationMs;
    this.#silentMs = this.#isSilent(audio) ? this.#silentMs + durationMs : 0;
    const all = this.#short.length === 0 ? audio : Buffer.concat([this.#short, audio]);
    const isShort = all.length < this.#dialect.minChunkMs * this.#bytesPerMs;
    this.#short = isShort ? new Uint8Array(all) : new Uint8Array(0);
    if (!isShort) this.#socket.send(all);
  }

  #padded(audio: Uint8Array): Uint8Array {
    const missingMs = this.#dialect.minChunkMs - audio.length / this.#bytesPerMs;
    return Buffer.concat([audio, silenceOf(this.#dialect.format, Math.ceil(missingMs))]);
  }

  #lose(fault: SpeechFault): void {
    this.#stop(false);
    if (this.#isDisconnected) return;
    this.#isDisconnected = true;
    this.#observer.disconnected(fault);
  }

  #fail(fault: SpeechFault): void {
    this.#stop(true);
    this.#observer.failed(fault);
  }

  #stop(isOver: boolean): void {
    this.#cancelTimer();
    this.#begunAtMs = null;
    this.#paced.lost(isOver);
  }
}
