import * as z from 'zod';
import { GatewayError } from '../../../src/base/errors.ts';
import { type Clock, pause, withDeadline } from '../../../src/base/time.ts';
import { PlatformFailure } from '../../../src/connectors/kit/platform-failure.ts';
import type { LoopbackApi } from '../messages/loopback-api.ts';
import { MessageEvent, readMessage } from '../messages/vendor-messages.ts';

const RETRY_MS = 500;
/** Events that wait to be stored. When more arrive, the socket is closed, and the vendor repeats them later. */
const MAX_PENDING = 500;
const REQUEST_DEADLINE_MS = 10_000;

const SocketAddress = z.object({ url: z.string() });
/** Events come in the order of `id`. */
const FeedEvent = z.intersection(MessageEvent, z.object({ id: z.int() }));

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
  readonly take: (event: MessageEvent) => Promise<unknown>;
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

  constructor(deps: EventStreamDeps) {
    this.#deps = deps;
    this.#ended = this.#run();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#ended;
  }

  async #run(): Promise<void> {
    const { api, clock, observer } = this.#deps;
    const { signal: closing } = this.#closing;
    const request = { method: 'POST', path: 'events', json: {} } as const;
    while (!closing.aborted) {
      try {
        const { url } = await withDeadline(clock, REQUEST_DEADLINE_MS, closing, (signal) =>
          api.call(request, SocketAddress, signal),
        );
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
      const event = readMessage(FeedEvent, String(data));
      // One that cannot be read is acknowledged with the next one.
      if (event === null) return;
      if (++pending > MAX_PENDING) return socket.close();
      taken = taken.then(async () => {
        await take(event);
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
