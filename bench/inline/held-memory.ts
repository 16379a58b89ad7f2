import { quantile } from '../quantiles.ts';
import type { WritingPeople } from './writing-people.ts';

const STEP = 50;
const STEPS = 4;

/** In bytes per conversation. */
export interface HeldMemory {
  /** What the main thread's heap and its buffers grow by with each conversation that has a turn under way. */
  readonly heap: number;
  /** The same of the process's resident memory. */
  readonly resident: number;
  /** What is left of the heap's growth when the turns have ended. */
  readonly left: number;
}

interface Point {
  readonly conversations: number;
  readonly heapBytes: number;
  readonly residentBytes: number;
}

/** More and more new people write, and the model holds its reply to each. Memory is measured without garbage. */
export async function memoryOfTurns(people: WritingPeople): Promise<HeldMemory> {
  const points: Point[] = [{ conversations: 0, ...(await people.memory()) }];
  for (let step = 1; step <= STEPS; step++) {
    await people.write(STEP);
    points.push({ conversations: step * STEP, ...(await people.memory()) });
  }
  await people.endTurns();
  const { heapBytes } = await people.memory();
  return {
    heap: slope(points, (point) => point.heapBytes),
    resident: slope(points, (point) => point.residentBytes),
    left: (heapBytes - (points[0] as Point).heapBytes) / (STEP * STEPS),
  };
}

/** The median of the slopes between any two points (Theil-Sen): one step that is off makes no difference. */
function slope(points: readonly Point[], bytesOf: (point: Point) => number): number {
  const slopes = points.flatMap((from, at) =>
    points.slice(at + 1).map((to) => (bytesOf(to) - bytesOf(from)) / (to.conversations - from.conversations)),
  );
  return quantile(slopes, 0.5);
}
