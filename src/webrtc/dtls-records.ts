/** Of a DTLS record (RFC 6347 section 4.1). */
export const RECORD_HEADER_BYTES = 13;
export const EPOCH_OFFSET = 3;
export const LENGTH_OFFSET = 11;

/** Returns the records of a datagram, without a last one that is cut off. */
export function recordsIn(datagram: Buffer): Buffer[] {
  const records: Buffer[] = [];
  for (let at = 0; at + RECORD_HEADER_BYTES <= datagram.length; ) {
    const end = at + RECORD_HEADER_BYTES + datagram.readUInt16BE(at + LENGTH_OFFSET);
    if (end > datagram.length) break;
    records.push(datagram.subarray(at, end));
    at = end;
  }
  return records;
}
