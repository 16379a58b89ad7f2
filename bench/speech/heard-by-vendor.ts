/** The start and the end of a count are not exact: a chunk may be on its way. */
const TOLERANCE_MS = 200;

/** What the vendor missed of what the telephones said, in words. */
export function missedByVendor(listenedMs: readonly number[], calls: number, dueMs: number): string[] {
  const off = listenedMs.filter((ms) => Math.abs(ms - dueMs) > TOLERANCE_MS).length;
  return [
    ...(listenedMs.length === calls ? [] : [`the vendor listens to ${listenedMs.length} of ${calls} calls`]),
    ...(off === 0 ? [] : [`the vendor heard too much or too little of ${off} calls`]),
  ];
}
