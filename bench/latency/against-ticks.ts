import { FRAME_MS } from '../../src/base/frame.ts';

const FRAME_US = FRAME_MS * 1_000;
/** If so many frames in a row are off by a tick, ticks were skipped and nothing is late. */
const SKIPPED_AFTER = 10;
/** How far the measured phase of the ticks may be behind the true one. */
const PHASE_TOLERANCE_US = 1_000;

/**
 * How long after its tick each frame came, in microseconds. Every tick gives one frame, in order, so that frame n
 * belongs to the tick n after the first one's, however late it is. `phaseUs` is the time of any tick.
 */
export function againstTicks(arrivalsUs: readonly number[], phaseUs: number): number[] {
  let dueUs = latestTick(arrivalsUs[0] ?? 0, phaseUs);
  let inRowOff = 0;
  return arrivalsUs.map((arrivalUs) => {
    const lateUs = arrivalUs - dueUs;
    const isOff = lateUs >= FRAME_US;
    inRowOff = isOff ? inRowOff + 1 : 0;
    const wrong = lateUs < -PHASE_TOLERANCE_US || inRowOff >= SKIPPED_AFTER;
    if (wrong) {
      dueUs = latestTick(arrivalUs, phaseUs);
      inRowOff = 0;
    }
    const result = arrivalUs - dueUs;
    dueUs += FRAME_US;
    return result;
  });
}

/** The last tick before `timeUs`; one that is up to the tolerance after it counts as before. */
export function latestTick(timeUs: number, phaseUs: number): number {
  return phaseUs + Math.floor((timeUs - phaseUs + PHASE_TOLERANCE_US) / FRAME_US) * FRAME_US;
}

/** On a machine at rest, frames arrive within this time after their tick. Later ones had a hiccup. */
const CLUSTER_US = 2_000;
/** This share of a crowd may be frames of the tick before it that were late by almost a tick. */
const STRAY_SHARE = 0.02;
/** How far the phase measured with one call only may be behind the true one: its core sleeps between ticks. */
const BASE_TOLERANCE_US = 300;

/** Estimates the time of a tick from frames, most of which arrive soon after theirs. */
export function tickPhase(arrivalsUs: readonly number[]): number {
  const origin = arrivalsUs[0] ?? 0;
  const offsets = arrivalsUs
    .map((arrivalUs) => (((arrivalUs - origin) % FRAME_US) + FRAME_US) % FRAME_US)
    .sort((a, b) => a - b);
  // Round the clock once more, so that a crowd across its end is whole.
  const round = [...offsets, ...offsets.map((offset) => offset + FRAME_US)];
  let [crowd, most, last] = [0, 0, 0];
  for (let first = 0; first < offsets.length; first++) {
    while (last < round.length && (round[last] as number) - (round[first] as number) < CLUSTER_US) last++;
    if (last - first > most) [crowd, most] = [first, last - first];
  }
  return origin + (round[crowd + Math.floor(most * STRAY_SHARE)] ?? 0);
}

/**
 * The time of a tick of one call among many, told by its own packets. Calls tick in slots, whose times are multiples
 * of `slotUs` from `baseUs`, the tick of any call: the latest slot that began before the crowd did. What the call's
 * packets are late by within their slot is not hidden by that.
 */
export function callPhase(packetsUs: readonly number[], baseUs: number, slotUs: number): number {
  const slots = Math.floor((tickPhase(packetsUs) - baseUs + BASE_TOLERANCE_US) / slotUs);
  return baseUs + slots * slotUs;
}
