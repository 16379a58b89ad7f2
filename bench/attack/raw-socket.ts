import { setTimeout as pause } from 'node:timers/promises';
import { RawConnection } from './raw-connection.ts';

/** Opcodes of frames (RFC 6455 section 5.2). */
export const OPCODE = { continuation: 0, text: 1, binary: 2, ping: 9, pong: 10 } as const;

/** Opens WebSockets in parallel. Those that are refused are left out. */
export async function openSockets(port: number, path: string, count: number): Promise<RawConnection[]> {
  const opened: RawConnection[] = [];
  for (let at = 0; at < count; at += 50) {
    const batch = await Promise.all(
      Array.from({ length: Math.min(50, count - at) }, () => upgrade(port, path)),
    );
    opened.push(...batch.filter((each) => each !== null));
  }
  return opened;
}

/** Null: the gateway does not want another one. */
async function upgrade(port: number, path: string): Promise<RawConnection | null> {
  const connection = await RawConnection.open(port);
  connection.send(
    `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  );
  for (
    let waited = 0;
    waited < 100 && !connection.text.includes('\r\n\r\n') && !connection.isClosed;
    waited++
  )
    await pause(20);
  if (connection.text.startsWith('HTTP/1.1 101') && !connection.isClosed) return connection;
  connection.destroy();
  return null;
}

/** A whole frame of less than 126 bytes, with a mask of zeros. */
export function shortFrame(opcode: number, payload = '', isLast = true): Buffer {
  const head = [(isLast ? 0x80 : 0) | opcode, 0x80 | payload.length, 0, 0, 0, 0];
  return Buffer.concat([Buffer.from(head), Buffer.from(payload)]);
}
