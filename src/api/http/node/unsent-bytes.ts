import type { Socket } from 'node:net';

/** Node's internal handle. `writeQueueSize`: bytes of pending writes that the operating system has not accepted. */
interface QueueingHandle {
  readonly writeQueueSize?: number;
}

/** Bytes written to a connection that the operating system has not accepted. */
export function unsentBytes(socket: Socket): number {
  const { _handle: handle } = socket as unknown as { readonly _handle: QueueingHandle | null };
  const underWay = handle?.writeQueueSize ?? 0;
  // Node counts a pending write in full until its last byte is out. Data behind it has not started.
  return Math.max(underWay, socket.writableLength === 0 ? 0 : underWay || socket.writableLength);
}
