/** Microseconds of CLOCK_MONOTONIC, which all processes of the machine share. */
export function nowUs(): number {
  return Number(process.hrtime.bigint()) / 1_000;
}
