import type { Socket } from 'node:net';
import type { CancelTimer, Clock } from '../../../../base/time.ts';
import { IDLE_STRANGER_MS, UNPROVEN_BYTES } from './inbound-connections.ts';
import { StreamFramer } from './stream-framer.ts';
import { type Connection, plainAddress, type ReceiveMessage, type SipProtocol, type Source } from './wire.ts';

/** Below the 30 s after which many middleboxes drop an idle connection (RFC 5626 section 4.4.1). */
const KEEP_ALIVE_MS = 27_000;
/** A peer that leaves this much data unread is treated as gone. */
const MAX_UNSENT_BYTES = 1 << 20;

interface StreamConnectionDeps {
  readonly clock: Clock;
  readonly receive: ReceiveMessage;
  /** Null when the peer is one of a trunk's servers. */
  readonly onProven: (() => void) | null;
}

/** One TCP or TLS connection that carries SIP messages in both directions. */
export class StreamConnection implements Connection {
  readonly #socket: Socket;
  readonly #deps: StreamConnectionDeps;
  readonly #framer: StreamFramer;
  /** Called once, when a stranger has sent a message that belongs to us; null from then on. */
  #onProven: (() => void) | null;
  #cancelKeepAlive: CancelTimer = () => {};

  constructor(socket: Socket, protocol: SipProtocol, deps: StreamConnectionDeps) {
    this.#socket = socket;
    this.#deps = deps;
    this.#onProven = deps.onProven;
    this.#framer = deps.onProven === null ? new StreamFramer() : new StreamFramer(UNPROVEN_BYTES);
    socket.setNoDelay(true);
    const source: Source = {
      protocol,
      host: plainAddress(socket.remoteAddress ?? ''),
      port: socket.remotePort ?? 0,
      connection: this,
    };
    socket.on('data', (bytes: Buffer) => this.#take(bytes, source));
    // 'close' follows every error and is handled instead.
    socket.on('error', () => {});
    socket.on('close', () => this.#cancelKeepAlive());
    this.#keepAlive();
  }

  get open(): boolean {
    return this.#socket.writable;
  }

  get localPort(): number {
    return this.#socket.localPort ?? 0;
  }

  send(text: string): Promise<void> {
    if (!this.open) return Promise.reject(new Error('connection is closed'));
    if (this.#socket.writableLength > MAX_UNSENT_BYTES) {
      this.destroy();
      return Promise.reject(new Error('the peer does not read its data'));
    }
    return new Promise((resolve, reject) => {
      this.#socket.write(text, (error) => (error ? reject(error) : resolve()));
    });
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #take(bytes: Buffer, source: Source): void {
    if (this.#onProven === null && bytes.length === 4 && bytes.toString('latin1') === '\r\n\r\n') {
      this.#socket.write('\r\n');
      return;
    }
    const messages = this.#framer.push(bytes);
    if (messages === null) return this.destroy();
    for (const message of messages) {
      const isOurs = this.#deps.receive(message, source);
      if (this.#onProven !== null && !this.#prove(this.#onProven, isOurs)) return;
    }
  }

  /** Keeps or closes a stranger's connection, depending on its first message. */
  #prove(onProven: () => void, isOurs: boolean): boolean {
    if (!isOurs) {
      this.destroy();
      return false;
    }
    onProven();
    this.#onProven = null;
    this.#framer.trust();
    this.#socket.setTimeout(IDLE_STRANGER_MS, () => this.destroy());
    return true;
  }

  #keepAlive(): void {
    this.#cancelKeepAlive = this.#deps.clock.after(KEEP_ALIVE_MS, () => {
      if (!this.open) return;
      this.#socket.write('\r\n\r\n');
      this.#keepAlive();
    });
  }
}
