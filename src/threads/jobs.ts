import { availableParallelism } from 'node:os';
import { Piscina } from 'piscina';
import { TooManyAttempts } from '../base/errors.ts';
import type { PasswordCheck } from './jobs.worker.ts';

/** Work that would block the main thread: the argument and result of each job. */
interface JobTypes {
  hashPassword: { task: string; result: string };
  verifyPassword: { task: PasswordCheck; result: boolean };
}

const MAX_THREADS = Math.max(1, Math.min(2, availableParallelism() - 1));
/** A thread costs about 15 MB, so it is stopped when nobody signs in. */
const IDLE_MS = 30_000;
/** About 4 s of hashing on one thread. Further jobs are refused with a retry time. */
const MAX_WAITING = 128;
const COME_AGAIN_S = 5;
/** Lowers the priority of job threads below that of calls. */
const NICE = 10;

let pool: Piscina | null = null;

/**
 * Runs a job on a worker thread, which is started on first use. The process has one pool: it holds no gateway state,
 * and its idle threads do not keep the process alive. Throws TooManyAttempts when too many jobs are queued.
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
