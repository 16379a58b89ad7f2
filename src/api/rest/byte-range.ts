/** A part of a file; both ends are in it. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/**
 * The one range that a `Range` header asks for (RFC 9110, section 14). Null: none, or something that may be ignored,
 * such as several; `unsatisfiable`: nothing of it is there.
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
