import { setTimeout as wait } from 'node:timers/promises';
import type { FakeRoom } from '../world/fake-room.ts';

/** Requests that wait for a message, by conversation. */
const waiting = new WeakMap<FakeRoom, Set<() => void>>();

/** Resolves when there is a message, the time is over, or the client is gone. */
export async function newMessage(
  room: FakeRoom,
  { seconds, gone }: { readonly seconds: number; readonly gone: AbortSignal },
): Promise<void> {
  const waiters = waiting.get(room) ?? new Set();
  waiting.set(room, waiters);
  const come = Promise.withResolvers<void>();
  const over = new AbortController();
  const timer = wait(seconds * 1_000, undefined, { signal: AbortSignal.any([gone, over.signal]) });
  waiters.add(come.resolve);
  await Promise.race([come.promise, timer.catch(() => undefined)]);
  waiters.delete(come.resolve);
  over.abort();
}

/** Ends the waits of a conversation. */
export function wakeUp(room: FakeRoom): void {
  for (const resolve of waiting.get(room) ?? []) resolve();
}
