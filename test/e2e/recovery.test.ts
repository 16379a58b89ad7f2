import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Agent, type HeardFrame } from '../support/agent.ts';
import { type CallPair, GatewayPair, type ShownCall } from '../support/gateway-pair.ts';
import { Registrar } from '../support/registrar.ts';
import { Slowdown } from '../support/slowdown.ts';
import { tone } from '../support/tone.ts';
import { isVoiced, longestVoicedGapMs } from '../support/voiced.ts';
import { waitFor } from '../support/wait-for.ts';

const SAMPLE_RATE_HZ = 8_000;

async function connectMany(pair: GatewayPair, count: number): Promise<CallPair[]> {
  return Promise.all(Array.from({ length: count }, () => pair.connect()));
}

describe('a gateway that was killed', () => {
  const CALL_COUNT = 20;
  let pair: GatewayPair;
  let registrar: Registrar;

  beforeAll(async () => {
    pair = await GatewayPair.start({ callee: { env: { SVC_MEDIA_TIMEOUT_S: '5' } } });
    const numbers = Array.from({ length: 2 * CALL_COUNT }, (_, index) => [
      pair.numberAt(index + 1),
      'callee',
    ]);
    registrar = await Registrar.start({
      users: { caller: 'caller-secret', callee: 'callee-secret' },
      numbers: Object.fromEntries(numbers),
      challengeInvites: true,
    });
    const { host, port } = registrar;
    const trunk = { host, port, register: true };
    await pair.caller.putTrunk({ ...trunk, username: 'caller', password: 'caller-secret' });
    await pair.callee.putTrunk({ ...trunk, username: 'callee', password: 'callee-secret' });
    await Promise.all([registrar.waitForBinding('caller'), registrar.waitForBinding('callee')]);
    pair.callThrough(port);
  });
  afterAll(async () => {
    await pair?.stop();
    await registrar?.stop();
  });

  it('comes back with every call disconnected, its trunk registered, and room for new calls', async () => {
    const calls = await connectMany(pair, CALL_COUNT);
    const far = await Agent.connect(calls[0]!.inbound.audio.stream_url, pair.callee.agentKey, SAMPLE_RATE_HZ);
    const registrations = registrar.requestsOf('REGISTER').length;
    const killedAt = new Date().toISOString();
    await pair.caller.killHard();
    await pair.caller.restart();

    for (const { outbound } of calls) {
      const { status, body } = await pair.caller.agentApi.get(`/api/call/${outbound.call_id}`);
      expect([status, body.state]).toEqual([200, 'disconnected']);
      expect(body.ended_at > killedAt).toBe(true);
    }
    expect((await pair.caller.agentApi.get('/api/calls')).body).toEqual({ calls: [] });
    await registrar.waitForRequests('REGISTER', registrations + 1);
    await waitFor('the trunk to be registered', async () => {
      const { body } = await pair.caller.settingsApi.get('/api/sip/trunk');
      return body.registration.state === 'registered';
    });

    const again = await pair.connect();
    const [near, farAgain] = [
      await Agent.join(again.outbound.audio.stream_url, pair.caller.agentKey, {
        sampleRateHz: SAMPLE_RATE_HZ,
      }),
      await Agent.join(again.inbound.audio.stream_url, pair.callee.agentKey, {
        sampleRateHz: SAMPLE_RATE_HZ,
      }),
    ];
    near.speak(tone(440, SAMPLE_RATE_HZ, SAMPLE_RATE_HZ));
    await waitFor('a voice on the new call', () => farAgain.heard.some(isVoiced));
    await pair.hangUp(again);

    // The far gateway hears nothing any more and gives the old calls up by itself.
    await far.waitFor('call_error', { code: 'bridge_disconnected' });
    await far.waitFor('call_state', { state: 'disconnected' });
    for (const { inbound } of calls) await pair.callee.waitForState(inbound.call_id, 'disconnected');
    expect(registrar.violations).toEqual([]);
  });
});

describe('an engine thread that fails', () => {
  const CALL_COUNT = 50;
  /** Without any disturbance it is one tick or two, and what a busy machine adds. */
  const MOST_SILENT_BESIDE_MS = 200;
  const SPEECH_MS = 20_000;
  const FAULTS = fileURLToPath(new URL('../support/thread-faults.mjs', import.meta.url));
  let pair: GatewayPair;
  let calls: CallPair[];

  beforeAll(async () => {
    // One account has half of the ports.
    const rtpPortCount = 4 * CALL_COUNT + 16;
    pair = await GatewayPair.start({
      caller: { rtpPortCount },
      callee: { rtpPortCount, env: { SVC_ENGINE_THREADS: '2', NODE_OPTIONS: `--import=${FAULTS}` } },
    });
  });
  afterAll(() => pair?.stop());
  beforeEach(async () => {
    calls = await connectMany(pair, CALL_COUNT);
  });
  afterEach(async () => {
    await Promise.all(calls.map((call) => pair.hangUp(call)));
  });

  it.each([
    ['exits', 'SIGUSR2', 500],
    // It is given 2 s, and checked every 250 ms.
    ['hangs', 'SIGHUP', 2_250 + 500],
  ] as const)(
    '%s: its calls get audio again in time; the other thread is unaffected',
    async (_what, fault, mostSilentMs) => {
      const join = (url: string, key: string) => Agent.join(url, key, { sampleRateHz: SAMPLE_RATE_HZ });
      const near = await Promise.all(
        calls.map(({ outbound }) => join(outbound.audio.stream_url, pair.caller.agentKey)),
      );
      const far = await Promise.all(
        calls.map(({ inbound }) => join(inbound.audio.stream_url, pair.callee.agentKey)),
      );
      const everyone = [...near, ...far];
      const speech = tone(440, SAMPLE_RATE_HZ, (SAMPLE_RATE_HZ * SPEECH_MS) / 1000);
      for (const agent of everyone) agent.speak(speech);
      const heardVoice = (frames: (agent: Agent) => readonly HeardFrame[], count: number) =>
        waitFor('all voices', () => everyone.every((agent) => frames(agent).filter(isVoiced).length > count));
      await heardVoice(({ heard }) => heard, 50);

      const lateBefore = await veryLateTicks();
      const slowdown = new Slowdown(pair.caller.pid, pair.callee.pid, process.pid);
      process.kill(pair.callee.pid, fault);
      const failedAtMs = performance.now();
      const sinceFault = ({ heard }: Agent) => heard.filter(({ atMs }) => atMs > failedAtMs - 100);
      await waitFor('calls to move', () => movedCalls().size > 0);
      await heardVoice(sinceFault, 100);
      const late = (await veryLateTicks()) - lateBefore;
      const { factor } = slowdown;

      const moved = movedCalls();
      expect(moved.size).toBeGreaterThan(CALL_COUNT / 4);
      expect(moved.size).toBeLessThan(CALL_COUNT);
      calls.forEach(({ inbound }, index) => {
        const mostMs = moved.has(inbound.call_id) ? mostSilentMs : MOST_SILENT_BESIDE_MS;
        expect(longestVoicedGapMs(sinceFault(far[index]!))).toBeLessThan(mostMs * factor);
        expect(longestVoicedGapMs(sinceFault(near[index]!))).toBeLessThan(mostMs * factor);
      });
      expect(late).toBeLessThanOrEqual(1);
      // The far gateway has noticed nothing: same ports, same stream, same dialog.
      for (const gateway of [pair.caller, pair.callee]) {
        const live = (await gateway.agentApi.get('/api/calls')).body.calls;
        expect(live.map(({ state }: ShownCall) => state)).toEqual(calls.map(() => 'active'));
      }
      for (const { events } of everyone) {
        const states = events.filter(({ type }) => type === 'call_state').map(({ state }) => state);
        expect(states).toEqual(['active']);
      }
    },
  );

  /** Those of these calls that the callee's log says were moved. */
  function movedCalls(): Set<string> {
    // What follows the last line break is still being written.
    const lines = pair.callee.output.split('\n').slice(0, -1);
    const moves = lines.filter((line) => line.includes('call moved to another'));
    const moved = new Set(moves.map((line) => JSON.parse(line).callId));
    return new Set(calls.map(({ inbound }) => inbound.call_id).filter((callId) => moved.has(callId)));
  }

  /** Ticks of all threads so far that began more than 100 ms late. */
  async function veryLateTicks(): Promise<number> {
    const { body } = await pair.callee.api(null).get('/metrics');
    const bucket = (le: string): number => {
      const start = `svc_engine_tick_lateness_seconds_bucket{le="${le}"} `;
      const line = `${body}`.split('\n').find((text) => text.startsWith(start));
      return Number(line?.slice(start.length));
    };
    return bucket('+Inf') - bucket('0.1');
  }
});
