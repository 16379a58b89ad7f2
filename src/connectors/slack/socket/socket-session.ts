import type { Reader } from '../../../base/reading-time.ts';
import { Backoff, type Clock, pause } from '../../../base/time.ts';
import { PlatformFailure } from '../../kit/platform-failure.ts';
import type { PlatformSocket } from '../../kit/platform-socket.ts';
import { failureOf, type SlackApi } from '../client.ts';
import { OpenedSocket, openConnection, type SocketPayload } from './socket-connection.ts';

const OPEN_DEADLINE_MS = 15_000;
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 300_000;
/** A connection that lasts this long was a good one. */
const STABLE_MS = 10_000;
/** How long a connection that Slack wants replaced may still deliver. */
const OVERLAP_MS = 10_000;

export interface SocketSessionDeps {
  /** With the app's token. */
  readonly api: SlackApi;
  /** Whether Slack must be reached over TLS. */
  readonly isEncrypted: boolean;
  readonly clock: Clock;
  /** In whose time what Slack delivers is read. */
  readonly reader: Reader;
  /** Handles what Slack delivers. Resolves with whether to acknowledge it. */
  take(payload: SocketPayload): Promise<boolean>;
  /** `words`: why there is no connection; null: there is one. */
  state(words: string | null): void;
}

/**
 * Keeps a connection of Socket Mode open for one app. Slack says when it wants it replaced; the next one is then open
 * before the last one is closed.
 */
export class SocketSession {
  readonly #deps: SocketSessionDeps;
  readonly #ending = new AbortController();
  readonly #backoff = new Backoff(FIRST_RETRY_MS, LONGEST_RETRY_MS);
  readonly #connections = new Set<PlatformSocket>();
  readonly #handling = new Set<Promise<void>>();
  readonly #settled = Promise.withResolvers<PlatformFailure | null>();
  #running: Promise<void> | null = null;

  constructor(deps: SocketSessionDeps) {
    this.#deps = deps;
  }

  /** Resolves when Slack has said hello for the first time: null; or refused. */
  get settled(): Promise<PlatformFailure | null> {
    return this.#settled.promise;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async close(): Promise<void> {
    this.#ending.abort();
    for (const connection of this.#connections) connection.close('the gateway closes');
    await this.#running;
    await Promise.all(this.#handling);
  }

  async #run(): Promise<void> {
    const { clock, state } = this.#deps;
    const { signal } = this.#ending;
    while (!signal.aborted) {
      try {
        await this.#connect(await this.#url());
      } catch (error) {
        const failure = failureOf(error);
        this.#settled.resolve(failure);
        state(failure.message);
        await pause(clock, Math.max(failure.afterMs, this.#backoff.next()), signal);
      }
    }
  }

  async #url(): Promise<string> {
    const { api, isEncrypted } = this.#deps;
    const options = { deadlineMs: OPEN_DEADLINE_MS, signal: this.#ending.signal };
    const { url } = await api.call('apps.connections.open', {}, options, OpenedSocket);
    const { protocol } = URL.canParse(url) ? new URL(url) : { protocol: '' };
    // The URL is a key to the app's events.
    if (protocol === 'wss:' || (protocol === 'ws:' && !isEncrypted)) return url;
    throw new PlatformFailure('unclear', 'Slack gave an unusable URL for Socket Mode');
  }

  /** Resolves when it is time for the next connection. Throws a PlatformFailure when this one has failed. */
  async #connect(url: string): Promise<void> {
    const { clock, reader, state } = this.#deps;
    const wanted = Promise.withResolvers<null>();
    let greetedMs = Number.POSITIVE_INFINITY;
    const connection = openConnection(
      url,
      { clock, reader },
      {
        hello: () => {
          greetedMs = clock.monotonicMs();
          this.#settled.resolve(null);
          state(null);
        },
        delivery: (payload, acknowledge) => this.#handle(payload, acknowledge),
        refresh: () => wanted.resolve(null),
      },
    );
    this.#connections.add(connection);
    void connection.closed.then(() => this.#connections.delete(connection));
    if (this.#ending.signal.aborted) connection.close('the gateway closes');
    const reason = await Promise.race([connection.ended, wanted.promise]);
    if (this.#ending.signal.aborted) return;
    const isStable = clock.monotonicMs() - greetedMs >= STABLE_MS;
    if (isStable) this.#backoff.reset();
    if (reason !== null) throw new PlatformFailure('unclear', reason);
    const cancel = clock.after(OVERLAP_MS, () => connection.close('replaced'));
    void connection.closed.then(cancel);
    if (!isStable) await pause(clock, this.#backoff.next(), this.#ending.signal);
  }

  #handle(payload: SocketPayload, acknowledge: () => void): void {
    const handled = this.#deps
      .take(payload)
      .then((isTaken) => (isTaken ? acknowledge() : undefined))
      .finally(() => this.#handling.delete(handled));
    this.#handling.add(handled);
  }
}
