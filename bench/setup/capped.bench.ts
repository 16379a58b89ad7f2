import { claimRtpPorts, claimSignalingPorts, type PortClaim } from '../../test/support/free-ports.ts';
import { Gateway } from '../../test/support/gateway.ts';
import type { Bench, BenchContext, Measure } from '../bench.ts';
import { cpuSeconds, residentBytes, watchCores } from '../process-usage.ts';
import { quantile } from '../quantiles.ts';
import { measureRounds } from '../rounds.ts';
import { placeSteadily, portsNeeded, type SetUp } from './set-up.ts';

const NUMBER = '+4930555';
const CAP = 250;
const PER_SECOND = 75;
const SECONDS = 5;
const OFFERED = PER_SECOND * SECONDS;
const HOLD_MS = 12_000;
const PLAN = { perSecond: PER_SECOND, seconds: SECONDS, holdMs: HOLD_MS };
/** A hundred calls a second come and go before, so that what is measured is compiled. */
const WARM_UP = { perSecond: 100, seconds: 6, holdMs: 200 };
/** After the last INVITE, before the cost of the calls is measured, and for so long. */
const SETTLE_MS = 2_000;
const CARRIED_MS = 4_000;

interface Round {
  readonly setUps: readonly SetUp[];
  /** The calls of the warm-up. */
  readonly fast: readonly SetUp[];
  /** Of each of the calls that were admitted. */
  readonly cores: number;
  readonly bytes: number;
}

export const cappedBench: Bench = {
  name: 'setup-capped',
  title: `${OFFERED} INVITEs at ${PER_SECOND} a second, where ${CAP} calls are the most`,
  async run(context) {
    return measuresOf(await measureRounds(context, () => measure(context), describe));
  },
};

async function measure({ cores }: BenchContext): Promise<Round> {
  const claims = [await claimSignalingPorts(1), await claimRtpPorts(portsNeeded(PLAN))] as const;
  const [sip, rtp] = claims;
  const gateway = await startGateway(cores.gateway, sip);
  const line = { sipPort: sip.first, calledPort: gateway.sipPort, number: NUMBER, firstRtpPort: rtp.first };
  try {
    const fast = await placeSteadily(cores.generators, line, WARM_UP);
    const emptyBytes = residentBytes(gateway.pid);
    const calls = placeSteadily(cores.generators, line, PLAN);
    await pause(SECONDS * 1_000 + SETTLE_MS);
    const coresUsed = watchCores(() => cpuSeconds(gateway.pid));
    await pause(CARRIED_MS);
    const [used, bytes] = [coresUsed(), residentBytes(gateway.pid) - emptyBytes];
    return { setUps: await calls, fast, cores: used / CAP, bytes: bytes / CAP };
  } finally {
    await gateway.stop();
    for (const claim of claims) claim.release();
  }
}

async function startGateway(prefix: readonly string[], sip: PortClaim): Promise<Gateway> {
  const env = {
    SVC_MAX_CALLS: `${CAP}`,
    SVC_MAX_CALLS_PER_ACCOUNT: '5000',
    SVC_BUDGET_MINUTES: '1000000',
    SVC_ENGINE_THREADS: '1',
    SVC_LOG_LEVEL: 'warn',
  };
  // Two ports for each call, and an account may use half of them.
  const gateway = await Gateway.start({ prefix, rtpPortCount: 4 * CAP + 64, env });
  await gateway.putTrunk({ host: '127.0.0.1', port: sip.first });
  const answer = await gateway.settingsApi.post('/api/sip/dids', { number: NUMBER, auto_answer: true });
  if (answer.status >= 300) throw new Error(`POST dids: ${answer.status}`);
  return gateway;
}

function withStatus(setUps: readonly SetUp[], status: number): SetUp[] {
  return setUps.filter((setUp) => setUp.status === status);
}

function answered(setUps: readonly SetUp[], share: number): number {
  const times = setUps.map(({ answeredMs }) => answeredMs ?? Number.POSITIVE_INFINITY);
  return quantile(times, share);
}

function measuresOf(rounds: readonly Round[]): Measure[] {
  const each = (value: (round: Round) => number): number[] => rounds.map(value);
  const admitted = (round: Round) => withStatus(round.setUps, 200);
  return [
    {
      name: 'calls admitted',
      unit: 'calls',
      ours: each((round) => admitted(round).length),
      target: { atLeast: CAP },
    },
    {
      name: 'refused with 503',
      unit: 'calls',
      ours: each(({ setUps }) => withStatus(setUps, 503).length),
      target: { atLeast: OFFERED - CAP },
    },
    {
      name: 'lost',
      unit: 'calls',
      ours: each(({ setUps }) => withStatus(setUps, 0).length),
      target: { atMost: 0 },
    },
    {
      name: `INVITE → 200 p95 at ${PER_SECOND} calls a second`,
      unit: 'ms',
      ours: each((round) => answered(admitted(round), 0.95)),
      target: { atMost: 3 },
    },
    {
      name: `INVITE → 200 p95 at ${WARM_UP.perSecond} calls a second`,
      unit: 'ms',
      ours: each(({ fast }) => answered(fast, 0.95)),
      note: 'a gateway that has just started; infinite if one was not answered',
    },
    {
      name: 'cost of a call',
      unit: '% of a core',
      ours: each(({ cores }) => cores * 100),
      target: { atMost: 0.25 },
      note: 'answered, without an agent; the telephone sends nothing',
    },
    {
      name: 'memory of a call',
      unit: 'MB',
      ours: each(({ bytes }) => bytes / 1024 / 1024),
      target: { atMost: 0.12 },
    },
  ];
}

function describe({ setUps, fast, cores, bytes }: Round): string {
  const [admitted, refused, lost] = [200, 503, 0].map((status) => withStatus(setUps, status).length);
  const p95 = answered(withStatus(setUps, 200), 0.95).toFixed(2);
  return [
    `${admitted} admitted, ${refused} refused, ${lost} lost`,
    `p95 ${p95} ms, at ${WARM_UP.perSecond}/s ${answered(fast, 0.95).toFixed(2)} ms`,
    `${(cores * 100).toFixed(3)} % of a core and ${(bytes / 1024).toFixed(0)} KB each`,
  ].join('; ');
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
