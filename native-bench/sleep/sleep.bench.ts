import { join } from 'node:path';
import { compile } from '../compiler.ts';
import { type NativeBench, nodeCommand } from '../native-bench.ts';

const SECONDS = '5';

/** How late a thread wakes that has nothing to do but to keep time; `bench/tick` asks the same under load. */
export const sleepBench: NativeBench = {
  name: 'sleep',
  title: `lateness of a 20 ms clock without work, ${SECONDS} s a round`,
  programs() {
    const native = compile(join(import.meta.dirname, '../deadline-sleeper.c'));
    return [
      { name: 'C, clock_nanosleep', command: [native, SECONDS] },
      { name: 'ours', command: nodeCommand(join(import.meta.dirname, 'engine-clock.ts'), SECONDS) },
    ];
  },
};
