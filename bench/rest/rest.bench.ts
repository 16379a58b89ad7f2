import { type HttpLoad, type HttpLoadResult, hammer } from '../autocannon.ts';
import type { Bench, BenchContext, Measure } from '../bench.ts';
import { cpuSeconds } from '../process-usage.ts';
import { type Contender, type Contenders, startContenders } from './contenders.ts';

/** As many as in Fastify's own benchmarks: one would measure the asking, which takes longer than the answer. */
const CONNECTIONS = 100;
const ANCHOR = 'Fastify';
const CLIENT_BOUND = 'autocannon fills its core before the gateway fills its own, so this ratio is too small';

/** Some request that both answer alike. */
interface Task {
  readonly name: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: string;
  /** The answers that are meant to come; any other fails the bench. */
  readonly expected: '2xx' | '4xx';
}

interface Turn {
  readonly perSecond: number;
  readonly perCpuSecond: number;
  readonly p99Ms: number;
}

interface Pair {
  readonly ours: Turn;
  readonly anchor: Turn;
}

/** REST with a key: reading a live call, and a POST whose body is read and validated before its call refuses it. */
export const restBench: Bench = {
  name: 'rest',
  title: 'authenticated requests, against Fastify with the same schemas, key and answers',
  async run(context) {
    const contenders = await startContenders(context.cores.gateway);
    try {
      const measures: Measure[] = [];
      for (const task of tasks(contenders.callId)) {
        context.progress(task.name);
        measures.push(...measuresOf(task, await inTurns(context, contenders, task)));
      }
      return measures;
    } finally {
      await contenders.stop();
    }
  },
};

function tasks(callId: string): Task[] {
  const path = `/api/call/${callId}`;
  const body = JSON.stringify({ text: 'Good morning, how can I help you?' });
  return [
    { name: 'GET call', method: 'GET', path, expected: '2xx' },
    { name: 'POST say, refused by the call', method: 'POST', path: `${path}/say`, body, expected: '4xx' },
  ];
}

/** The first turn of each warms it up and is not counted. */
async function inTurns(context: BenchContext, contenders: Contenders, task: Task): Promise<Pair[]> {
  const pairs: Pair[] = [];
  for (let round = 0; round <= context.rounds; round++) {
    const turn = (server: Contender) => hammerOnce(context, contenders.key, server, task);
    const pair = { ours: await turn(contenders.gateway), anchor: await turn(contenders.fastify) };
    if (round > 0) pairs.push(pair);
  }
  return pairs;
}

async function hammerOnce(context: BenchContext, key: string, server: Contender, task: Task): Promise<Turn> {
  const load: HttpLoad = {
    url: `${server.baseUrl}${task.path}`,
    method: task.method,
    headers: { authorization: `Bearer ${key}`, ...(task.body && { 'content-type': 'application/json' }) },
    ...(task.body && { body: task.body }),
    connections: CONNECTIONS,
    seconds: context.quick ? 1 : 3,
  };
  const before = cpuSeconds(server.pid);
  const result = await hammer(context.cores.generators, load);
  const usedSeconds = cpuSeconds(server.pid) - before;
  const answers = answersOf(result, task);
  return {
    perSecond: answers / result.duration,
    perCpuSecond: answers / usedSeconds,
    p99Ms: result.latency.p99,
  };
}

function answersOf(result: HttpLoadResult, { name, expected }: Task): number {
  const all = result['2xx'] + result['4xx'] + result['5xx'];
  if (all !== result[expected] || result.errors + result.timeouts > 0 || all === 0) {
    throw new Error(`${name}: not every answer was ${expected}: ${JSON.stringify(result)}`);
  }
  return all;
}

function measuresOf({ name, method }: Task, pairs: readonly Pair[]): Measure[] {
  const measure = (what: string, unit: string, read: (turn: Turn) => number): Measure => ({
    name: `${name}, ${what}`,
    unit,
    ours: pairs.map(({ ours }) => read(ours)),
    anchor: { name: ANCHOR, values: pairs.map(({ anchor }) => read(anchor)) },
  });
  const target = method === 'GET' ? { target: { atLeast: 1.5 } } : {};
  return [
    { ...measure('throughput', 'requests/s', ({ perSecond }) => perSecond), note: CLIENT_BOUND },
    { ...measure('CPU', 'requests/CPU s', ({ perCpuSecond }) => perCpuSecond), ...target },
    measure('latency p99', 'ms', ({ p99Ms }) => p99Ms),
  ];
}
