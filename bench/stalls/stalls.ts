import { join } from 'node:path';
import type { CorePlan } from '../bench.ts';
import { compileFolder } from '../compile.ts';
import { MeasuringProgram } from '../measuring-program.ts';

/** A time in which the machine ran no thread of one core, in microseconds of CLOCK_MONOTONIC. */
export interface Stall {
  readonly fromUs: number;
  readonly untilUs: number;
}

/**
 * The stalls of both cores within some seconds. Null where the watcher may not precede all other threads
 * (CAP_SYS_NICE) or nothing is pinned.
 */
export async function watchStalls(cores: CorePlan, seconds: number): Promise<Stall[] | null> {
  if (cores.gateway.length === 0) return null;
  const program = compileFolder(join(import.meta.dirname, 'watcher'), 'stall-watcher');
  try {
    const found = await Promise.all(
      [cores.gateway, cores.generators].map(
        async (prefix) => await new MeasuringProgram([...prefix, program, `${seconds}`], seconds).lines,
      ),
    );
    return found.flat().map(readStall);
  } catch (error) {
    if (`${error}`.includes('SCHED_FIFO')) return null;
    throw error;
  }
}

function readStall(line: string): Stall {
  const [fromUs = 0, untilUs = 0] = line.split(' ').map(Number);
  return { fromUs, untilUs };
}

/** What happened between two places or stations. */
export interface Passage {
  readonly fromUs: number;
  /** Infinity if it did not arrive. */
  readonly untilUs: number;
}

/** Those during which the machine ran both cores. What did not arrive is never excused. */
export function undisturbed(passages: readonly Passage[], stalls: readonly Stall[]): Passage[] {
  return passages.filter(
    ({ fromUs, untilUs }) =>
      untilUs === Number.POSITIVE_INFINITY ||
      !stalls.some((stall) => stall.fromUs < untilUs && stall.untilUs > fromUs),
  );
}

/** How long each took, in milliseconds. What did not arrive took forever. */
export function takesMs(passages: readonly Passage[]): number[] {
  return passages.map(({ fromUs, untilUs }) => (untilUs - fromUs) / 1_000);
}
