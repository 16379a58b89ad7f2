import { join } from 'node:path';
import { compile } from '../compiler.ts';
import { type NativeBench, nodeCommand } from '../native-bench.ts';

/** PCM from one thread to another as fast as it goes: what copying costs, and what our ring adds. */
export const ringBench: NativeBench = {
  name: 'ring',
  title: 'one frame of 20 ms at 16 kHz through a ring',
  programs() {
    const ours = join(import.meta.dirname, 'ring.ts');
    const native = compile(join(import.meta.dirname, 'ring.c'));
    return [
      { name: 'C, memcpy', command: [native], unpinned: true },
      { name: 'ours, what agents say', command: nodeCommand(ours, 'up'), unpinned: true },
      { name: 'ours, what agents hear', command: nodeCommand(ours, 'down'), unpinned: true },
    ];
  },
};
