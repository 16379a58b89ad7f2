import type { Bench } from './bench.ts';

/** In the order in which they run and stand in the table. */
export const benches: readonly Bench[] = [];
