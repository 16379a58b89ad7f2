/** −40 dBFS. */
const QUIET_PEAK = 328;

/** Whether `length` samples from `at` are quiet enough to be dropped, or to have silence inserted, inaudibly. */
export function isQuiet(samples: Int16Array, at: number, length: number): boolean {
  for (let i = at; i < at + length; i++) if (Math.abs(samples[i] as number) > QUIET_PEAK) return false;
  return true;
}
