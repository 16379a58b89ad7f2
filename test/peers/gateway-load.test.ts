import { afterEach, describe, expect, it } from 'vitest';
import { Agent } from '../support/agent.ts';
import { Gateway } from '../support/gateway.ts';
import type { ShownCall } from '../support/gateway-pair.ts';
import { requirePeer } from '../support/require-peer.ts';
import { Sipp } from '../support/sipp.ts';
import { answerAndWait, placeAndHold } from '../support/sipp-scenarios.ts';
import { analyzeTone } from '../support/tone-analysis.ts';
import { streamTone } from '../support/tone-stream.ts';
import { waitFor } from '../support/wait-for.ts';

const CALLS = 100;
const HOLD_MS = 10_000;
const SETUP_DEADLINE_MS = 30_000;
const NUMBER = '+33100000001';
const SAMPLE_RATE_HZ = 8_000;
const AGENT_TONES_HZ = [523, 659, 784, 1_047];
/** Signaling is the subject; audio is checked on a few calls only. */
const HEARD_FRAMES = 250;

describe.skipIf(requirePeer('sipp'))('a hundred concurrent calls', () => {
  const opened: { stop(): Promise<unknown> }[] = [];

  afterEach(async () => {
    for (const peer of opened.splice(0).reverse()) await peer.stop();
  });

  async function open<T extends { stop(): Promise<unknown> }>(starting: Promise<T>): Promise<T> {
    const peer = await starting;
    opened.push(peer);
    return peer;
  }

  const startGateway = () => open(Gateway.start({ rtpPortCount: 4 * CALLS + 24 }));

  const allActive = (gateway: Gateway): Promise<ShownCall[]> =>
    waitFor(
      'a hundred active calls',
      async () => {
        const { calls } = (await gateway.agentApi.get('/api/calls')).body;
        return calls.length === CALLS && calls.every(({ state }: ShownCall) => state === 'active') && calls;
      },
      SETUP_DEADLINE_MS,
    );

  async function expectAllCompleted(gateway: Gateway): Promise<void> {
    await waitFor('the last call to end', async () => (await gateway.metric('svc_calls')) === 0);
    const { body } = await gateway.api(null).get('/metrics');
    const ended = `${body}`.split('\n').filter((line) => line.startsWith('svc_calls_ended_total{'));
    expect(ended).toEqual([
      `svc_calls_ended_total{platform="sip",state="ended",result="completed"} ${CALLS}`,
    ]);
    expect(await gateway.metric('svc_engine_calls')).toBe(0);
    expect(gateway.output).not.toMatch(/"level":"(error|fatal)"/);
  }

  /** An agent speaks into a call whose far end sends everything back. */
  async function hearsItself(gateway: Gateway, call: ShownCall, toneHz: number): Promise<void> {
    const agent = await Agent.join(call.audio.stream_url, gateway.agentKey, { sampleRateHz: SAMPLE_RATE_HZ });
    const speaking = streamTone(agent, toneHz, 200);
    await agent.hear(50);
    const heard = await agent.hear(HEARD_FRAMES);
    speaking.stop();
    const { snrDb, lengthMs } = analyzeTone(heard, SAMPLE_RATE_HZ, toneHz);
    expect(snrDb).toBeGreaterThan(30);
    expect(lengthMs).toBeGreaterThan(HEARD_FRAMES * 20 - 500);
    expect(agent.errors).toEqual([]);
    await agent.close();
  }

  it('are placed, held with audio, and hung up without a failure', async () => {
    const gateway = await startGateway();
    const sipp = await open(
      Sipp.start({ scenario: { xml: answerAndWait(100) }, calls: CALLS, rtpEcho: true }),
    );
    await gateway.putTrunk({ host: '127.0.0.1', port: sipp.port });
    const placed: ShownCall[] = await Promise.all(
      Array.from({ length: CALLS }, (_, n) =>
        gateway.placeCall(`sip:+3312345${1000 + n}@127.0.0.1:${sipp.port}`),
      ),
    );
    await allActive(gateway);
    const heldFromMs = performance.now();
    await Promise.all(AGENT_TONES_HZ.map((toneHz, n) => hearsItself(gateway, placed[n * 25]!, toneHz)));
    const restMs = HOLD_MS - (performance.now() - heldFromMs);
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, restMs)));
    expect(await allActive(gateway)).toHaveLength(CALLS);
    const answers = await Promise.all(
      placed.map(({ call_id }) => gateway.agentApi.delete(`/api/call/${call_id}`)),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
    expect(await sipp.finished(30_000)).toMatchObject({ created: CALLS, successful: CALLS, failed: 0 });
    await expectAllCompleted(gateway);
  });

  it('are received, held with audio, and ended without a failure', async () => {
    const gateway = await startGateway();
    await gateway.settingsApi.post('/api/sip/dids', { number: NUMBER, auto_answer: true });
    // Inbound calls come from the trunk's address, whatever its port.
    await gateway.putTrunk({ host: '127.0.0.1', port: 9 });
    const sipp = await open(
      Sipp.start({
        scenario: { xml: placeAndHold(HOLD_MS) },
        target: `127.0.0.1:${gateway.sipPort}`,
        service: NUMBER,
        ...{ calls: CALLS, rate: 50, rtpEcho: true },
      }),
    );
    const calls = await allActive(gateway);
    await Promise.all(AGENT_TONES_HZ.map((toneHz, n) => hearsItself(gateway, calls[n * 25]!, toneHz)));
    expect(await sipp.finished(HOLD_MS + 30_000)).toMatchObject({
      ...{ created: CALLS, successful: CALLS, failed: 0, exitCode: 0 },
    });
    await expectAllCompleted(gateway);
  });
});
