import { availableParallelism } from 'node:os';
import { Piscina } from 'piscina';
import { TooManyAttempts } from '../base/errors.ts';
import type { PasswordCheck, synthesize } from './jobs.worker.ts';

/** Work that would block the main thread: the argument and result of each job. */
interface JobTypes {
  hashPassword: { task: string; result: string };
  verifyPassword: { task: PasswordCheck; result: boolean };
  synthesize: { task: Parameters<typeof synthesize>[0]; result: ReturnType<typeof synthesize> };
}

const MAX_THREADS = Math.max(1, Math.min(2, availableParallelism() - 1));
/** A thread costs about 15 MB, one that has synthesized speech 50 MB, so it is stopped when it has no work. */
const IDLE_MS = 30_000;
/** About 4 s of hashing on one thread. Further jobs are refused with a retry time. */
const MAX_WAITING = 128;
const COME_AGAIN_S = 5;
/** Lowers the priority of job threads below that of calls. */
const NICE = 10;
/** A job that runs for so long hangs. */
const DEADLINE_MS = 30_000;

let pool: Piscina | null = null;
let running = 0;
const waiting: (() => void)[] = [];

/**
 * Runs a job on a worker thread, which is started on first use. Each thread that has jobs has a pool, which ends with it:
 * the main thread, and bridge threads. A pool holds no gateway state, and its idle threads do not keep the process alive. Throws TooManyAttempts when too many jobs are queued, and an
 * AbortError when the job hangs; it is then stopped together with its thread.
 */
export async function runJob<Name extends keyof JobTypes>(
  name: Name,
  task: JobTypes[Name]['task'],
): Promise<JobTypes[Name]['result']> {
  await turn();
  try {
    pool ??= newPool();
    return await pool.run(task, { name, signal: AbortSignal.timeout(DEADLINE_MS) });
  } finally {
    endTurn();
  }
}

/**
 * Jobs wait here, in order. Piscina's own queue mixes jobs that can be aborted, and leaves those behind a stopped one
 * waiting until another job comes.
 */
async function turn(): Promise<void> {
  if (running < MAX_THREADS) {
    running += 1;
    return;
  }
  if (waiting.length >= MAX_WAITING) throw new TooManyAttempts(COME_AGAIN_S);
  const { promise, resolve } = Promise.withResolvers<void>();
  waiting.push(resolve);
  await promise;
}

/** Passes the turn on. */
function endTurn(): void {
  const next = waiting.shift();
  if (next === undefined) running -= 1;
  else next();
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
