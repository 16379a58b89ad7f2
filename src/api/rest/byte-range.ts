/** A part of a file, inclusive at both ends. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/**
 * Parses the single range of a `Range` header (RFC 9110, section 14). Null: no range, or one that may be ignored, such
 * as several ranges. `unsatisfiable`: the range lies outside the file.
 */
export function byteRangeOf(header: string, sizeBytes: number): ByteRange | 'unsatisfiable' | null {
  const [, from, to] = /^bytes=[ \t]*(\d{0,15})-(\d{0,15})[ \t]*$/.exec(header) ?? [];
  if (from === undefined || to === undefined || (from === '' && to === '')) return null;
  if (from === '') return lastBytes(Number(to), sizeBytes);
  const first = Number(from);
  const last = to === '' ? sizeBytes - 1 : Math.min(Number(to), sizeBytes - 1);
  if (to !== '' && Number(to) < first) return null;
  return first < sizeBytes ? { first, last } : 'unsatisfiable';
}

function lastBytes(count: number, sizeBytes: number): ByteRange | 'unsatisfiable' {
  if (count === 0 || sizeBytes === 0) return 'unsatisfiable';
  return { first: Math.max(0, sizeBytes - count), last: sizeBytes - 1 };
}
