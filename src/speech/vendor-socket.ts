import type { CancelTimer } from '../base/time.ts';
import { isTemporary, type SpeechFault } from './speech-fault.ts';
import {
  type ConnectionDeps,
  type ConnectionObserver,
  VendorConnection,
  type VendorEndpoint,
} from './vendor-connection.ts';

/** A connection that lives this long was a success. */
const STABLE_MS = 5_000;
const MAX_EARLY_FAILURES = 3;

export interface VendorSocketDeps extends ConnectionDeps {
  /** 0 to below 1. */
  readonly random: () => number;
}

/** What keeps an unused connection from being closed by the vendor. */
export interface KeepAlive {
  /** Sent when nothing else has been sent for so long. */
  readonly afterMs: number;
  message(): string | Uint8Array;
}

/** `opened`: the vendor knows nothing of earlier connections. `lost`: another one is tried. */
export interface VendorSocketObserver extends ConnectionObserver {
  /** The connection is lost for good. Nothing follows. */
  failed(fault: SpeechFault): void;
}

/**
 * A WebSocket to a vendor that connects at once, and again after a fault that may pass: after 0.5 to 8 s, chosen at
 * random. It keeps nothing to be sent: what a new connection must be told differs from vendor to vendor.
 */
export class VendorSocket {
  readonly #endpoint: VendorEndpoint;
  readonly #deps: VendorSocketDeps;
  readonly #observer: VendorSocketObserver;
  readonly #keepAlive: KeepAlive | null;
  /** Null between two connections, and once all is over. */
  #connection: VendorConnection | null = null;
  #isOver = false;
  #openedAtMs: number | null = null;
  /** Failed connections since the last one that was stable. */
  #failures = 0;
  /** Those of them that had been open. */
  #earlyFailures = 0;
  #cancelRetry: CancelTimer = () => {};
  #cancelKeepAlive: CancelTimer = () => {};

  constructor(
    endpoint: VendorEndpoint,
    deps: VendorSocketDeps,
    observer: VendorSocketObserver,
    keepAlive: KeepAlive | null = null,
  ) {
    this.#endpoint = endpoint;
    this.#deps = deps;
    this.#observer = observer;
    this.#keepAlive = keepAlive;
    this.#connect();
  }

  get isOpen(): boolean {
    return this.#connection?.isOpen ?? false;
  }

  /** Sends a text (string) or binary message. Dropped unless the connection is open. */
  send(message: string | Uint8Array): void {
    if (!this.isOpen) return;
    this.#connection?.send(message);
    this.#awaitSilence();
  }

  /** Gives the connection up because of a fault that the vendor reported in a message. Connects again if it may pass. */
  drop(fault: SpeechFault): void {
    this.#connection?.drop(fault);
  }

  /**
   * Sends the vendor's last messages and waits until it closes, at most 2 s. Until then `message` and `binary` report
   * what it still sends.
   */
  async close(...farewell: readonly (string | Uint8Array)[]): Promise<void> {
    this.#isOver = true;
    this.#cancelRetry();
    this.#cancelKeepAlive();
    await this.#connection?.close(farewell);
  }

  /** The vendor has sent everything after `close`, which need not wait longer. */
  finish(): void {
    this.#connection?.finish();
  }

  #connect(): void {
    const observer: ConnectionObserver = {
      opened: () => this.#open(),
      message: (message) => this.#observer.message(message),
      binary: (data) => this.#observer.binary(data),
      lost: (fault) => this.#lose(fault),
    };
    this.#connection = new VendorConnection(this.#endpoint, this.#deps, observer);
  }

  #open(): void {
    this.#openedAtMs = this.#deps.clock.monotonicMs();
    this.#awaitSilence();
    this.#observer.opened();
  }

  #lose(fault: SpeechFault): void {
    this.#connection = null;
    this.#cancelKeepAlive();
    if (this.#isOver) return;
    this.#count();
    if (isTemporary(fault) && this.#earlyFailures < MAX_EARLY_FAILURES) {
      const waitMs = retryDelayMs(this.#failures, this.#deps.random());
      this.#cancelRetry = this.#deps.clock.after(waitMs, () => this.#connect());
      this.#observer.lost(fault);
    } else {
      this.#isOver = true;
      this.#observer.failed(fault);
    }
  }

  #count(): void {
    const openedAtMs = this.#openedAtMs;
    this.#openedAtMs = null;
    if (openedAtMs !== null && this.#deps.clock.monotonicMs() - openedAtMs >= STABLE_MS) {
      this.#failures = 0;
      this.#earlyFailures = 0;
    } else if (openedAtMs !== null) {
      this.#earlyFailures += 1;
    }
    this.#failures += 1;
  }

  #awaitSilence(): void {
    const keepAlive = this.#keepAlive;
    this.#cancelKeepAlive();
    if (keepAlive === null || this.#isOver || !this.isOpen) return;
    this.#cancelKeepAlive = this.#deps.clock.after(keepAlive.afterMs, () => this.send(keepAlive.message()));
  }
}

const MIN_RETRY_MS = 500;
const MAX_RETRY_MS = 8_000;

/** Returns how long to wait after so many failures in a row (from 1): 0.5 to 8 s. `random`: 0 to below 1. */
export function retryDelayMs(failures: number, random: number): number {
  return MIN_RETRY_MS + random * (Math.min(MAX_RETRY_MS, MIN_RETRY_MS * 2 ** failures) - MIN_RETRY_MS);
}
