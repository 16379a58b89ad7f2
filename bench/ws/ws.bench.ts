import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Child } from '../../test/support/child.ts';
import { claimSignalingPorts } from '../../test/support/free-ports.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import type { Bench, BenchContext, Measure } from '../bench.ts';
import { cpuSeconds } from '../process-usage.ts';

const CONNECTIONS = 100;
const ANCHOR = 'ws';

interface Server {
  readonly child: Child;
  readonly port: number;
}

interface Turn {
  readonly perSecond: number;
  readonly perCpuSecond: number;
}

interface Pair {
  readonly ours: Turn;
  readonly anchor: Turn;
}

/** 640-byte binary frames taken and given back, by the gateway's WebSocket server and by the ws package. */
export const wsBench: Bench = {
  name: 'ws',
  title: `640-byte WebSocket frames in and out, ${CONNECTIONS} connections with one on its way each`,
  async run(context) {
    const claim = await claimSignalingPorts(2);
    const ours = await startServer(context, 'echo-gateway.ts', claim.first);
    const anchor = await startServer(context, 'echo-ws.mjs', claim.first + 1);
    try {
      return measuresOf(await inTurns(context, ours, anchor));
    } finally {
      await Promise.all([ours.child.stop(), anchor.child.stop()]);
      claim.release();
    }
  },
};

async function startServer({ cores }: BenchContext, file: string, port: number): Promise<Server> {
  const [program = '', ...args] = [
    ...cores.gateway,
    process.execPath,
    join(import.meta.dirname, file),
    `${port}`,
  ];
  const child = new Child(program, args);
  await waitFor(`${file} to listen`, async () => {
    if (!child.running) throw new Error(child.output);
    return (await fetch(`http://127.0.0.1:${port}/`).catch(() => null)) !== null;
  });
  return { child, port };
}

/** The first turn of each warms it up and is not counted. */
async function inTurns(context: BenchContext, ours: Server, anchor: Server): Promise<Pair[]> {
  const pairs: Pair[] = [];
  for (let round = 0; round <= context.rounds; round++) {
    context.progress(`round ${round} of ${context.rounds}`);
    const pair = { ours: await exchangeFrames(context, ours), anchor: await exchangeFrames(context, anchor) };
    if (round > 0) pairs.push(pair);
  }
  return pairs;
}

async function exchangeFrames({ cores, quick }: BenchContext, { child, port }: Server): Promise<Turn> {
  const client = join(import.meta.dirname, 'frame-client.ts');
  const load = [`${port}`, `${CONNECTIONS}`, quick ? '1' : '3'];
  const [program = '', ...args] = [...cores.generators, process.execPath, client, ...load];
  const before = cpuSeconds(child.pid);
  const { stdout } = await promisify(execFile)(program, args, { timeout: 30_000 });
  const usedSeconds = cpuSeconds(child.pid) - before;
  const { frames, seconds } = JSON.parse(stdout) as { frames: number; seconds: number };
  return { perSecond: frames / seconds, perCpuSecond: frames / usedSeconds };
}

function measuresOf(pairs: readonly Pair[]): Measure[] {
  const measure = (name: string, unit: string, read: (turn: Turn) => number): Measure => ({
    name,
    unit,
    ours: pairs.map(({ ours }) => read(ours)),
    anchor: { name: ANCHOR, values: pairs.map(({ anchor }) => read(anchor)) },
  });
  return [
    {
      ...measure('frames each way', 'frames/CPU s', ({ perCpuSecond }) => perCpuSecond),
      target: { atLeast: 1.3 },
    },
    measure('frames each way, throughput', 'frames/s', ({ perSecond }) => perSecond),
  ];
}
