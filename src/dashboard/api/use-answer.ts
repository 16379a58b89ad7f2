import { useEffect, useState } from 'preact/hooks';
import type { AnswerOf, Reading } from './answers.ts';
import { onEvent } from './feed.ts';
import { type ApiError, ask, changes, type Values } from './request.ts';

/** Many events in a row cause one reading. */
const SETTLE_MS = 120;
/** What takes long to read is read less often: for at most a fifth of the time. */
const REST_PER_READING = 4;

export interface Answer<T> {
  /** The last answer; undefined until the first. */
  readonly data: T | undefined;
  /** Why the last reading failed; what was read before stays. */
  readonly error: ApiError | undefined;
}

/** When it is asked again. */
export interface Freshness {
  /** Beginnings of the types of events after which it is read again, if they are about its call or conversation. */
  readonly on?: readonly string[] | undefined;
  /** Reads again in this interval, while the page is visible. */
  readonly everyMs?: number | undefined;
  /** Reads nothing. */
  readonly off?: boolean;
}

/** What an endpoint answers, kept fresh: it is read again after events, and after everything that this page changes. */
export function useAnswer<E extends Reading>(
  endpoint: E,
  values: Values = {},
  { on = [], everyMs, off = false }: Freshness = {},
): Answer<AnswerOf<E>> {
  const key = JSON.stringify([endpoint, values, off]);
  const [shown, show] = useState<{ key: string; data?: AnswerOf<E>; error?: ApiError }>({ key });

  useEffect(() => {
    if (off) return undefined;
    const about = values.call_id ?? values.conversation_id;
    const aborter = new AbortController();
    let settling: ReturnType<typeof setTimeout> | undefined;
    let restUntilMs = 0;
    const read = (): void => {
      settling = undefined;
      const startedMs = performance.now();
      ask(endpoint, values, aborter.signal).then(
        (data) => {
          const nowMs = performance.now();
          restUntilMs = nowMs + (nowMs - startedMs) * REST_PER_READING;
          if (!aborter.signal.aborted) show({ key, data });
        },
        (error: ApiError) =>
          !aborter.signal.aborted && show((old) => ({ ...(old.key === key && old), key, error })),
      );
    };
    const soon = (): void => {
      settling ??= setTimeout(read, Math.max(SETTLE_MS, restUntilMs - performance.now()));
    };
    read();
    const before = changes.peek();
    const unfollow = changes.subscribe((count) => count !== before && soon());
    const unsubscribe = onEvent(({ type, call_id: callId, conversation_id: conversationId }) => {
      const isAbout = about === undefined || about === callId || about === conversationId;
      if (type === 'resync' || (isAbout && on.some((start) => type.startsWith(start)))) soon();
    });
    const interval = everyMs && setInterval(() => document.hidden || soon(), everyMs);
    return () => {
      aborter.abort();
      unsubscribe();
      unfollow();
      clearTimeout(settling);
      clearInterval(interval);
    };
    // The key holds all that decides what is read.
  }, [key]);

  return shown.key === key ? { data: shown.data, error: shown.error } : { data: undefined, error: undefined };
}
