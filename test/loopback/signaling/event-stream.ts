import { GatewayError } from '../../../src/base/errors.ts';
import type { Clock } from '../../../src/base/time.ts';
import { pause, withDeadline } from '../../../src/base/waits.ts';
import { PlatformFailure } from '../../../src/connectors/kit/platform-failure.ts';
import type { LoopbackApi } from './loopback-api.ts';
import { FeedEvent, readMessage, SocketAddress, type VendorMessage } from './vendor-messages.ts';

const RETRY_MS = 500;
/** Events that wait to be stored. When more arrive, the socket is closed, and the vendor repeats them later. */
const MAX_PENDING = 500;
const REQUEST_DEADLINE_MS = 10_000;

export interface EventStreamObserver {
  /** Events arrive from now on. */
  up(): void;
  /** No events arrive for now, with the reason in the vendor's words. */
  down(reason: string): void;
  /** The vendor refuses the login, and only its owner can help. Nothing follows. */
  loggedOut(reason: string): void;
}

export interface EventStreamDeps {
  readonly api: LoopbackApi;
  readonly clock: Clock;
  /** Stores what somebody has written or edited. */
  readonly take: (type: 'message' | 'edited', message: VendorMessage) => Promise<unknown>;
  readonly observer: EventStreamObserver;
}

/**
 * The vendor's events for one login, over a WebSocket that is opened again whenever it is lost. Each event is
 * acknowledged once it is stored, so the vendor repeats those that were not.
 */
export class EventStream {
  readonly #deps: EventStreamDeps;
  readonly #closing = new AbortController();
  readonly #ended: Promise<void>;

  /** `prepare`: runs before each connection; it may reject. */
  constructor(deps: EventStreamDeps, prepare: (signal: AbortSignal) => Promise<void>) {
    this.#deps = deps;
    this.#ended = this.#run(prepare);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#ended;
  }

  async #run(prepare: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { api, clock, observer } = this.#deps;
    const { signal: closing } = this.#closing;
    const request = { method: 'POST', path: 'events', json: {} } as const;
    while (!closing.aborted) {
      try {
        const { url } = await withDeadline(clock, REQUEST_DEADLINE_MS, closing, async (signal) => {
          await prepare(signal);
          return await api.call(request, SocketAddress, signal);
        });
        await this.#follow(new WebSocket(url));
      } catch (error) {
        if (closing.aborted) return;
        const reason = (error as Error).message;
        if (isLoggedOut(error)) return observer.loggedOut(reason);
        observer.down(reason);
      }
      await pause(clock, RETRY_MS, closing);
    }
  }

  /** Takes events, one after the other, until the socket is closed. */
  async #follow(socket: WebSocket): Promise<void> {
    const { take, observer } = this.#deps;
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    let taken = Promise.resolve();
    let pending = 0;
    socket.addEventListener('open', () => observer.up());
    socket.addEventListener('close', () => resolve());
    socket.addEventListener('message', ({ data }) => {
      const event = readMessage(FeedEvent, data);
      // One that cannot be read is acknowledged with the next one.
      if (event === null) return;
      if (++pending > MAX_PENDING) return socket.close();
      taken = taken.then(async () => {
        await take(event.type, event.message);
        pending--;
        socket.send(JSON.stringify({ ack: event.id }));
      });
      // What cannot be stored now comes again with the next connection.
      taken.catch(() => socket.close());
    });
    const close = (): void => socket.close();
    const { signal } = this.#closing;
    signal.addEventListener('abort', close);
    if (signal.aborted) close();
    await closed;
    signal.removeEventListener('abort', close);
    observer.down('The vendor has closed the event stream');
    await taken.catch(() => undefined);
  }
}

/** Whether only the owner of the login can help. */
function isLoggedOut(error: unknown): boolean {
  if (error instanceof GatewayError)
    return error.code === 'connection_lost' || error.code === 'connection_not_found';
  return error instanceof PlatformFailure && error.isLoggedOut;
}
