/** Collects bytes. Throws once there are more than `maxBytes`, which also ends their source. */
export async function bytesWithin(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  maxBytes: number,
  tooLong: () => Error = () => new Error(`the answer is longer than ${maxBytes} bytes`),
): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of source) {
    length += piece.length;
    if (length > maxBytes) throw tooLong();
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
