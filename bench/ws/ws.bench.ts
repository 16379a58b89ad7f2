import { claimSignalingPorts } from '../../test/support/free-ports.ts';
import type { Bench, BenchContext, Measure } from '../bench.ts';
import {
  CONNECTIONS,
  type EchoServer,
  exchangeFrames,
  type FrameRate,
  startEchoServer,
} from './echo-server.ts';

const ANCHOR = 'ws';

interface Pair {
  readonly ours: FrameRate;
  readonly anchor: FrameRate;
}

/** 640-byte binary frames taken and given back, by the gateway's WebSocket server and by the ws package. */
export const wsBench: Bench = {
  name: 'ws',
  title: `640-byte WebSocket frames in and out, ${CONNECTIONS} connections with one on its way each`,
  async run(context) {
    const claim = await claimSignalingPorts(2);
    const ours = await startEchoServer(context, ['echo-gateway.ts'], claim.first);
    const anchor = await startEchoServer(context, ['echo-ws.mjs'], claim.first + 1);
    try {
      return measuresOf(await inTurns(context, ours, anchor));
    } finally {
      await Promise.all([ours.child.stop(), anchor.child.stop()]);
      claim.release();
    }
  },
};

/** The first turn of each warms it up and is not counted. */
async function inTurns(context: BenchContext, ours: EchoServer, anchor: EchoServer): Promise<Pair[]> {
  const pairs: Pair[] = [];
  for (let round = 0; round <= context.rounds; round++) {
    context.progress(`round ${round} of ${context.rounds}`);
    const pair = { ours: await exchangeFrames(context, ours), anchor: await exchangeFrames(context, anchor) };
    if (round > 0) pairs.push(pair);
  }
  return pairs;
}

function measuresOf(pairs: readonly Pair[]): Measure[] {
  const measure = (name: string, unit: string, read: (turn: FrameRate) => number): Measure => ({
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
