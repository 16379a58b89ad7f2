import { afterAll, beforeAll, expect, it } from 'vitest';
import { retryAudio } from '../../support/stall-probe.ts';
import { until } from '../engine/support/test-engine.ts';
import { type PhoneCall, PhoneWorld } from './phone-world.ts';
import { testPreset } from './speech-world.ts';

const CALLS = 20;
const STOPS_EACH = 10;
const FRAME_MS = 20;
const MS_PER_CHARACTER = 100;
/** Of the vendor's audio, which goes on after a cancel. */
const VOICE = {
  format: { encoding: 's16le', sampleRateHz: 24_000 },
  toneHz: 500,
  msPerCharacter: MS_PER_CHARACTER,
  firstByteMs: 10,
  lateMessages: 20,
};
const FIVE_SECONDS = '.'.repeat(5_000 / MS_PER_CHARACTER);
const SHORT = '...';
const SHORT_MS = SHORT.length * MS_PER_CHARACTER;
/** Longer than the vendor's late audio takes to arrive. */
const SILENCE_MS = 160;

interface Stop {
  /** From the stop to the arrival of the last packet with sound. */
  readonly lastMs: number;
  /** Packets with sound that arrived after the stop. */
  readonly packetsAfter: number;
  /** Difference of `playedMs` and what was heard. */
  readonly playedErrorMs: number;
  /** Difference of what was heard of the next text and its length. */
  readonly nextErrorMs: number;
}

const retry = retryAudio();
let world: PhoneWorld;

beforeAll(async () => {
  const settings = { tts: { provider: 'tones', preset: testPreset(VOICE) }, stt: null };
  world = await PhoneWorld.start(
    Array.from({ length: CALLS }, () => ({})),
    settings,
  );
});
afterAll(() => world?.stop());

/** Resolves when the phone has heard nothing for a while. Returns when it has heard the last packet. */
async function silent({ phone }: PhoneCall, sinceMs: number): Promise<number> {
  const lastMs = (): number => Math.max(sinceMs, phone.heardAtMs.at(-1) ?? 0);
  await until(() => performance.now() - lastMs() > SILENCE_MS);
  return lastMs();
}

async function stopped(call: PhoneCall, afterPackets: number): Promise<Stop> {
  const { phone } = call;
  phone.heardAtMs = [];
  const id = call.say(FIVE_SECONDS);
  await until(() => phone.heardAtMs.length >= afterPackets);
  const atMs = performance.now();
  call.stop();
  await until(() => call.stateOf(id) === 'interrupted');
  const lastMs = await silent(call, atMs);
  const heardMs = phone.heardAtMs.length * FRAME_MS;
  const packetsAfter = phone.heardAtMs.filter((each) => each > atMs).length;
  phone.heardAtMs = [];
  const next = call.say(SHORT);
  await until(() => call.stateOf(next) === 'finished');
  await silent(call, performance.now());
  return {
    lastMs: lastMs - atMs,
    packetsAfter,
    playedErrorMs: (call.last(id)?.playedMs ?? 0) - heardMs,
    nextErrorMs: phone.heardAtMs.length * FRAME_MS - SHORT_MS,
  };
}

async function stoppedOften(call: PhoneCall, index: number): Promise<Stop[]> {
  const stops: Stop[] = [];
  for (let i = 0; i < STOPS_EACH; i++) stops.push(await stopped(call, 5 + ((index * 7 + i * 3) % 20)));
  return stops;
}

it('a stop is heard one frame after the next tick, and nothing comes late', { retry }, async () => {
  const stops = (await Promise.all(world.calls.map(stoppedOften))).flat();
  const lastMs = stops.map((stop) => stop.lastMs).sort((one, other) => one - other);
  const packets = stops.map(({ packetsAfter }) => packetsAfter);
  const errors = stops.map(({ playedErrorMs }) => Math.abs(playedErrorMs));
  const [p50, p99] = [lastMs[99]!, lastMs[197]!];
  console.log(
    `${stops.length} stops: last packet p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, ` +
      `at most ${Math.max(...packets)} packets; played_ms within ${Math.max(...errors)} ms`,
  );
  expect(stops).toHaveLength(200);
  expect(p99).toBeLessThanOrEqual(2 * FRAME_MS);
  expect(Math.max(...errors)).toBeLessThanOrEqual(FRAME_MS);
  for (const { nextErrorMs } of stops) expect(Math.abs(nextErrorMs)).toBeLessThanOrEqual(FRAME_MS);
});
