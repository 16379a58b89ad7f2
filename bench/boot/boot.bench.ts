import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { claimSignalingPorts } from '../../test/support/free-ports.ts';
import { startCommand } from '../../test/support/start-command.ts';
import type { Bench, CorePlan, Measure } from '../bench.ts';
import { type Start, type Startable, timedStart } from './timed-start.ts';

const ANCHOR = 'Fastify + ws';

interface Pair {
  readonly ours: Start;
  readonly anchor: Start;
}

/** The time and cost of a start that finds data, bundle and file cache of an earlier one. */
export const bootBench: Bench = {
  name: 'boot',
  title: 'from the start of the process to the first 200 of /readyz',
  async run({ rounds, cores, progress }) {
    const dataDir = mkdtempSync(join(tmpdir(), 'boot-'));
    const claim = await claimSignalingPorts(4);
    const startOn = async (prefix: readonly string[], of: string) => {
      progress(`on ${of}`);
      return startInTurns(rounds, gateway(prefix, claim.first, dataDir), fastify(prefix, claim.first + 3));
    };
    try {
      const free = await startOn(allCores(cores), 'all cores');
      const pinned = await startOn(cores.gateway, 'one core');
      return [...measuresOf(free, 'all cores'), ...measuresOf(pinned, 'one core'), memoryOf(free)];
    } finally {
      claim.release();
      rmSync(dataDir, { recursive: true, force: true });
    }
  },
};

/** The first start of each is not measured: it makes the bundle, the data and the file cache. */
async function startInTurns(rounds: number, ours: Startable, anchor: Startable): Promise<Pair[]> {
  const pairs: Pair[] = [];
  for (let round = 0; round <= rounds; round++) {
    const pair = { ours: await timedStart(ours), anchor: await timedStart(anchor) };
    if (round > 0) pairs.push(pair);
  }
  return pairs;
}

/** What `npm start` runs. */
function gateway(prefix: readonly string[], port: number, dataDir: string): Startable {
  return {
    command: [...prefix, ...startCommand],
    port,
    env: {
      SVC_HOST: '127.0.0.1',
      SVC_PORT: `${port}`,
      SVC_SIP_HOST: '127.0.0.1',
      SVC_SIP_PORT: `${port + 1}`,
      SVC_DATA_DIR: dataDir,
    },
  };
}

function fastify(prefix: readonly string[], port: number): Startable {
  return {
    command: [...prefix, process.execPath, join(import.meta.dirname, 'fastify-ws.mjs'), `${port}`],
    port,
  };
}

/** Returns the prefix for all cores. Without it, child processes inherit the runner's own pinning. */
function allCores({ gateway, generators }: CorePlan): string[] {
  const [program, option, core] = gateway;
  if (program === undefined || option === undefined) return [];
  return [program, option, `${core},${generators.at(-1)}`];
}

function measuresOf(pairs: readonly Pair[], on: string): Measure[] {
  return [
    { ...measure(pairs, `ready, on ${on}`, 'ms', ({ readyMs }) => readyMs), target: { atMost: 1 } },
    measure(pairs, `CPU until ready, on ${on}`, 'ms', ({ cpuMs }) => cpuMs),
  ];
}

function memoryOf(pairs: readonly Pair[]): Measure {
  return measure(pairs, 'resident memory when ready', 'MB', ({ residentMb }) => residentMb);
}

function measure(
  pairs: readonly Pair[],
  name: string,
  unit: string,
  read: (start: Start) => number,
): Measure {
  const ours = pairs.map((pair) => read(pair.ours));
  return { name, unit, ours, anchor: { name: ANCHOR, values: pairs.map((pair) => read(pair.anchor)) } };
}
