import { useEffect, useRef, useState } from 'preact/hooks';
import type { Answers, Reading } from './answers.ts';
import { onEvent } from './feed.ts';
import { type ApiError, type Args, ask } from './request.ts';

/** Many events in a row cause one reading. */
const SETTLE_MS = 120;

export interface Answer<T> {
  /** The last answer; undefined until the first. */
  readonly data: T | undefined;
  /** Why the last reading failed; what was read before stays. */
  readonly error: ApiError | undefined;
  reload(): void;
}

interface Freshness {
  /** Beginnings of the types of events after which it is read again. */
  readonly on?: readonly string[];
  /** Reads again in this interval, while the page is visible. */
  readonly everyMs?: number;
  /** Reads nothing. */
  readonly off?: boolean;
}

/** What an endpoint answers, kept fresh. */
export function useAnswer<E extends Reading>(
  endpoint: E,
  args: Args = {},
  { on = [], everyMs, off = false }: Freshness = {},
): Answer<Answers[E]> {
  const key = JSON.stringify([endpoint, args, off]);
  const [shown, show] = useState<{ key: string; data?: Answers[E]; error?: ApiError }>({ key });
  const load = useRef<() => void>(() => {});

  useEffect(() => {
    if (off) return undefined;
    const aborter = new AbortController();
    let settling: ReturnType<typeof setTimeout> | undefined;
    const read = (): void => {
      settling = undefined;
      ask(endpoint, { ...args, signal: aborter.signal }).then(
        (data) => !aborter.signal.aborted && show({ key, data }),
        (error: ApiError) =>
          !aborter.signal.aborted && show((old) => ({ ...(old.key === key && old), key, error })),
      );
    };
    const soon = (): void => {
      settling ??= setTimeout(read, SETTLE_MS);
    };
    load.current = read;
    read();
    const unsubscribe = onEvent(({ type }) => {
      if (type === 'resync' || on.some((start) => type.startsWith(start))) soon();
    });
    const interval = everyMs && setInterval(() => document.hidden || soon(), everyMs);
    return () => {
      aborter.abort();
      unsubscribe();
      clearTimeout(settling);
      if (interval) clearInterval(interval);
    };
    // The key holds all that decides what is read.
  }, [key]);

  const isSame = shown.key === key;
  return {
    data: isSame ? shown.data : undefined,
    error: isSame ? shown.error : undefined,
    reload: () => load.current(),
  };
}
