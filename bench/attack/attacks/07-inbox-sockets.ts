import { setTimeout as pause } from 'node:timers/promises';
import type { Attack, Target } from '../attack.ts';
import { GrowthWatch } from '../gateway-watch.ts';
import { leave, newTenant } from '../member.ts';
import type { Notes } from '../notes.ts';
import { RawConnection } from '../raw-connection.ts';

const NUMBER = 7;
const SOCKETS = 100;
const FRAME_BYTES = 15 * 1_048_576;
const STEP_BYTES = 1_048_576;
/** 64 KB for each of the hundred sockets, plus the library's own state. */
const MAX_GROWTH_MB = 40;
/** Growth at which the attack has succeeded and stops. */
const ENOUGH_MB = 600;

/** WebSockets whose messages never end. */
export const inboxSockets: Attack = {
  number: NUMBER,
  name: 'WebSocket messages that never end',
  async run(target, notes, mails) {
    const tenant = await newTenant(target, mails, NUMBER, 1);
    const path = `/api/inbox/stream?api_key=${tenant.agentKey}`;
    await unfinished(target, path, true, notes);
    await unfinished(target, path, false, notes);
    await manySockets(target, path, notes);
    await leave(tenant);
  },
};

async function unfinished(
  { httpPort, pid }: Target,
  path: string,
  isWhole: boolean,
  notes: Notes,
): Promise<void> {
  const what = isWhole ? `one frame of ${FRAME_BYTES >> 20} MB` : 'a message in fragments';
  const head = frameHead(FRAME_BYTES, isWhole);
  notes.act(`${SOCKETS} inbox sockets of one key each send ${what} without its end`);
  const growth = new GrowthWatch(pid);
  const sockets = await open(httpPort, path, SOCKETS);
  notes.see(`${sockets.length} of ${SOCKETS} sockets were let in`);
  const step = Buffer.alloc(STEP_BYTES, 0x61);
  for (const socket of sockets) socket.send(head);
  for (let sent = 0; sent < FRAME_BYTES - STEP_BYTES && growth.growthMb < ENOUGH_MB; sent += STEP_BYTES) {
    for (const socket of sockets) if (!socket.isClosed) socket.send(step);
    await pause(100);
  }
  notes.demand(growth.growthMb < MAX_GROWTH_MB, `memory for ${what}, MB`, growth.growthMb);
  growth.stop();
  for (const socket of sockets) socket.destroy();
  await pause(500);
}

async function manySockets({ httpPort }: Target, path: string, notes: Notes): Promise<void> {
  notes.act('one key opens 1,500 inbox sockets');
  const sockets = await open(httpPort, path, 1_500);
  notes.demand(sockets.length < 1_500, 'inbox sockets that one key may have', sockets.length);
  for (const socket of sockets) socket.destroy();
}

async function open(port: number, path: string, count: number): Promise<RawConnection[]> {
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

/** The head of a masked text frame (RFC 6455 section 5.2), with a mask of zeros. */
function frameHead(lengthBytes: number, isWhole: boolean): Buffer {
  const head = Buffer.alloc(14);
  head[0] = isWhole ? 0x81 : 0x01;
  head[1] = 0xff;
  head.writeBigUInt64BE(BigInt(lengthBytes), 2);
  return head;
}
