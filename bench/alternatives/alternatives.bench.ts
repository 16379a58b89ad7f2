import { claimSignalingPorts } from '../../test/support/free-ports.ts';
import { Gateway } from '../../test/support/gateway.ts';
import { hammer } from '../autocannon.ts';
import type { Bench, BenchContext, Measure } from '../bench.ts';
import { ACCOUNT_CALL, headersOf, openSession } from '../mcp/account-call.ts';
import { cpuSeconds } from '../process-usage.ts';
import { type EchoServer, exchangeFrames, startEchoServer } from '../ws/echo-server.ts';

const CONNECTIONS = 100;
const NODE = "Node's http and ws";
const SDK = 'the SDK alone';

/** Work of a gateway, measured in its results per CPU second. */
type Work = (context: BenchContext, gateway: Gateway) => Promise<number>;

/**
 * What each second implementation is worth: uWebSockets.js beside Node's HTTP server, and the fast path of MCP beside
 * the official SDK.
 */
export const alternativesBench: Bench = {
  name: 'alternatives',
  title: 'the gateway beside itself with the HTTP server of Node, and without the fast path of MCP',
  async run(context) {
    return [
      ...(await beside(context, NODE, { SVC_HTTP_SERVER: 'node' }, { 'GET account': getAccount })),
      await framesMeasure(context),
      ...(await beside(
        context,
        SDK,
        { SVC_MCP_FAST_PATH: 'off' },
        { 'svc_account, without sessions': callTool, 'svc_account, in a session': callToolInSession },
      )),
    ];
  },
};

/** Measures the work of a gateway and of one with other settings, in turns. The first turn is not counted. */
async function beside(
  context: BenchContext,
  name: string,
  env: Readonly<Record<string, string>>,
  works: Readonly<Record<string, Work>>,
): Promise<Measure[]> {
  const prefix = context.cores.gateway;
  const ours = await Gateway.start({ prefix });
  const other = await Gateway.start({ prefix, env });
  const measures: Measure[] = [];
  try {
    for (const [what, work] of Object.entries(works)) {
      context.progress(`${what}, beside ${name}`);
      const rates = await inTurns(
        context,
        () => work(context, ours),
        () => work(context, other),
      );
      measures.push({
        name: what,
        unit: 'answers/CPU s',
        ours: rates.ours,
        anchor: { name, values: rates.other },
      });
    }
  } finally {
    await Promise.all([ours.stop(), other.stop()]);
  }
  return measures;
}

async function framesMeasure(context: BenchContext): Promise<Measure> {
  const claim = await claimSignalingPorts(2);
  const ours = await startEchoServer(context, ['echo-gateway.ts', 'uws'], claim.first);
  const other = await startEchoServer(context, ['echo-gateway.ts', 'node'], claim.first + 1);
  const rate = async (server: EchoServer) => (await exchangeFrames(context, server)).perCpuSecond;
  try {
    context.progress(`frames, beside ${NODE}`);
    const rates = await inTurns(
      context,
      () => rate(ours),
      () => rate(other),
    );
    const anchor = { name: NODE, values: rates.other };
    return { name: 'WebSocket frames each way', unit: 'frames/CPU s', ours: rates.ours, anchor };
  } finally {
    await Promise.all([ours.child.stop(), other.child.stop()]);
    claim.release();
  }
}

async function inTurns({ rounds }: BenchContext, ours: () => Promise<number>, other: () => Promise<number>) {
  const rates: Record<'ours' | 'other', number[]> = { ours: [], other: [] };
  for (let round = 0; round <= rounds; round++) {
    const [one, two] = [await ours(), await other()];
    if (round === 0) continue;
    rates.ours.push(one);
    rates.other.push(two);
  }
  return rates;
}

function getAccount(context: BenchContext, gateway: Gateway): Promise<number> {
  return answersPerCpuSecond(context, gateway, { method: 'GET', path: '/api/account', headers: {} });
}

function callTool(context: BenchContext, gateway: Gateway): Promise<number> {
  const headers = headersOf(gateway.agentKey);
  return answersPerCpuSecond(context, gateway, { method: 'POST', path: '/mcp', headers, body: ACCOUNT_CALL });
}

async function callToolInSession(context: BenchContext, gateway: Gateway): Promise<number> {
  const session = await openSession(gateway.baseUrl, gateway.agentKey);
  const headers = { ...headersOf(gateway.agentKey), 'mcp-session-id': session };
  const path = '/mcp?stateful';
  return await answersPerCpuSecond(context, gateway, { method: 'POST', path, headers, body: ACCOUNT_CALL });
}

interface Asked {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

async function answersPerCpuSecond(
  { cores, quick }: BenchContext,
  { baseUrl, pid, agentKey }: Gateway,
  { path, headers, ...asked }: Asked,
): Promise<number> {
  const before = cpuSeconds(pid);
  const result = await hammer(cores.generators, {
    ...asked,
    url: `${baseUrl}${path}`,
    headers: { authorization: `Bearer ${agentKey}`, ...headers },
    connections: CONNECTIONS,
    seconds: quick ? 1 : 3,
  });
  const failed = result['4xx'] + result['5xx'] + result.errors + result.timeouts;
  if (failed > 0 || result['2xx'] === 0)
    throw new Error(`${path}: not every request was answered: ${JSON.stringify(result)}`);
  return result['2xx'] / (cpuSeconds(pid) - before);
}
