import { kernelsBench } from './kernels/kernels.bench.ts';
import type { NativeBench } from './native-bench.ts';
import { opusBench } from './opus/opus.bench.ts';
import { resamplersBench } from './resamplers/resamplers.bench.ts';
import { ringBench } from './ring/ring.bench.ts';
import { sleepBench } from './sleep/sleep.bench.ts';
import { udpBench } from './udp/udp.bench.ts';

export const benches: readonly NativeBench[] = [
  kernelsBench,
  udpBench,
  ringBench,
  resamplersBench,
  opusBench,
  sleepBench,
];
