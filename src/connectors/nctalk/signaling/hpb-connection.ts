import type { LookupFunction } from 'node:net';
import { oneLine } from '../../../base/one-line.ts';
import type { Reader } from '../../../base/reading-time.ts';
import type { CancelTimer, Clock } from '../../../base/time.ts';
import { PlatformSocket } from '../../kit/platform-socket.ts';
import { type HpbMessage, readMessage } from './hpb-messages.ts';

/** The server sends descriptions and lists of all participants. It takes 64 KB itself. */
const MAX_FRAME_BYTES = 1_048_576;
/** Servers without a welcome are older than hello 2.0. */
const WELCOME_MS = 3_000;
/** A dead connection is noticed within twice that, and the session is resumed. The server keeps it for 30 s. */
const BEAT_MS = 5_000;
const ANSWER_MS = 10_000;
/** Requests that may wait for their answers. */
const MAX_PENDING = 200;
/** Messages that cannot be read, after which the other side is taken for something else. */
const MAX_UNREADABLE = 20;

/** The server has refused something. `code` is its own word: `no_such_room`. */
export class HpbError extends Error {
  override readonly name = 'HpbError';
  readonly code: string;

  constructor(code: string, words: string) {
    super(oneLine(words, 200));
    this.code = code;
  }
}

export interface HpbConnectionDeps {
  /** Of its WebSockets. */
  readonly url: string;
  readonly lookup: LookupFunction;
  readonly clock: Clock;
  readonly reader: Reader;
  /** Takes a message that answers no request. */
  take(message: HpbMessage): void;
}

interface Pending {
  readonly resolve: (answer: HpbMessage) => void;
  readonly reject: (error: Error) => void;
  readonly cancelTimer: CancelTimer;
}

/** One connection to a signaling server, from its welcome to its end. */
export class HpbConnection {
  readonly #deps: HpbConnectionDeps;
  readonly #socket: PlatformSocket;
  readonly #welcome = Promise.withResolvers<readonly string[]>();
  readonly #pending = new Map<string, Pending>();
  #lastId = 0;
  #unreadable = 0;
  #cancelWelcome: CancelTimer = () => undefined;

  constructor(deps: HpbConnectionDeps) {
    this.#deps = deps;
    const { url, lookup, clock, reader } = deps;
    this.#socket = new PlatformSocket({
      url,
      lookup,
      platform: 'The signaling server',
      maxFrameBytes: MAX_FRAME_BYTES,
      clock,
      reader,
      opened: () => {
        this.#cancelWelcome = clock.after(WELCOME_MS, () => this.#welcome.resolve([]));
      },
      take: (text) => this.#take(text),
      alive: () => this.#socket.answered(),
    });
    this.#welcome.promise.then(
      () => this.#socket.keepBeating(BEAT_MS, () => this.#socket.ping()),
      () => undefined,
    );
    void this.#socket.ended.then((reason) => this.#end(reason));
  }

  /**
   * Resolves with what the server can do once it has said welcome. Rejects when the connection ends before; the `cause` is then
   * what has broken it, if anything has.
   */
  get welcome(): Promise<readonly string[]> {
    return this.#welcome.promise;
  }

  /** Resolves with the reason when the connection is over. */
  get ended(): Promise<string> {
    return this.#socket.ended;
  }

  /** Sends a message. Ignored once the connection is over. */
  send(message: object): void {
    this.#socket.send(message);
  }

  /** Sends a request. Rejects with an HpbError, and with an Error when the connection ends or no answer comes. */
  async request(message: object): Promise<HpbMessage> {
    if (this.#pending.size >= MAX_PENDING) throw new Error('Too many requests wait for the signaling server');
    const { promise, resolve, reject } = Promise.withResolvers<HpbMessage>();
    const id = `${++this.#lastId}`;
    const cancelTimer = this.#deps.clock.after(ANSWER_MS, () => {
      this.#pending.delete(id);
      reject(new Error('The signaling server did not answer'));
    });
    this.#pending.set(id, { resolve, reject, cancelTimer });
    this.#socket.send({ ...message, id });
    return await promise;
  }

  close(reason: string): void {
    this.#socket.close(reason);
    this.#end(reason);
  }

  #take(text: string): void {
    const message = readMessage(text);
    if (message === null) return this.#unread();
    if (message.welcome) return this.#welcome.resolve(message.welcome.features);
    const { id = '' } = message;
    const pending = this.#pending.get(id);
    if (pending === undefined) return this.#deps.take(message);
    this.#pending.delete(id);
    pending.cancelTimer();
    if (message.error === undefined) return pending.resolve(message);
    const { code, message: words = code } = message.error;
    pending.reject(new HpbError(code, words));
  }

  #unread(): void {
    if (++this.#unreadable >= MAX_UNREADABLE) this.close('The signaling server sends what cannot be read');
  }

  #end(reason: string): void {
    this.#cancelWelcome();
    const error = new Error(reason, { cause: this.#socket.error });
    this.#welcome.reject(error);
    for (const { reject, cancelTimer } of this.#pending.values()) {
      cancelTimer();
      reject(error);
    }
    this.#pending.clear();
  }
}
