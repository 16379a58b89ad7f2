import { availableParallelism } from 'node:os';
import { Piscina } from 'piscina';
import { TooManyAttempts } from '../base/errors.ts';
import type { PasswordCheck } from './jobs.worker.ts';

/** Work that would stall the main thread: its argument, and what it gives. */
interface JobTypes {
  hashPassword: { task: string; result: string };
  verifyPassword: { task: PasswordCheck; result: boolean };
}

const MAX_THREADS = Math.max(1, Math.min(2, availableParallelism() - 1));
/** A thread costs some 15 MB, so it goes when nobody signs in. */
const IDLE_MS = 30_000;
/** Some 4 s of hashing on one thread; whoever comes on top shall come again. */
const MAX_WAITING = 128;
const COME_AGAIN_S = 5;
/** Calls go first. */
const NICE = 10;

let pool: Piscina | null = null;

/**
 * Runs a job on a thread of its own, started when one is first needed. There is one pool for the process: it knows
 * nothing of gateways, and its idle threads keep no process alive. Throws TooManyAttempts when too many jobs wait.
 */
export async function runJob<Name extends keyof JobTypes>(
  name: Name,
  task: JobTypes[Name]['task'],
): Promise<JobTypes[Name]['result']> {
  pool ??= newPool();
  if (pool.queueSize >= MAX_WAITING) throw new TooManyAttempts(COME_AGAIN_S);
  return await pool.run(task, { name });
}

function newPool(): Piscina {
  return new Piscina({
    filename: new URL('./jobs.worker.ts', import.meta.url).href,
    minThreads: 0,
    maxThreads: MAX_THREADS,
    idleTimeout: IDLE_MS,
    atomics: 'disabled',
    niceIncrement: NICE,
    recordTiming: false,
  });
}
