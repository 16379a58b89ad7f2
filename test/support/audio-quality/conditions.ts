import type { NetworkCondition } from './network.ts';

/** Paths that both directions are scored under. TCP from an agent has no losses, so they only stall. */
const TIMING: readonly NetworkCondition[] = [
  { name: 'no trouble' },
  { name: 'jitter to 60 ms', jitterMs: 60 },
  { name: 'jitter to 200 ms', jitterMs: 200 },
  { name: 'spikes of 200 ms every 5 s', stallMs: 200, everyMs: 5_000 },
  { name: 'stalls of 300 ms every 10 s', stallMs: 300, everyMs: 10_000 },
  { name: 'clock slow by 200 ppm', driftPpm: -200 },
  { name: 'clock fast by 200 ppm', driftPpm: 200 },
  { name: 'clock slow by 1,000 ppm', driftPpm: -1_000 },
  { name: 'clock fast by 1,000 ppm', driftPpm: 1_000 },
];

export const SENDING_CONDITIONS = TIMING;

export const RECEPTION_CONDITIONS: readonly NetworkCondition[] = [
  ...TIMING,
  { name: 'loss of 5 %', lossShare: 0.05 },
  { name: 'loss of 10 %', lossShare: 0.1 },
  { name: 'loss of 20 %', lossShare: 0.2 },
  { name: 'loss of 5 % in bursts', lossShare: 0.05, lossRun: 3 },
  { name: 'loss of 10 % in bursts', lossShare: 0.1, lossRun: 3 },
  { name: 'loss of 20 % in bursts', lossShare: 0.2, lossRun: 3 },
  { name: 'outages of 100 ms every second', outageMs: 100, everyMs: 1_000 },
  { name: 'duplicates of 20 %', duplicateShare: 0.2 },
  { name: 'clock jumps of 5 s', clockJumpMs: 5_000, everyMs: 7_000 },
];
