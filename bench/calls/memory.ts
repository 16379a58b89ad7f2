import { residentBytes } from '../process-usage.ts';
import type { CallSystem } from './call-system.ts';
import { pause } from './density.ts';

/** Parts of the calls after each of which memory is read. */
const SHARES = [0.25, 0.5, 0.75, 1] as const;
const SETTLE_MS = 3_000;

/** Grows to this many calls in steps; returns the slope of resident memory in bytes a call. */
export async function growMeasuringMemory(system: CallSystem, calls: number): Promise<number> {
  const points: [calls: number, bytes: number][] = [];
  for (const share of SHARES) {
    await system.grow(Math.round(calls * share));
    await pause(SETTLE_MS);
    points.push([system.calls, residentBytes(system.pid)]);
  }
  return slope(points);
}

/** Of the line through the points with the least squares. */
export function slope(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (of: 0 | 1) => points.reduce((sum, point) => sum + point[of], 0) / points.length;
  const [meanX, meanY] = [mean(0), mean(1)];
  let [covariance, variance] = [0, 0];
  for (const [x, y] of points) {
    covariance += (x - meanX) * (y - meanY);
    variance += (x - meanX) ** 2;
  }
  return covariance / variance;
}
