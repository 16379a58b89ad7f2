import { createSocket } from 'node:dgram';
import { createServer, type Server } from 'node:net';

/** Below Linux's ephemeral ports (32768-60999), so that no outgoing socket takes one of ours by chance. */
const FIRST_BLOCK_PORT = 10_240;
const LAST_BLOCK_PORT = 19_968;
const BLOCK_PORTS = 32;
const BLOCK_COUNT = (LAST_BLOCK_PORT - FIRST_BLOCK_PORT) / BLOCK_PORTS;
/** Claims of one block are looked for here first, so that they do not cut in two what a soak needs in one piece. */
const SINGLE_BLOCKS = 64;

/** Ports on 127.0.0.1 that no other test process will be given until they are released. */
export interface PortClaim {
  readonly first: number;
  readonly last: number;
  release(): void;
}

/**
 * Claims up to 31 ports free for UDP and TCP. A block is owned by the process that listens on its first TCP port: the
 * claim ends with the process, however it ends.
 */
export async function claimSignalingPorts(count: number): Promise<PortClaim> {
  if (count >= BLOCK_PORTS) throw new RangeError(`at most ${BLOCK_PORTS - 1} signaling ports in one claim`);
  return claimBlocks(1, async (base) => {
    for (let port = base + 1; port <= base + count; port++) {
      if (!((await udpIsFree(port)) && (await tcpIsFree(port)))) return null;
    }
    return { first: base + 1, last: base + count };
  });
}

/** Claims a contiguous range for RTP and RTCP by UDP; `first` is even. */
export async function claimRtpPorts(count: number): Promise<PortClaim> {
  return claimBlocks(Math.ceil(count / BLOCK_PORTS), async (base) => {
    for (let port = base; port < base + count; port++) if (!(await udpIsFree(port))) return null;
    return { first: base, last: base + count - 1 };
  });
}

async function claimBlocks(
  blocks: number,
  check: (base: number) => Promise<{ first: number; last: number } | null>,
): Promise<PortClaim> {
  const start = Math.floor(Math.random() * (blocks === 1 ? SINGLE_BLOCKS : BLOCK_COUNT));
  for (let step = 0; step < BLOCK_COUNT; step++) {
    const index = (start + step) % BLOCK_COUNT;
    if (index + blocks > BLOCK_COUNT) continue;
    const base = FIRST_BLOCK_PORT + index * BLOCK_PORTS;
    const flags = await plantFlags(base, blocks);
    if (flags === null) continue;
    const release = () => flags.forEach((flag) => void flag.close());
    const range = await check(base);
    if (range !== null) return { ...range, release };
    release();
  }
  throw new Error(`no ${blocks * BLOCK_PORTS} free ports on loopback`);
}

async function plantFlags(base: number, blocks: number): Promise<Server[] | null> {
  const flags: Server[] = [];
  for (let block = 0; block < blocks; block++) {
    const flag = await listenTcp(base + block * BLOCK_PORTS);
    if (flag === null) {
      for (const planted of flags) planted.close();
      return null;
    }
    flags.push(flag);
  }
  return flags;
}

function listenTcp(port: number): Promise<Server | null> {
  return new Promise((resolve) => {
    const server = createServer((socket) => void socket.destroy());
    server.unref();
    server.once('error', () => resolve(null));
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => resolve(server));
  });
}

async function tcpIsFree(port: number): Promise<boolean> {
  const server = await listenTcp(port);
  if (server === null) return false;
  await new Promise((resolve) => server.close(resolve));
  return true;
}

function udpIsFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createSocket('udp4');
    socket.once('error', () => resolve(false));
    socket.bind({ address: '127.0.0.1', port, exclusive: true }, () => socket.close(() => resolve(true)));
  });
}
