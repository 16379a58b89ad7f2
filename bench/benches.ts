import type { Bench } from './bench.ts';
import { bootBench } from './boot/boot.bench.ts';
import { callsBench } from './calls/calls.bench.ts';
import { restBench } from './rest/rest.bench.ts';
import { wsBench } from './ws/ws.bench.ts';

/** In the order in which they run and stand in the table. */
export const benches: readonly Bench[] = [callsBench, restBench, wsBench, bootBench];
