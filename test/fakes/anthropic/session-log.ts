import { newId, nowIso } from './stored-objects.ts';

/** An event of a session on the wire. */
export interface WireEvent {
  readonly id: string;
  readonly type: string;
  processed_at: string | null;
  readonly [field: string]: unknown;
}

type Listener = (event: object) => void;

/** The events of a session: those that are kept, and those that go out to the streams that are open. */
export class SessionLog {
  readonly kept: WireEvent[] = [];
  readonly #listeners = new Set<Listener>();

  get isFollowed(): boolean {
    return this.#listeners.size > 0;
  }

  /** Keeps an event and sends it to all streams. */
  add(type: string, fields: object = {}): WireEvent {
    const event = { id: newId('sevt'), type, processed_at: nowIso(), ...fields };
    this.kept.push(event);
    this.send(event);
    return event;
  }

  /** Sends to the streams only. */
  send(event: object): void {
    for (const listener of this.#listeners) listener(event);
  }

  /** Events from now on, until the signal aborts or `isEnd` is true for one of them. */
  follow(signal: AbortSignal, isEnd: (event: object) => boolean): AsyncGenerator<object, void> {
    const ready: object[] = [];
    const waiting: { wake: () => void } = { wake: () => {} };
    const listener = (event: object): void => {
      ready.push(event);
      waiting.wake();
    };
    const stop = (): void => {
      this.#listeners.delete(listener);
      waiting.wake();
    };
    this.#listeners.add(listener);
    signal.addEventListener('abort', stop, { once: true });
    return drain(ready, waiting, { signal, isEnd, stop });
  }
}

interface DrainOptions {
  readonly signal: AbortSignal;
  readonly isEnd: (event: object) => boolean;
  readonly stop: () => void;
}

async function* drain(
  ready: object[],
  waiting: { wake: () => void },
  { signal, isEnd, stop }: DrainOptions,
): AsyncGenerator<object, void> {
  while (!signal.aborted) {
    for (const event of ready.splice(0)) {
      yield event;
      if (isEnd(event)) return stop();
    }
    if (ready.length > 0 || signal.aborted) continue;
    await new Promise<void>((resolve) => {
      waiting.wake = resolve;
    });
  }
}
