import { join } from 'node:path';
import { compile } from '../compiler.ts';
import { type NativeBench, nodeCommand } from '../native-bench.ts';

/** G.711 and mix-minus: time of a 20 ms frame, and of a tick of a room. */
export const kernelsBench: NativeBench = {
  name: 'kernels',
  title: 'G.711 (a frame of 160 samples) and mix-minus (a tick of a room, everybody speaks)',
  programs() {
    const native = compile(join(import.meta.dirname, 'kernels.c'));
    return [
      { name: 'C, tables', command: [native, 'tables'] },
      { name: 'C, formulas in vectors', command: [native, 'formula'] },
      { name: 'ours', command: nodeCommand(join(import.meta.dirname, 'kernels.ts')) },
    ];
  },
};
