import { join } from 'node:path';
import { loadMediaIo } from '../../src/native/media-io.ts';
import { compile } from '../compiler.ts';
import { type Contestant, type NativeBench, nodeCommand, type Program } from '../native-bench.ts';

const SOCKETS = 300;
const TICKS = 75;
const PORT = 15_000;
const PEER_PORT = 17_000;
/** The peer goes on until it is ended. */
const PEER_TICKS = 3_000;

const LOOPS = ['epoll', 'drain', 'tick', 'tick-epoll', 'tick-mmsg', 'connected', 'shared'];
const URINGS = ['uring', 'uring-coop', 'uring-event', 'uring-zc', 'uring-send'];

/** CPU of a thread that exchanges one packet each way with every call and tick, and does nothing else. */
export const udpBench: NativeBench = {
  name: 'udp',
  title: `${SOCKETS} sockets, a packet in and a packet out each, every 20 ms`,
  programs() {
    const [loop, uring, peer] = ['loop.c', 'uring.c', 'peer.c'].map((file) => compile(source(file)));
    const program = (name: string, mode: string, command: readonly string[]): Program => ({
      name,
      command: [...command, ...job(mode, TICKS, PORT, PEER_PORT)],
      beside: [peer!, ...job(mode, PEER_TICKS, PEER_PORT, PORT)],
    });
    const ours = nodeCommand(source('ours.ts'));
    return [
      program('ours, portable (dgram)', 'portable', ours),
      oursNative(program('ours, native', 'native', ours)),
      ...LOOPS.map((mode) => program(`C ${mode}`, mode, [loop!])),
      ...URINGS.map((mode) => program(`C ${mode}`, mode, [uring!])),
    ];
  },
};

function oursNative(program: Program): Contestant {
  const binding = loadMediaIo();
  return typeof binding === 'string'
    ? { name: program.name, missing: `node src/native/build.ts: ${binding}` }
    : program;
}

function job(mode: string, ticks: number, port: number, peerPort: number): string[] {
  return [mode, `${SOCKETS}`, `${ticks}`, `${port}`, `${peerPort}`];
}

function source(file: string): string {
  return join(import.meta.dirname, file);
}
