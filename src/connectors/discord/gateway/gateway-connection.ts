import { PlatformSocket, type PlatformSocketOptions, type SocketClose } from '../../kit/platform-socket.ts';
import { type Dispatch, Hello, OP, type Payload, readPayload } from './gateway-payload.ts';

/** The largest payload, of a big guild, has a few megabytes. */
const MAX_FRAME_BYTES = 16 * 1_024 * 1_024;
/** Any code but 1000 and 1001 keeps the session, so that it can be resumed. */
const KEEPS_SESSION = 4_200;

export interface ConnectionObserver {
  /** Discord waits for Identify or Resume. */
  hello(): void;
  dispatch(event: Dispatch): void;
  invalidSession(isResumable: boolean): void;
  /** The sequence of the last event that was received, for heartbeats. Null: none. */
  sequence(): number | null;
}

/** One WebSocket to Discord's gateway, with its heartbeats. */
export class GatewayConnection {
  readonly #observer: ConnectionObserver;
  readonly #socket: PlatformSocket;
  #isGreeted = false;

  /** `url`: with the version and encoding. */
  constructor(
    url: string,
    { clock, reader }: Pick<PlatformSocketOptions, 'clock' | 'reader'>,
    observer: ConnectionObserver,
  ) {
    this.#observer = observer;
    this.#socket = new PlatformSocket({
      url,
      platform: 'Discord',
      maxFrameBytes: MAX_FRAME_BYTES,
      closeCode: KEEPS_SESSION,
      clock,
      reader,
      take: (text) => this.#take(text),
    });
  }

  /** Resolves when the connection is over. */
  get closed(): Promise<SocketClose> {
    return this.#socket.closed;
  }

  /** Ignored unless the connection is open. */
  send(op: number, data: unknown): void {
    this.#socket.send({ op, d: data });
  }

  /** Closes the connection; the session can be resumed. Nothing is reported any more. */
  drop(reason: string): void {
    this.#socket.close(reason);
  }

  /** Closes the connection and the session: the bot goes offline. */
  signOff(): void {
    this.#socket.close('signed off', 1_000);
  }

  #take(text: string): void {
    const payload = readPayload(text);
    if (payload === null) return this.drop('Discord sent what is no payload');
    this.#follow(payload);
  }

  #follow({ op, d, s, t }: Payload): void {
    switch (op) {
      case OP.dispatch:
        if (typeof s !== 'number' || typeof t !== 'string')
          return this.drop('Discord sent an event without a number');
        return this.#observer.dispatch({ sequence: s, type: t, data: d });
      case OP.hello:
        return this.#greeted(d);
      case OP.heartbeat:
        return this.#beat();
      case OP.heartbeatAck:
        return this.#socket.answered();
      case OP.reconnect:
        return this.drop('Discord asked to reconnect');
      case OP.invalidSession:
        return this.#observer.invalidSession(d === true);
      default:
      // Newer operations are not for us.
    }
  }

  #greeted(data: unknown): void {
    const hello = Hello.safeParse(data);
    if (!hello.success || this.#isGreeted) return this.drop('Discord sent a hello that cannot be read');
    this.#isGreeted = true;
    const { heartbeat_interval: everyMs } = hello.data;
    // Spread, so that many bots do not beat at once.
    this.#socket.keepBeating(everyMs, () => this.#beat(), everyMs * Math.random());
    this.#observer.hello();
  }

  #beat(): void {
    this.send(OP.heartbeat, this.#observer.sequence());
  }
}

/** What a close means for the session. */
export type AfterClose =
  /** Connect again and resume. */
  | 'resume'
  /** The session is over; identify anew. */
  | 'identify'
  /** Only the bot's owner can help. */
  | 'stop';

/** https://docs.discord.com/developers/topics/opcodes-and-status-codes#gateway-gateway-close-event-codes */
const MEANINGS: Readonly<Record<number, { readonly words: string; readonly after: AfterClose }>> = {
  4003: { words: 'Not authenticated', after: 'identify' },
  4004: { words: 'Authentication failed', after: 'stop' },
  4005: { words: 'Already authenticated', after: 'identify' },
  4007: { words: 'Invalid seq', after: 'identify' },
  4009: { words: 'Session timed out', after: 'identify' },
  4010: { words: 'Invalid shard', after: 'stop' },
  4011: { words: 'Sharding required', after: 'stop' },
  4012: { words: 'Invalid API version', after: 'stop' },
  4013: { words: 'Invalid intents', after: 'stop' },
  4014: { words: 'Disallowed intents', after: 'stop' },
};

export function afterClose(code: number): AfterClose {
  return MEANINGS[code]?.after ?? 'resume';
}

/** Returns a close for people to read, such as `Disallowed intents (4014)`. */
export function closeWords({ code, words }: SocketClose): string {
  const said = words || MEANINGS[code]?.words || 'The connection was closed';
  return `${said.replace(/\.$/, '')} (${code})`;
}
