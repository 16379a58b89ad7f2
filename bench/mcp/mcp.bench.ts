import { hammer } from '../autocannon.ts';
import type { Bench, BenchContext, Measure } from '../bench.ts';
import { cpuSeconds } from '../process-usage.ts';
import { ACCOUNT_CALL, headersOf, openSession } from './account-call.ts';
import { type Contender, type Contenders, type SdkVersion, startContenders } from './contenders.ts';
import { besideWaiters, restP99Ms } from './rest-beside-waiters.ts';
import { keysFor } from './waiting-calls.ts';

/** As in `rest`: one at a time would measure the asking. */
const CONNECTIONS = 100;
const WAITERS = 1_000;
const CLIENT_BOUND = 'autocannon fills its core before the gateway fills its own, so this ratio is too small';

type Mode = 'stateless' | 'stateful';
const TARGETS: Readonly<Record<Mode, number>> = { stateless: 8, stateful: 4 };

interface Turn {
  readonly perSecond: number;
  readonly perCpuSecond: number;
}

type Who = 'gateway' | SdkVersion;
type Round = Readonly<Record<Who, Turn>>;

/** Calls of a tool, against the official SDK's minimal servers; and what calls that wait cost the others. */
export const mcpBench: Bench = {
  name: 'mcp',
  title: "tool calls over MCP, against the official SDK's own minimal server with an answer of the same size",
  async run(context) {
    const contenders = await startContenders(context.cores.gateway);
    try {
      const measures: Measure[] = [];
      for (const mode of ['stateless', 'stateful'] as const) {
        context.progress(mode);
        measures.push(...measuresOf(mode, await inTurns(context, contenders, mode)));
      }
      context.progress(`${WAITERS} calls that wait`);
      return [...measures, await waitersMeasure(context, contenders)];
    } finally {
      await contenders.stop();
    }
  },
};

/** The first turn of each warms it up and is not counted. */
async function inTurns(context: BenchContext, contenders: Contenders, mode: Mode): Promise<Round[]> {
  const { gateway, sdk } = contenders;
  const rounds: Round[] = [];
  for (let round = 0; round <= context.rounds; round++) {
    const turn = (server: Contender) => hammerOnce(context, gateway.agentKey, server, mode);
    const one = { gateway: await turn(gateway), v1: await turn(sdk.v1), v2: await turn(sdk.v2) };
    if (round > 0) rounds.push(one);
  }
  return rounds;
}

async function hammerOnce(context: BenchContext, key: string, server: Contender, mode: Mode): Promise<Turn> {
  const session = mode === 'stateful' ? { 'mcp-session-id': await openSession(server.baseUrl, key) } : {};
  const before = cpuSeconds(server.pid);
  const result = await hammer(context.cores.generators, {
    url: `${server.baseUrl}/mcp${mode === 'stateful' ? '?stateful' : ''}`,
    method: 'POST',
    headers: { ...headersOf(key), ...session },
    body: ACCOUNT_CALL,
    connections: CONNECTIONS,
    seconds: context.quick ? 2 : 4,
  });
  const usedSeconds = cpuSeconds(server.pid) - before;
  if (result['4xx'] + result['5xx'] + result.errors + result.timeouts > 0 || result['2xx'] === 0)
    throw new Error(`${mode}: not every call was answered: ${JSON.stringify(result)}`);
  return { perSecond: result['2xx'] / result.duration, perCpuSecond: result['2xx'] / usedSeconds };
}

function measuresOf(mode: Mode, rounds: readonly Round[]): Measure[] {
  const measure = (
    what: string,
    unit: string,
    version: SdkVersion,
    read: (turn: Turn) => number,
  ): Measure => ({
    name: `svc_account ${mode}, ${what}, SDK ${version}`,
    unit,
    ours: rounds.map(({ gateway }) => read(gateway)),
    anchor: { name: `SDK ${version}`, values: rounds.map((round) => read(round[version])) },
  });
  return (['v2', 'v1'] as const).flatMap((version) => [
    { ...measure('throughput', 'calls/s', version, ({ perSecond }) => perSecond), note: CLIENT_BOUND },
    {
      ...measure('CPU', 'calls/CPU s', version, ({ perCpuSecond }) => perCpuSecond),
      target: { atLeast: TARGETS[mode] },
    },
  ]);
}

async function waitersMeasure(context: BenchContext, { gateway }: Contenders): Promise<Measure> {
  const seconds = context.quick ? 2 : 5;
  const alone: number[] = [];
  const beside: number[] = [];
  const keys = await keysFor(gateway, WAITERS);
  for (let round = 0; round <= context.rounds; round++) {
    const without = await restP99Ms(gateway, seconds);
    const withThem = await besideWaiters(gateway, keys, WAITERS, () => restP99Ms(gateway, seconds));
    if (round === 0) continue;
    alone.push(without);
    beside.push(withThem);
  }
  return {
    name: `REST p99 beside ${WAITERS} waiting svc_inbox`,
    unit: 'ms',
    ours: beside,
    anchor: { name: 'without them', values: alone },
    target: { atMost: 1.25 },
  };
}
