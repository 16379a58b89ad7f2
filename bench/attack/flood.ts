import type { RawConnection } from './raw-connection.ts';

const BLOCK_BYTES = 1_048_576;
/** A server that stops reading without closing has held as well. */
const PATIENCE_MS = 20_000;

/** Sends a unit again and again over all connections, until they have sent so much together or are closed. */
export async function flood(
  connections: readonly RawConnection[],
  unit: Buffer,
  bytes: number,
): Promise<number> {
  const block = Buffer.alloc(Math.ceil(BLOCK_BYTES / unit.length) * unit.length, unit);
  const blocks = Math.ceil(bytes / block.length / connections.length);
  const sent = Promise.all(connections.map((connection) => fill(connection, block, blocks)));
  const { promise, resolve } = Promise.withResolvers<number[]>();
  const patience = setTimeout(resolve, PATIENCE_MS, []);
  const counts = await Promise.race([sent, promise]);
  clearTimeout(patience);
  return counts.reduce((sum, count) => sum + count, 0) * block.length;
}

async function fill(connection: RawConnection, block: Buffer, blocks: number): Promise<number> {
  let written = 0;
  while (written < blocks && !connection.isClosed) {
    const taken = new Promise<void>((resolve) => connection.socket.write(block, () => resolve()));
    await Promise.race([taken, connection.closed]);
    written += 1;
  }
  return written;
}
