import { setImmediate } from 'node:timers/promises';
import { parentPort } from 'node:worker_threads';
import { loadMediaIo } from '../../../src/native/media-io.ts';
import { policy, spin } from './scheduling.ts';

const BUDGET_MS = 20;
const REST_MS = 0.9;

/** Posts the thread's policy after spells of half its budget with a rest after each, and after twice the budget at once. */
const io = loadMediaIo();
if (typeof io === 'string') throw new Error(io);

/** A sleep ends early while the event loop has work, so that is done before. */
async function rest(sleep: (milliseconds: number) => void): Promise<void> {
  for (let sinceMs = performance.now(); performance.now() - sinceMs < REST_MS / 2; ) {
    await setImmediate();
    sinceMs = performance.now();
    sleep(REST_MS);
  }
}

await rest(io.sleep);
io.precede(BUDGET_MS);
const policies: number[] = [];
for (const spellMs of [0.5, 0.5, 0.5, 0.5, 2].map((share) => share * BUDGET_MS)) {
  spin(spellMs);
  await rest(io.sleep);
  policies.push(policy());
}
parentPort!.postMessage(policies);
