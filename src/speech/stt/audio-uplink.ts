import type { AudioFormat } from '../audio-format.ts';
import type { SpeechFault } from '../speech-fault.ts';
import type { VendorEndpoint } from '../vendor-connection.ts';
import type { VendorMessage } from '../vendor-message.ts';
import { VendorSocket, type VendorSocketDeps } from '../vendor-socket.ts';
import { AudioBacklog } from './audio-backlog.ts';
import type { RecognizerObserver } from './recognizer.ts';

const SILENCE_MS = 100;

/** How a vendor takes audio. */
export interface AudioDialect {
  readonly endpoint: VendorEndpoint;
  readonly format: AudioFormat;
  /** Sent when there has been no audio for so long. */
  readonly keepAliveMs: number;
  /** Null: silence keeps the connection. */
  readonly keepAlive: string | null;
  /** Wraps audio as the vendor takes it. */
  wrap(audio: Uint8Array): string | Uint8Array;
}

export interface UplinkObserver {
  message(message: VendorMessage): void;
  /** No more results of this connection follow. */
  lost(): void;
}

/** The connection of a recognizer to its vendor: audio up, again after a fault, and messages down. */
export class AudioUplink {
  readonly backlog: AudioBacklog;
  readonly #dialect: AudioDialect;
  readonly #uplink: UplinkObserver;
  readonly #observer: RecognizerObserver;
  readonly #socket: VendorSocket;
  #isDisconnected = false;
  /** What asks for the results of the audio so far, if nothing has been heard since. */
  #flush: (() => string | Uint8Array) | null = null;

  constructor(
    dialect: AudioDialect,
    deps: VendorSocketDeps,
    uplink: UplinkObserver,
    observer: RecognizerObserver,
  ) {
    this.#dialect = dialect;
    this.#uplink = uplink;
    this.#observer = observer;
    this.backlog = new AudioBacklog(dialect.format);
    this.#socket = new VendorSocket(
      dialect.endpoint,
      deps,
      {
        opened: () => this.#open(),
        message: (message) => uplink.message(message),
        binary: () => {},
        lost: (fault) => this.#lose(fault),
        failed: (fault) => this.#fail(fault),
      },
      { afterMs: dialect.keepAliveMs, message: () => dialect.keepAlive ?? this.silence(SILENCE_MS) },
    );
  }

  hear(chunk: Uint8Array): void {
    this.#flush = null;
    this.backlog.add(chunk);
    if (this.#socket.isOpen) this.#send();
  }

  /** Asks for results. Asks again if the connection is lost before anything else is heard. */
  flush(message: () => string | Uint8Array): void {
    this.#flush = message;
    if (this.#socket.isOpen) this.#socket.send(message());
  }

  /** Returns silence that nobody said. */
  silence(durationMs: number): string | Uint8Array {
    return this.#dialect.wrap(this.backlog.silence(durationMs));
  }

  /** The vendor has reported a fault. */
  drop(fault: SpeechFault): void {
    this.#socket.drop(fault);
  }

  /** Sends these last messages and waits for the vendor's last results, at most 2 s. */
  async close(...farewell: readonly (string | Uint8Array)[]): Promise<void> {
    await this.#socket.close(...farewell);
  }

  /** The last results are there. */
  finish(): void {
    this.#socket.finish();
  }

  #open(): void {
    this.backlog.rewind();
    const hasAudio = this.#send();
    if (hasAudio && this.#flush) this.#socket.send(this.#flush());
    // Some vendors count keep-alives only after they have heard something.
    if (!hasAudio) this.#socket.send(this.silence(SILENCE_MS));
    if (!this.#isDisconnected) return;
    this.#isDisconnected = false;
    this.#observer.reconnected();
  }

  /** Returns whether there was any audio. */
  #send(): boolean {
    let count = 0;
    for (let audio = this.backlog.next(); audio !== null; audio = this.backlog.next()) {
      this.#socket.send(this.#dialect.wrap(audio));
      count += 1;
    }
    return count > 0;
  }

  #lose(fault: SpeechFault): void {
    this.#uplink.lost();
    if (this.#isDisconnected) return;
    this.#isDisconnected = true;
    this.#observer.disconnected(fault);
  }

  #fail(fault: SpeechFault): void {
    this.#uplink.lost();
    this.#observer.failed(fault);
  }
}
