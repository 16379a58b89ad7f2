import { join } from 'node:path';
import { Child } from '../../test/support/child.ts';
import { claimRtpPorts, claimSignalingPorts, type PortClaim } from '../../test/support/free-ports.ts';
import { Gateway } from '../../test/support/gateway.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import type { Bench, BenchContext, Measure } from '../bench.ts';
import { compileFolder } from '../compile.ts';
import { quantile } from '../quantiles.ts';
import { type CallPlan, placeSteadily, portsNeeded, type SetUp } from './set-up.ts';

const NUMBER = '+4930555';
const HOLD_MS = 500;
/** The ramp is judged over this time of a gateway that was just started. */
const RAMP_S = 30;
const STEADY_S = 20;
const QUICK_S = 6;
const CALLS_PER_SECOND = 20;
/** Faster and faster, until the 200 comes late or not at all. */
const RATES = [50, 100, 150, 200, 300, 400];
const RATE_S = 5;
const RATE_P99_MS = 100;

export const setupBench: Bench = {
  name: 'setup',
  title: 'inbound calls that answer themselves: INVITE to 200, to the first RTP, and how many a second',
  async run(context) {
    const rounds: Round[] = [];
    for (let round = 1; round <= context.rounds; round++) {
      rounds.push(await measure(context, round === context.rounds));
      context.progress(`round ${round}: ${describe(rounds.at(-1) as Round)}`);
    }
    return measuresOf(rounds);
  },
};

interface Round {
  /** The first seconds of a fresh gateway, and then more of the same. */
  readonly ramp: readonly SetUp[];
  readonly steady: readonly SetUp[];
  /** The same caller against a program that does next to nothing. */
  readonly responder: readonly SetUp[];
  /** Most calls a second with every one answered in time; null: not looked for in this round. */
  readonly perSecond: number | null;
}

async function measure({ cores, quick }: BenchContext, findRate: boolean): Promise<Round> {
  const plan = (seconds: number, perSecond = CALLS_PER_SECOND): CallPlan => ({
    perSecond,
    seconds,
    holdMs: HOLD_MS,
  });
  const ports = portsNeeded(plan(0, Math.max(...RATES)));
  const claims = [await claimSignalingPorts(3), await claimRtpPorts(ports)] as const;
  const [sip, rtp] = claims;
  const responder = await startResponder(cores.gateway, sip);
  const gateway = await startGateway(cores.gateway, sip, ports);
  const line = { sipPort: sip.first, number: NUMBER, firstRtpPort: rtp.first };
  const call = (calledPort: number, calls: CallPlan): Promise<SetUp[]> =>
    placeSteadily(cores.generators, { ...line, calledPort }, calls);
  try {
    const ramp = await call(gateway.sipPort, plan(quick ? QUICK_S : RAMP_S));
    const ofResponder = await call(sip.first + 1, plan(QUICK_S));
    const steady = await call(gateway.sipPort, plan(quick ? QUICK_S : STEADY_S));
    const perSecond = findRate ? await fastest((rate) => call(gateway.sipPort, plan(RATE_S, rate))) : null;
    return { ramp, steady, responder: ofResponder, perSecond };
  } finally {
    await responder.stop();
    await gateway.stop();
    for (const claim of claims) claim.release();
  }
}

async function startGateway(prefix: readonly string[], sip: PortClaim, ports: number): Promise<Gateway> {
  const env = { SVC_MAX_CALLS_PER_ACCOUNT: '5000', SVC_BUDGET_MINUTES: '1000000', SVC_ENGINE_THREADS: '1' };
  const gateway = await Gateway.start({ prefix, rtpPortCount: 2 * ports + 64, env });
  await gateway.putTrunk({ host: '127.0.0.1', port: sip.first });
  const answer = await gateway.settingsApi.post('/api/sip/dids', { number: NUMBER, auto_answer: true });
  if (answer.status >= 300) throw new Error(`POST dids: ${answer.status}`);
  return gateway;
}

async function startResponder(prefix: readonly string[], sip: PortClaim): Promise<Child> {
  const program = compileFolder(join(import.meta.dirname, 'responder'), 'sip-responder');
  const [command = program, ...args] = [
    ...prefix,
    program,
    '127.0.0.1',
    `${sip.first + 1}`,
    `${sip.first + 2}`,
  ];
  const child = new Child(command, args);
  await waitFor('the responder to run', () => child.running, 5_000);
  return child;
}

async function fastest(call: (perSecond: number) => Promise<SetUp[]>): Promise<number> {
  let held = 0;
  for (const rate of RATES) {
    const setUps = await call(rate).catch(() => []);
    if (setUps.length === 0 || !(quantile(answers(setUps), 0.99) <= RATE_P99_MS)) break;
    held = rate;
  }
  return held;
}

/** Milliseconds to the 200; infinity for a call that got none. */
function answers(setUps: readonly SetUp[]): number[] {
  return setUps.map(({ answeredMs }) => answeredMs ?? Number.POSITIVE_INFINITY);
}

function heard(setUps: readonly SetUp[]): number[] {
  return setUps.map(({ heardMs }) => heardMs ?? Number.POSITIVE_INFINITY);
}

function measuresOf(rounds: readonly Round[]): Measure[] {
  const each = (value: (round: Round) => number): number[] => rounds.map(value);
  const rates = rounds.map(({ perSecond }) => perSecond).filter((rate) => rate !== null);
  const p50 = (setUps: (round: Round) => readonly SetUp[]) =>
    each((round) => quantile(answers(setUps(round)), 0.5));
  const steady = p50((round) => round.steady);
  const caller = Math.min(...p50((round) => round.responder)).toFixed(2);
  return [
    {
      name: 'INVITE → 200 p50',
      unit: 'ms',
      ours: steady,
      target: { atMost: 2 },
      note: `${CALLS_PER_SECOND} calls a second; the caller itself, against a responder in C: ${caller} ms`,
    },
    {
      name: 'INVITE → 200 p99',
      unit: 'ms',
      ours: each(({ steady: calls }) => quantile(answers(calls), 0.99)),
    },
    {
      name: 'INVITE → first RTP p50',
      unit: 'ms',
      ours: each(({ steady: calls }) => quantile(heard(calls), 0.5)),
      note: 'the first tick after the 200: 10 ms on average for the tick alone',
    },
    {
      name: 'INVITE → 200 p50, first seconds of a fresh gateway',
      unit: 'ms',
      ours: p50((round) => round.ramp),
      anchor: { name: 'the same gateway later', values: steady },
      target: { atMost: 1.5 },
      note: `first call ${each(({ ramp }) => answers(ramp)[0] ?? Number.NaN)
        .map((ms) => ms.toFixed(1))
        .join(', ')} ms`,
    },
    {
      name: 'calls a second, all answered',
      unit: 'calls/s',
      ours: rates,
      note: `p99 ≤ ${RATE_P99_MS} ms, steps of ${RATES.join(', ')}`,
    },
  ];
}

function describe({ ramp, steady, responder, perSecond }: Round): string {
  const [fresh, later, theirs] = [ramp, steady, responder].map((calls) =>
    quantile(answers(calls), 0.5).toFixed(2),
  );
  const rate = perSecond === null ? '' : `; ${perSecond} calls a second`;
  return `p50 ${later} ms, in the first seconds ${fresh} ms, responder ${theirs} ms${rate}`;
}
