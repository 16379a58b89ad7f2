import type { CancelTimer } from '../../base/time.ts';
import { type AudioFormat, bytesPerSecond, silenceOf } from '../audio-format.ts';
import type { SpeechFault } from '../speech-fault.ts';
import type { VendorEndpoint } from '../vendor-connection.ts';
import type { VendorMessage } from '../vendor-message.ts';
import { type KeepAlive, VendorSocket, type VendorSocketDeps } from '../vendor-socket.ts';
import { AudioBacklog } from './audio-backlog.ts';
import type { RecognizerObserver } from './recognizer.ts';
import { isSilent } from './silent-audio.ts';

/** Beyond this a paced vendor lags behind, and silence is left out. */
const LAG_MS = 200;
/** Silence that a lagging vendor is still sent, for it finds the ends of turns by it. */
const HEARD_SILENCE_MS = 1_500;
const KEEP_ALIVE_SILENCE_MS = 100;

/** How a vendor takes audio. */
export interface AudioManners {
  /** Whether the vendor takes audio no faster than it is spoken. Any other is sent all that there is at once. */
  readonly isPaced: boolean;
  /** Shortest message that the vendor takes. */
  readonly minChunkMs?: number;
  /** Sent when there has been no audio for so long; without a message, silence. Null: the vendor waits. */
  readonly keepAlive: { readonly afterMs: number; readonly message?: string } | null;
  /** Wraps audio as the vendor takes it, unless that is as a binary message. */
  readonly wrap?: (audio: Uint8Array) => string;
}

interface AudioDialect extends AudioManners {
  readonly endpoint: VendorEndpoint;
  readonly format: AudioFormat;
}

interface UplinkObserver {
  /** A connection is open. What was being said when the last one was lost is settled now. Calls `begin`. */
  opened(): void;
  message(message: VendorMessage): void;
  /** No more results of this connection follow. `isOver`: another one is not tried. */
  lost(isOver: boolean): void;
}

/**
 * The connection of a recognizer to its vendor: audio up, again after a fault, and messages down. A paced vendor that
 * lags behind after a new connection catches up in pauses, of which it is sent only the beginning.
 */
export class AudioUplink {
  readonly backlog: AudioBacklog;
  readonly #dialect: AudioDialect;
  readonly #clock: VendorSocketDeps['clock'];
  readonly #uplink: UplinkObserver;
  readonly #observer: RecognizerObserver;
  readonly #socket: VendorSocket;
  readonly #bytesPerMs: number;
  readonly #minChunkBytes: number;
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
    dialect: AudioDialect,
    deps: VendorSocketDeps,
    uplink: UplinkObserver,
    observer: RecognizerObserver,
  ) {
    this.#dialect = dialect;
    this.#clock = deps.clock;
    this.#uplink = uplink;
    this.#observer = observer;
    this.#bytesPerMs = bytesPerSecond(dialect.format) / 1_000;
    this.#minChunkBytes = (dialect.minChunkMs ?? 0) * this.#bytesPerMs;
    this.backlog = new AudioBacklog(dialect.format);
    this.#socket = new VendorSocket(
      dialect.endpoint,
      deps,
      {
        opened: () => uplink.opened(),
        message: (message) => uplink.message(message),
        binary: () => {},
        lost: (fault) => this.#lose(fault),
        failed: (fault) => this.#fail(fault),
      },
      this.#keepAlive,
    );
  }

  /** The connection takes audio from now on, first of all what no result covers. */
  begin(): void {
    this.backlog.rewind();
    this.#begunAtMs = this.#clock.monotonicMs();
    this.#sentMs = 0;
    this.#silentMs = Number.POSITIVE_INFINITY;
    this.#short = new Uint8Array(0);
    const isNothingToSend = this.backlog.unsentMs === 0;
    this.#isFlushed = isNothingToSend;
    if (this.#isDisconnected) this.#observer.reconnected();
    this.#isDisconnected = false;
    this.#pump();
    // Deepgram counts keep-alive messages only after it has heard something.
    if (isNothingToSend && this.#dialect.keepAlive?.message) this.sendSilence(KEEP_ALIVE_SILENCE_MS);
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
  silence(durationMs: number): string | Uint8Array {
    return this.#wrapped(this.backlog.silence(durationMs));
  }

  /** The vendor has reported a fault. */
  drop(fault: SpeechFault): void {
    this.#socket.drop(fault);
  }

  /** Sends these last messages and waits for the vendor's last results, at most 2 s. */
  async close(...farewell: readonly (string | Uint8Array)[]): Promise<void> {
    this.#sendDue(LAG_MS);
    this.#cancelTimer();
    this.#begunAtMs = null;
    if (this.#short.length > 0) this.#socket.send(this.#wrapped(this.#padded(this.#short)));
    await this.#socket.close(...farewell);
  }

  /** The last results are there. */
  finish(): void {
    this.#socket.finish();
  }

  get #keepAlive(): KeepAlive | null {
    const { keepAlive } = this.#dialect;
    if (keepAlive === null) return null;
    const { afterMs, message } = keepAlive;
    return { afterMs, message: () => message ?? this.silence(KEEP_ALIVE_SILENCE_MS) };
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
    const latestMs = this.#dialect.isPaced
      ? this.#clock.monotonicMs() - this.#begunAtMs + aheadMs
      : Number.POSITIVE_INFINITY;
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
    const isLagging = this.#dialect.isPaced && this.backlog.unsentMs > LAG_MS;
    if (!isLagging || this.#silentMs < HEARD_SILENCE_MS) return false;
    const [next, second] = this.backlog.upcoming(2);
    return next !== undefined && second !== undefined && this.#isSilent(next) && this.#isSilent(second);
  }

  #isSilent(audio: Uint8Array): boolean {
    return isSilent(audio, this.#dialect.format);
  }

  #send(audio: Uint8Array): void {
    const durationMs = audio.length / this.#bytesPerMs;
    this.#sentMs += durationMs;
    if (this.#dialect.isPaced) this.#silentMs = this.#isSilent(audio) ? this.#silentMs + durationMs : 0;
    const all = this.#short.length === 0 ? audio : Buffer.concat([this.#short, audio]);
    const isShort = all.length < this.#minChunkBytes;
    this.#short = isShort ? new Uint8Array(all) : new Uint8Array(0);
    if (!isShort) this.#socket.send(this.#wrapped(all));
  }

  #wrapped(audio: Uint8Array): string | Uint8Array {
    return this.#dialect.wrap?.(audio) ?? audio;
  }

  #padded(audio: Uint8Array): Uint8Array {
    const missingMs = (this.#minChunkBytes - audio.length) / this.#bytesPerMs;
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
    this.#uplink.lost(isOver);
  }
}
