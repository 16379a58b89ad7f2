import { expect } from 'vitest';
import type { ModelClient } from '../../../src/models/model-client.ts';
import type { Script } from '../../fakes/model-vendor/scripted-reply.ts';
import { NotedTurn, turnOf } from './turn-parts.ts';

const TRIES = 10;
const LONGEST_MS = 5_000;

/** A reply that never comes to its end. */
export const HALF_A_REPLY: Script = async function* () {
  yield { kind: 'text', text: 'Hello' };
  await new Promise(() => {});
};

/**
 * Aborts turns in the middle of their replies. Returns after how many milliseconds the quickest had ended and its
 * connection was closed: a busy machine makes single ones slow.
 */
export async function quickestAbortMs(client: ModelClient, isClosed: () => boolean): Promise<number> {
  const timesMs: number[] = [];
  for (let count = 0; count < TRIES; count++) timesMs.push(await abortMs(client, isClosed));
  return Math.min(...timesMs);
}

async function abortMs(client: ModelClient, isClosed: () => boolean): Promise<number> {
  const abort = new AbortController();
  const noted = new NotedTurn();
  const turn = client.turn(turnOf('Hello', { signal: abort.signal }), noted);
  await noted.firstPart();
  const startMs = performance.now();
  abort.abort(new Error('interrupted'));
  await expect(turn).rejects.toThrow('interrupted');
  // A timer between two looks would count as well.
  while (!isClosed() && performance.now() - startMs < LONGEST_MS) await new Promise(setImmediate);
  return performance.now() - startMs;
}
