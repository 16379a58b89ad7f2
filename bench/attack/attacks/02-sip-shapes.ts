import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { type Attack, STRANGER_HOST, type Target } from '../attack.ts';
import { GrowthWatch, MainCpu } from '../gateway-watch.ts';
import type { Notes } from '../notes.ts';

const LONG = 64_000;
const PACKETS = 30;
/** Longer than a REST answer takes behind one packet, on a machine that does other things. */
const FREEZE_MS = 60;
const MAX_CPU_MS = 2;
/** A garbage collection may fall into one measurement. A slow pattern is slow in all of them. */
const TRIES = 3;

/** Headers and bodies that a careless pattern reads again from each of their characters. */
const SHAPES: Readonly<Record<string, string>> = {
  'a Via of <': message({ via: '<'.repeat(LONG) }),
  'a Via of quotes': message({ via: '"'.repeat(LONG) }),
  'a Via of semicolons': message({ via: `SIP/2.0/UDP a${';'.repeat(LONG)}` }),
  'a Via of blanks': message({ via: `SIP/2.0/UDP${' '.repeat(LONG)}x` }),
  'a Via of commas': message({ via: 'SIP/2.0/UDP a,'.repeat(LONG / 14) }),
  'a From of <': message({ from: '<'.repeat(LONG) }),
  'a To of backslashes': message({ to: `"${'\\'.repeat(LONG)}` }),
  'a Contact of <sip:': message({ extra: `Contact: ${'<sip:'.repeat(LONG / 5)}` }),
  'a Route of tabs': message({ extra: `Route:${'\t'.repeat(LONG)}<sip:a>` }),
  'credentials of a="': message({ extra: `Authorization: Digest ${'a="'.repeat(LONG / 3)}` }),
  'a Request-URI of @': message({ uri: `sip:${'@'.repeat(LONG)}` }),
  'a Request-URI of ;': message({ uri: `sip:a@b${';a=b'.repeat(LONG / 4)}` }),
  'folded lines': message({ extra: `Subject: a${'\r\n a'.repeat(LONG / 4)}` }),
  'lines without a colon': message({ extra: 'x\r\n'.repeat(LONG / 3).trimEnd() }),
  'nothing but line ends': '\r\n'.repeat(LONG / 2),
  'a response of blanks': `SIP/2.0 200 ${' '.repeat(LONG)}x\r\n\r\n`,
  'a session description of a=': message({ body: `v=0\r\n${'a=\r\n'.repeat(LONG / 4)}` }),
  'a session description of formats': message({
    body: `v=0\r\nm=audio 1 RTP/AVP${' 0'.repeat(LONG / 2)}\r\n`,
  }),
};

/** SIP that costs more to read than to send. */
export const sipShapes: Attack = {
  number: 2,
  name: 'SIP that takes long to read',
  async run(target, notes) {
    // The trunk is at 127.0.0.1, so the gateway parses more of a message from there than from a stranger.
    for (const host of [STRANGER_HOST, '127.0.0.1']) await packets(target, notes, host);
    await halfMessages(target, notes);
  },
};

async function packets(target: Target, notes: Notes, host: string): Promise<void> {
  notes.act(`${Object.keys(SHAPES).length} shapes of 64 KB over UDP from ${host}, ${PACKETS} of each`);
  const socket = createSocket('udp4');
  socket.bind(0, host);
  await once(socket, 'listening');
  const cpu = await MainCpu.of(target.pid);
  // What the REST answers take with which packets are timed.
  const restMs = await cpu.msOf(() => repeated(target, socket, '\r\n\r\n'));
  let [worstMs, worstCpuMs] = [0, 0];
  for (const [shape, text] of Object.entries(SHAPES)) {
    const first = await behind(target, socket, text);
    worstMs = Math.max(worstMs, first);
    if (first > FREEZE_MS && (await behind(target, socket, text)) > FREEZE_MS) {
      notes.demand(false, `${shape} from ${host}: a REST answer behind one packet, ms`, Math.round(first));
      continue;
    }
    let cpuMs = Number.POSITIVE_INFINITY;
    for (let tries = 0; tries < TRIES && cpuMs > MAX_CPU_MS; tries++) {
      const allMs = await cpu.msOf(() => repeated(target, socket, text));
      cpuMs = Math.min(cpuMs, Math.max(0, allMs - restMs) / PACKETS);
    }
    worstCpuMs = Math.max(worstCpuMs, cpuMs);
    if (cpuMs > MAX_CPU_MS)
      notes.demand(false, `${shape} from ${host}: CPU of a packet, ms`, cpuMs.toFixed(2));
  }
  notes.see(
    `from ${host} at worst: REST ${worstMs.toFixed(1)} ms, CPU of a packet ${worstCpuMs.toFixed(2)} ms`,
  );
  socket.close();
}

async function repeated(target: Target, socket: Socket, text: string): Promise<void> {
  for (let n = 0; n < PACKETS; n++) await behind(target, socket, text);
}

/** Measures a REST request that is sent right after a packet. */
async function behind({ sipPort, baseUrl }: Target, socket: Socket, text: string): Promise<number> {
  await new Promise((resolve) => socket.send(Buffer.from(text, 'latin1'), sipPort, '127.0.0.1', resolve));
  const beganMs = performance.now();
  await (await fetch(`${baseUrl}/healthz`)).arrayBuffer();
  return performance.now() - beganMs;
}

/** Messages that never end, over TCP. */
async function halfMessages({ sipPort, pid }: Target, notes: Notes): Promise<void> {
  notes.act('200 TCP connections from a stranger, each with 60 KB of a message that never ends');
  const growth = new GrowthWatch(pid);
  const text = message({ via: '<'.repeat(60_000) }).replace('\r\n\r\n', '');
  let closed = 0;
  const sockets = Array.from({ length: 200 }, () => {
    const socket = connect({ port: sipPort, host: '127.0.0.1', localAddress: STRANGER_HOST });
    socket.on('connect', () => socket.write(text));
    socket.on('error', () => {});
    socket.on('data', () => {});
    socket.on('close', () => closed++);
    return socket;
  });
  await pause(5_000);
  notes.see(`${closed} of 200 were closed within 5 s`);
  notes.demand(growth.stop() < 40, 'memory for half messages, MB', growth.growthMb);
  for (const socket of sockets) socket.destroy();
}

interface Parts {
  readonly via?: string;
  readonly from?: string;
  readonly to?: string;
  readonly uri?: string;
  readonly extra?: string;
  readonly body?: string;
}

function message({ via, from, to, uri = 'sip:+4930123@127.0.0.1', extra, body = '' }: Parts): string {
  return [
    `INVITE ${uri} SIP/2.0`,
    `Via: ${via ?? 'SIP/2.0/UDP 127.0.0.7:5060;branch=z9hG4bKshape'}`,
    'Max-Forwards: 70',
    `From: ${from ?? '<sip:a@127.0.0.7>;tag=a'}`,
    `To: ${to ?? '<sip:b@127.0.0.1>'}`,
    'Call-ID: shape',
    'CSeq: 1 INVITE',
    'Contact: <sip:a@127.0.0.7>',
    ...(extra === undefined ? [] : [extra]),
    ...(body === '' ? [] : ['Content-Type: application/sdp']),
    `Content-Length: ${body.length}`,
    '',
    body,
  ].join('\r\n');
}
