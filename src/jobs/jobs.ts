import { availableParallelism } from 'node:os';
import { Piscina } from 'piscina';
import type { PasswordCheck, synthesize } from './jobs.worker.ts';

/** Work that would block the main thread: the argument and result of each job. */
interface JobTypes {
  hashPassword: { task: string; result: string };
  verifyPassword: { task: PasswordCheck; result: boolean };
  synthesize: { task: Parameters<typeof synthesize>[0]; result: ReturnType<typeof synthesize> };
}

/** Threads for the jobs that one share admits. */
export const JOB_THREADS = Math.max(1, Math.min(2, availableParallelism() - 1));
/** Two shares of passwords at most: those of strangers, and those of people who are known. */
const MAX_THREADS = 2 * JOB_THREADS;
/** A thread costs about 15 MB, one that has synthesized speech 50 MB, so it is stopped when it has no work. */
const IDLE_MS = 30_000;
/**
 * Lowers the priority of job threads below that of calls and of the main thread, as far as it goes: one that interrupts the
 * main thread runs until the kernel's next tick, 4 ms, so it must not happen often.
 */
const NICE = 19;
/** A job that runs for so long hangs. */
const DEADLINE_MS = 30_000;

let pool: Piscina | null = null;

/**
 * Runs a job on a worker thread, which is started on first use. Each thread that has jobs has a pool, which ends with it:
 * the main thread, and bridge threads. A pool holds no gateway state, and its idle threads do not keep the process alive.
 * Jobs of strangers and accounts take a place in a share first: nothing here is fair. Throws an AbortError when the job
 * hangs; it is then stopped together with its thread.
 */
export async function runJob<Name extends keyof JobTypes>(
  name: Name,
  task: JobTypes[Name]['task'],
): Promise<JobTypes[Name]['result']> {
  pool ??= newPool();
  return await pool.run(task, { name, signal: AbortSignal.timeout(DEADLINE_MS) });
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
