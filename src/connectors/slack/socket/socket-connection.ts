import * as z from 'zod';
import { field, platformJson } from '../../../base/platform-json.ts';
import type { Clock } from '../../../base/time.ts';
import { PlatformSocket } from '../../kit/platform-socket.ts';

/** What Slack sends over Socket Mode (https://docs.slack.dev/apis/events-api/using-socket-mode). */
const Payload = z.object({
  type: z.string(),
  envelope_id: field(z.string().min(1).max(200)),
  payload: z.unknown().optional(),
  reason: field(z.string()),
});

export type SocketPayload = z.output<typeof Payload>;

/** Returns null for what is no payload. */
function readPayload(text: string): SocketPayload | null {
  return Payload.safeParse(platformJson(text)).data ?? null;
}

/** `apps.connections.open` */
export const OpenedSocket = z.object({ url: z.string().min(1) });

const MAX_FRAME_BYTES = 4 * 1_024 * 1_024;
/** Slack pings every few seconds; our own pings show that the way back is open. */
const PING_INTERVAL_MS = 15_000;

export interface SocketObserver {
  /** Slack delivers from now on. */
  hello(): void;
  /** `acknowledge` tells Slack not to repeat it. */
  delivery(payload: SocketPayload, acknowledge: () => void): void;
  /** Slack will close this connection within seconds, and wants another one. */
  refresh(): void;
}

/** One WebSocket of Socket Mode. */
export class SocketConnection {
  readonly #observer: SocketObserver;
  readonly #socket: PlatformSocket;
  #isGreeted = false;
  #isAlive = true;

  constructor(url: string, clock: Clock, observer: SocketObserver) {
    this.#observer = observer;
    this.#socket = new PlatformSocket({
      url,
      platform: 'Slack',
      maxFrameBytes: MAX_FRAME_BYTES,
      clock,
      take: (text) => this.#take(text),
      alive: () => {
        this.#isAlive = true;
      },
    });
  }

  /** Resolves with the reason when the connection is over. */
  get closed(): Promise<string> {
    return this.#socket.closed.then(({ code, words }) => words || `Slack closed the connection (${code})`);
  }

  /** Closes the connection. Nothing is reported any more; what is not acknowledged comes again over the next one. */
  drop(reason: string): void {
    this.#socket.close(reason);
  }

  #take(text: string): void {
    const payload = readPayload(text);
    if (payload === null) return this.drop('Slack sent what is no payload');
    switch (payload.type) {
      case 'hello':
        return this.#greeted();
      case 'disconnect':
        return this.#observer.refresh();
      default:
        return this.#observer.delivery(payload, () => this.#acknowledge(payload.envelope_id));
    }
  }

  #greeted(): void {
    if (this.#isGreeted) return;
    this.#isGreeted = true;
    this.#watch();
    this.#observer.hello();
  }

  #watch(): void {
    this.#socket.setTimer(PING_INTERVAL_MS, () => {
      if (!this.#isAlive) return this.drop('Slack no longer answers');
      this.#isAlive = false;
      this.#socket.ping();
      this.#watch();
    });
  }

  #acknowledge(envelopeId: string | undefined): void {
    if (envelopeId !== undefined) this.#socket.send({ envelope_id: envelopeId });
  }
}
