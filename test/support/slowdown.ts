import { readdirSync, readFileSync } from 'node:fs';

interface Times {
  readonly ranNs: number;
  readonly waitedNs: number;
}

const NONE: Times = { ranNs: 0, waitedNs: 0 };

/**
 * How much longer processes take for their work because other processes use the processors: the kernel counts how long
 * each thread ran and how long it waited to run (proc/[pid]/schedstat). What is required on a quiet machine is
 * multiplied by it.
 */
export class Slowdown {
  readonly #pids: readonly number[];
  readonly #before: ReadonlyMap<string, Times>;

  /** Counts from now on. */
  constructor(...pids: readonly number[]) {
    this.#pids = pids;
    this.#before = timesOf(pids);
  }

  /** 1: no thread waited. */
  get factor(): number {
    let [ran, waited] = [0, 0];
    for (const [thread, { ranNs, waitedNs }] of timesOf(this.#pids)) {
      const before = this.#before.get(thread) ?? NONE;
      ran += ranNs - before.ranNs;
      waited += waitedNs - before.waitedNs;
    }
    return ran > 0 ? 1 + waited / ran : 1;
  }
}

/** Of every thread, by its path. */
function timesOf(pids: readonly number[]): Map<string, Times> {
  const threads = pids.flatMap((pid) =>
    readdirSync(`/proc/${pid}/task`).map((id) => `/proc/${pid}/task/${id}`),
  );
  return new Map(threads.map((thread) => [thread, scheduled(thread)]));
}

function scheduled(thread: string): Times {
  try {
    const [ranNs = 0, waitedNs = 0] = readFileSync(`${thread}/schedstat`, 'latin1').split(' ').map(Number);
    return { ranNs, waitedNs };
  } catch {
    // It has ended just now.
    return NONE;
  }
}
