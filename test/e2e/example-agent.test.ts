import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TwoGateways } from '../../bench/demo/two-gateways.ts';
import { Agent } from '../support/agent.ts';
import { Child } from '../support/child.ts';
import { requirePeer } from '../support/require-peer.ts';
import { analyzeTone } from '../support/tone-analysis.ts';
import { waitFor } from '../support/wait-for.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const RATE_HZ = 16_000;
const TONE_HZ = 700;
/** Debian's Python has Debian's package `websockets`. */
const AGENTS = [
  { program: process.execPath, script: 'agent.ts', skipped: false },
  { program: '/usr/bin/python3', script: 'agent.py', skipped: requirePeer('python3-websockets') },
];

let gateways: TwoGateways;

beforeAll(async () => {
  gateways = await TwoGateways.start();
  await gateways.connect();
});
afterAll(async () => gateways?.stop());

it.for(AGENTS)('$script joins the call and repeats what it hears', async (agent, { skip }) => {
  const { program, script, skipped } = agent;
  skip(skipped, 'no peer');
  const { outbound } = await gateways.call();
  const { baseUrl, agentKey } = gateways.b;
  const example = new Child(program, [join(ROOT, 'bench/demo', script)], {
    env: { ...process.env, BASE: baseUrl, AGENT_KEY: agentKey },
  });
  await waitFor('the example to be in the call', () => example.output.includes('audio_config'));
  const caller = await Agent.join(outbound.audio.stream_url, gateways.a.agentKey, { sampleRateHz: RATE_HZ });
  const speaking = caller.startTone(TONE_HZ);
  const heard = await caller.hear(150);
  speaking.stop();
  const echo = analyzeTone(heard, RATE_HZ, TONE_HZ);
  expect(echo.snrDb).toBeGreaterThan(25);
  expect(echo.lengthMs).toBeGreaterThan(2_000);

  await gateways.hangUp(outbound);
  expect(await example.exited, example.output).toBe(0);
  expect(example.output).toContain('closed');
  await caller.close();
});
