import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TwoGateways } from '../../bench/demo/two-gateways.ts';
import { Agent } from '../support/agent.ts';
import { Child } from '../support/child.ts';
import { analyzeTone } from '../support/tone-analysis.ts';
import { waitFor } from '../support/wait-for.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const RATE_HZ = 16_000;
const TONE_HZ = 700;

let gateways: TwoGateways;

beforeAll(async () => {
  gateways = await TwoGateways.start();
  await gateways.connect();
});
afterAll(async () => gateways?.stop());

it('the example agent joins the call and repeats what it hears', async () => {
  const { outbound } = await gateways.call();
  const { baseUrl, agentKey } = gateways.b;
  const example = new Child(process.execPath, [join(ROOT, 'bench/demo/agent.ts')], {
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
