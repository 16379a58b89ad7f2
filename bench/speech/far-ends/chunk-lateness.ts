import { FRAME_MS } from '../../../src/base/frame.ts';
import type { PhoneSightings } from './sightings.ts';

const FRAME_US = FRAME_MS * 1_000;
/** How far the measured phase of the ticks may be behind the true one. */
const TOLERANCE_US = 1_000;

/**
 * How long after the tick of its last frame each chunk came, in milliseconds. Chunks of a call follow each other without
 * a gap, so the one that took the least time tells which tick belongs to which chunk: it came within a frame of its own.
 * A chunk that is lost makes all later ones late.
 */
export function chunkLatenessMs({ chunksUs, tickUs }: PhoneSightings, chunkMs: number): number[] {
  const originsUs = chunksUs.map((atUs, n) => atUs - n * chunkMs * 1_000);
  const bestUs = originsUs.reduce((least, each) => Math.min(least, each), Number.POSITIVE_INFINITY);
  const dueUs = tickUs + Math.floor((bestUs - tickUs + TOLERANCE_US) / FRAME_US) * FRAME_US;
  return originsUs.map((originUs) => (originUs - dueUs) / 1_000);
}
