/**
 * Many G.711 calls through one gateway process, an agent on each streaming both ways at 16 kHz.
 * `node bench/load/main.ts [calls=300] [seconds=60]`; ends with 1 when a frame was lost or a break was heard.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { claimRtpPorts, claimSignalingPorts } from '../../test/support/free-ports.ts';
import { Gateway } from '../../test/support/gateway.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import { cpuSeconds, machineCpuSeconds, residentBytes } from '../process-usage.ts';
import { LoadProcess } from './load-process.ts';
import type { AgentStats, PhoneStats } from './load-protocol.ts';

const SETTLE_MS = 4_000;
const PLACED_AT_ONCE = 8;

interface LoadReport {
  readonly calls: number;
  readonly seconds: number;
  readonly phones: PhoneStats;
  readonly agents: AgentStats;
  readonly gatewayCores: number;
  readonly phonesCores: number;
  readonly agentsCores: number;
  /** Used by everything else on the machine: a clean run needs it near zero. */
  readonly othersCores: number;
  readonly idleBytes: number;
  readonly loadedBytes: number;
  readonly bytesPerCall: number;
  readonly engineMetrics: readonly string[];
}

async function main(): Promise<void> {
  const calls = Number(process.argv[2] ?? 300);
  const seconds = Number(process.argv[3] ?? 60);
  const report = await runLoad(calls, seconds);
  print(report);
  const results = join(import.meta.dirname, '../results/load.json');
  writeFileSync(results, `${JSON.stringify(report, null, 2)}\n`);
  process.exitCode = isClean(report) ? 0 : 1;
}

async function runLoad(calls: number, seconds: number): Promise<LoadReport> {
  const [sip, rtp] = [await claimSignalingPorts(1), await claimRtpPorts(calls)];
  const gateway = await Gateway.start({
    rtpPortCount: calls * 2 + 64,
    env: { SVC_MAX_CALLS_PER_ACCOUNT: `${calls}` },
  });
  const phones = await LoadProcess.start('phones', ['127.0.0.1', `${sip.first}`, `${rtp.first}`]);
  const agents = await LoadProcess.start('agents');
  try {
    await gateway.putTrunk({ host: '127.0.0.1', port: sip.first });
    const idleBytes = residentBytes(gateway.pid);
    const streamUrls = await placeCalls(gateway, calls, sip.first);
    await agents.ask({ type: 'join', streamUrls, apiKey: gateway.agentKey }, 'ready', 60_000);
    await pause(SETTLE_MS);
    const metricsBefore = await engineMetrics(gateway);
    const usage = startUsage([gateway.pid, phones.pid, agents.pid]);
    const machineUsage = startMachineUsage();
    phones.tell({ type: 'begin' });
    agents.tell({ type: 'begin' });
    await pause(seconds * 1_000);
    const heard = await agents.ask({ type: 'end' }, 'agents', 10_000);
    const echoed = await phones.ask({ type: 'end' }, 'phones', 10_000);
    const [gatewayCores = 0, phonesCores = 0, agentsCores = 0] = usage();
    const othersCores = Math.max(0, machineUsage() - gatewayCores - phonesCores - agentsCores);
    const loadedBytes = residentBytes(gateway.pid);
    return {
      ...{ calls, seconds, phones: echoed.stats, agents: heard.stats },
      ...{ gatewayCores, phonesCores, agentsCores, othersCores, idleBytes, loadedBytes },
      bytesPerCall: (loadedBytes - idleBytes) / calls,
      engineMetrics: since(metricsBefore, await engineMetrics(gateway)),
    };
  } finally {
    agents.stop();
    phones.stop();
    await gateway.stop();
    for (const claim of [sip, rtp]) claim.release();
  }
}

async function placeCalls(gateway: Gateway, count: number, trunkPort: number): Promise<string[]> {
  const streamUrls: string[] = [];
  while (streamUrls.length < count) {
    const batch = Math.min(PLACED_AT_ONCE, count - streamUrls.length);
    const placing = Array.from({ length: batch }, (_, i) =>
      gateway.placeCall(`sip:+4930${100_000 + streamUrls.length + i}@127.0.0.1:${trunkPort}`),
    );
    for (const call of await Promise.all(placing)) streamUrls.push(call.audio.stream_url);
  }
  await waitFor(`${count} active calls`, async () => (await activeCalls(gateway)) === count, 30_000);
  return streamUrls;
}

async function activeCalls(gateway: Gateway): Promise<number> {
  const { body } = await gateway.agentApi.get('/api/calls');
  const calls: { state: string }[] = Array.isArray(body) ? body : body.calls;
  return calls.filter((call) => call.state === 'active').length;
}

/** Cores used by each process from now until the returned function is called. */
function startUsage(pids: readonly number[]): () => number[] {
  const startMs = performance.now();
  const before = pids.map(cpuSeconds);
  return () => {
    const elapsedSeconds = (performance.now() - startMs) / 1_000;
    return pids.map((pid, i) => (cpuSeconds(pid) - (before[i] ?? 0)) / elapsedSeconds);
  };
}

function startMachineUsage(): () => number {
  const startMs = performance.now();
  const before = machineCpuSeconds();
  return () => (machineCpuSeconds() - before) / ((performance.now() - startMs) / 1_000);
}

/** Name with labels → value. */
async function engineMetrics(gateway: Gateway): Promise<Map<string, number>> {
  const { body } = await gateway.api(null).get('/metrics');
  const wanted = /^[^#].*(tick|overrun|underrun|concealed|dropped|late|jitter)/;
  const lines = `${body}`.split('\n').filter((line) => wanted.test(line) && !line.includes('_bucket'));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]));
}

/** What was counted during the measurement: setting all the calls up is another matter. */
function since(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): string[] {
  return [...after].map(([name, value]) => `${name} ${value - (before.get(name) ?? 0)}`);
}

/** A break without a loss is audio that came too late and was waited for, or was concealed meanwhile. */
function verdict(report: LoadReport): string {
  if (isClean(report)) return 'not a frame lost, not a break';
  return isComplete(report) ? 'no frame lost, but BREAKS' : 'FRAMES LOST';
}

function isClean(report: LoadReport): boolean {
  return isComplete(report) && report.phones.breaks + report.agents.breaks === 0;
}

/** As many frames came as were due, on every call, both ways. */
function isComplete({ phones, agents, calls }: LoadReport): boolean {
  return (
    phones.calls === calls &&
    agents.agents === calls &&
    phones.packetsLost + agents.disconnected === 0 &&
    Object.keys(agents.errors).length === 0 &&
    phones.worstDeviationFrames <= 1 &&
    agents.worstDeviationFrames <= 1
  );
}

function print(report: LoadReport): void {
  const { phones, agents } = report;
  const rows: [string, string][] = [
    ['calls', `${report.calls} for ${report.seconds} s`],
    ['phone → agent', `${agents.framesReceived} frames, ${agents.breaks} breaks`],
    ['', `off by ${agents.worstDeviationFrames.toFixed(2)} frames at worst, ${arrival(agents.arrival)}`],
    [
      'agent → phone',
      `${phones.packetsReceived} packets, ${phones.packetsLost} lost, ${phones.breaks} breaks`,
    ],
    ['', `off by ${phones.worstDeviationFrames.toFixed(2)} packets at worst, ${arrival(phones.arrival)}`],
    ['errors', `${JSON.stringify(agents.errors)}, ${agents.disconnected} sockets lost`],
    ['gateway', `${report.gatewayCores.toFixed(2)} cores, ${mib(report.loadedBytes)} MiB`],
    ['per call', `${(report.bytesPerCall / 1024).toFixed(0)} KiB`],
    ['generator', `phones ${report.phonesCores.toFixed(2)}, agents ${report.agentsCores.toFixed(2)} cores`],
    ['', `phones sent ${arrival(phones.sending)}`],
    ['', `agents sent ${arrival(agents.sending)}`],
    ['machine', `others used ${report.othersCores.toFixed(2)} cores`],
    ['verdict', verdict(report)],
  ];
  for (const [name, value] of rows) console.log(`${name.padEnd(14)} ${value}`);
  for (const line of report.engineMetrics) console.log(`  ${line}`);
}

function arrival({ p50Ms, p99Ms, p999Ms, maxMs }: AgentStats['arrival']): string {
  return `late p50 ${p50Ms} p99 ${p99Ms} p99.9 ${p999Ms} max ${maxMs.toFixed(1)} ms`;
}

function mib(bytes: number): string {
  return (bytes / 1_048_576).toFixed(0);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

await main();
