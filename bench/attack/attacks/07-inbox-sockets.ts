import { setTimeout as pause } from 'node:timers/promises';
import type { Attack, Target } from '../attack.ts';
import { GrowthWatch } from '../gateway-watch.ts';
import { leave, newTenant } from '../member.ts';
import type { Notes } from '../notes.ts';
import { openSockets } from '../raw-socket.ts';

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
  const sockets = await openSockets(httpPort, path, SOCKETS);
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
  const sockets = await openSockets(httpPort, path, 1_500);
  notes.demand(sockets.length < 1_500, 'inbox sockets that one key may have', sockets.length);
  for (const socket of sockets) socket.destroy();
}

/** The head of a masked text frame (RFC 6455 section 5.2), with a mask of zeros. */
function frameHead(lengthBytes: number, isWhole: boolean): Buffer {
  const head = Buffer.alloc(14);
  head[0] = isWhole ? 0x81 : 0x01;
  head[1] = 0xff;
  head.writeBigUInt64BE(BigInt(lengthBytes), 2);
  return head;
}
