import { setImmediate } from 'node:timers/promises';
import { parentPort } from 'node:worker_threads';
import { loadMediaIo } from '../../../src/native/media-io.ts';
import { policy, spin, usedMs } from './scheduling.ts';

const BUDGET_MS = 20;
const REST_MS = 0.9;
const SPELLS = 4;

const loaded = loadMediaIo();
if (typeof loaded === 'string') throw new Error(loaded);
const io = loaded;

/** A sleep ends early while the event loop has work, so that is done before. */
async function rest(): Promise<void> {
  for (let sinceMs = performance.now(); performance.now() - sinceMs < REST_MS / 2; ) {
    await setImmediate();
    sinceMs = performance.now();
    io.sleep(REST_MS);
  }
}

/** Returns the policies after spells of half the budget. Null: until a rest, one of them took more than the budget. */
async function policiesAfterSpells(): Promise<number[] | null> {
  const policies: number[] = [];
  for (let atMs = usedMs(); policies.length < SPELLS; atMs = usedMs()) {
    spin(BUDGET_MS / 2);
    await rest();
    if (usedMs() - atMs > 0.9 * BUDGET_MS) return null;
    policies.push(policy());
  }
  return policies;
}

/** Posts the thread's policy after each of four spells with a rest after it, and after twice the budget at once. */
for (let posted = false; !posted; ) {
  await rest();
  io.precede(BUDGET_MS);
  const policies = await policiesAfterSpells();
  posted = policies !== null;
  spin(2 * BUDGET_MS);
  if (posted) parentPort!.postMessage([...policies!, policy()]);
}
