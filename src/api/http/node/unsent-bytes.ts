import type { Socket } from 'node:net';

/** Of Node's handles: what the operating system has not taken yet of writes that are under way. */
interface QueueingHandle {
  readonly writeQueueSize?: number;
}

/** Bytes written to a connection that the operating system has not taken. */
export function unsentBytes(socket: Socket): number {
  const { _handle: handle } = socket as unknown as { readonly _handle: QueueingHandle | null };
  const underWay = handle?.writeQueueSize ?? 0;
  // Of a write under way Node counts all until its last byte is out; what is behind it has not begun.
  return Math.max(underWay, socket.writableLength === 0 ? 0 : underWay || socket.writableLength);
}
