import { afterEach, expect, it } from 'vitest';
import { speak } from '../../../src/speech/local/flite.ts';
import type { FliteVoice } from '../../../src/speech/local/flite-voices.ts';
import { cough, coughs } from '../../support/cough.ts';
import type { PhoneLine } from '../../support/speech/rtp-phone.ts';
import { amplified, joined, noise, speech } from '../../support/speech-signal.ts';
import { retryAudio } from '../../support/stall-probe.ts';
import { until } from '../engine/support/test-engine.ts';
import { type PhoneCall, PhoneWorld } from './phone-world.ts';
import { testPreset } from './speech-world.ts';

const LINE_NOISE = noise(2_000, 8_000, -50);
const ECHO_DB = -30;
const LONG =
  'Thank you very much for calling. Our office is open from nine to five, and on Saturdays until noon.';
const SHORT = 'The next train leaves at half past seven.';
const ANSWER = 'Yes?';
const CALLERS: readonly (readonly [string, FliteVoice, number])[] = [
  ['Could you please tell me when the next train leaves?', 'rms', 0],
  ['Wait, that is not what I meant.', 'slt', -6],
  ['No, stop, I need something else.', 'awb', 0],
  ['Sorry, can I ask a question?', 'kal16', -6],
  ['I want to speak to a person.', 'rms', -10],
  ['Hold on a second, please.', 'slt', 0],
  ['Excuse me, what was the number again?', 'rms', -6],
  ['The other one, please.', 'awb', -6],
  ['My name is Peter and I called yesterday.', 'kal16', 0],
  ['Okay, thank you, I understood that.', 'slt', -10],
];
/** What listeners say without wanting the turn, coughs, and bursts of noise. Others in each round. */
const listenedTo = (round: number): readonly Int16Array[] => [
  ...(['rms', 'slt', 'awb', 'kal16'] as const).flatMap((voice) =>
    ['Yeah.', 'Okay.', round % 2 === 0 ? 'Right.' : 'Uh huh.'].map((text) => speech(text, 8_000, voice)),
  ),
  ...[0, 1, 2].map((i) => cough(8_000, 10 * round + i)),
  coughs(8_000, 10 * round + 3),
  noise(250, 8_000, -25, 1 + round),
  noise(400, 8_000, -20, 2 + round),
  noise(40, 8_000, -15, 3 + round),
  noise(3_000, 8_000, -25, 4 + round),
];
const LISTENERS = listenedTo(0).length;
const CALLS = 25;
const ROUNDS = 4;
const UTTERANCES = 12;
const LISTENER_ROUNDS = 10;
const QUIET_MS = 200;
/** From when a voice is noticed to the last packet with sound: the next tick is silent. */
const PAUSE_MS = 20;

const retry = retryAudio();
let world: PhoneWorld | null = null;

afterEach(async () => {
  await world?.stop();
  world = null;
});

function recorded(texts: readonly string[], options: object = {}) {
  const recordings = Object.fromEntries(
    texts.map((text) => {
      const samples = speak({ text, voice: 'slt' });
      const memory = new SharedArrayBuffer(samples.byteLength);
      new Int16Array(memory).set(samples);
      return [text, memory];
    }),
  );
  const preset = testPreset({ sampleRateHz: 16_000, recordings, ...options });
  return { tts: { provider: 'recorded', preset }, stt: { provider: 'recorded', preset: testPreset({}) } };
}

/** The worst that a line does: the agent's own voice comes back over noise, 20 to 500 ms late. */
function worstLine(index: number): PhoneLine {
  return { noise: LINE_NOISE, echo: { db: ECHO_DB, frames: 1 + ((index * 7) % 25) } };
}

/** The caller speaks over an utterance. Returns the time from the first packet in to the last one out. */
async function interrupted(call: PhoneCall, voice: Int16Array, afterPackets: number): Promise<number> {
  const { phone } = call;
  phone.forget();
  const long = call.say(LONG);
  const queued = call.say(LONG);
  await until(() => phone.heardAtMs.length >= afterPackets);
  phone.say(voice);
  await until(() => call.stateOf(queued) === 'interrupted');
  expect(call.last(queued)).toMatchObject({ playedMs: 0, spokenText: '' });
  const { playedMs, spokenText } = call.last(long)!;
  expect(spokenText).toBe(LONG.slice(0, spokenText.length));
  expect(spokenText.length).toBeLessThan(LONG.length);
  expect(playedMs).toBeGreaterThanOrEqual(20 * (afterPackets - 1));
  await until(() => performance.now() - phone.heardAtMs.at(-1)! > QUIET_MS);
  const lastMs = phone.heardAtMs.at(-1)! - phone.spokeAtMs!;
  const answer = call.say(ANSWER);
  await until(() => ['finished', 'interrupted'].includes(call.stateOf(answer) ?? ''));
  return lastMs;
}

it('an utterance stops when somebody speaks over it', { retry }, async () => {
  const settings = recorded([LONG, ANSWER]);
  const voices = CALLERS.map(([text, voice, db]) => amplified(speech(text, 8_000, voice), db));
  const timesMs: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    world = await PhoneWorld.start(
      Array.from({ length: CALLS }, (_, i) => worstLine(i)),
      settings,
    );
    const times = world.calls.map((call, i) =>
      interrupted(call, voices[(i + round) % voices.length]!, 10 + ((i * 11 + round * 5) % 60)),
    );
    timesMs.push(...(await Promise.all(times)));
    expect(world.calls.every(({ speech: states }) => states[0] === 'started')).toBe(true);
    await world.stop();
    world = null;
  }
  timesMs.sort((one, other) => one - other);
  const [p50, p95] = [timesMs[49]!, timesMs[94]!];
  console.log(
    `${timesMs.length} interruptions: first packet in to last one out p50 ${p50.toFixed(0)} ms, ` +
      `p95 ${p95.toFixed(0)} ms, max ${timesMs.at(-1)!.toFixed(0)} ms`,
  );
  expect(timesMs).toHaveLength(100);
  expect(p95).toBeLessThanOrEqual(400);
});

it('an utterance does not stop over silence, noise or its own echo', { retry }, async () => {
  const lines = (make: (index: number) => PhoneLine): PhoneLine[] =>
    Array.from({ length: 9 }, (_, i) => make(i));
  world = await PhoneWorld.start(
    [
      ...lines(() => ({})),
      ...lines((i) => ({ noise: noise(2_000, 8_000, -50, i + 1) })),
      ...lines((i) => ({ echo: { db: ECHO_DB, frames: 1 + 3 * i } })),
    ],
    recorded([SHORT]),
  );
  const said = world.calls.map((call) => Array.from({ length: UTTERANCES }, () => call.say(SHORT)));
  await until(() => world!.calls.every((call, i) => said[i]!.every((id) => isOver(call, id))), 90_000);
  const states = world.calls.map((call, i) => said[i]!.map((id) => call.stateOf(id)));
  for (const [condition, from] of [
    ['silence', 0],
    ['noise at -50 dBFS', 9],
    ['echo at -30 dB', 18],
  ] as const) {
    const own = states.slice(from, from + 9).flat();
    const stopped = own.filter((state) => state !== 'finished').length;
    console.log(`${own.length} utterances over ${condition}: ${stopped} stopped`);
    expect([own.length, stopped]).toEqual([108, 0]);
  }
  expect(world.calls.flatMap((call) => call.speech)).toEqual([]);
});

it('with interruption off, an utterance is spoken to its end', { retry }, async () => {
  world = await PhoneWorld.start([{}], recorded([SHORT], { interruption: 'off' }));
  const [call] = world.calls as [PhoneCall];
  const id = call.say(SHORT);
  await until(() => call.phone.heardAtMs.length >= 10);
  call.phone.say(speech(CALLERS[0]![0], 8_000));
  await until(() => isOver(call, id));
  expect(call.stateOf(id)).toBe('finished');
  await until(() => call.speech[0] === 'started');
});

it('an utterance that pauses goes on after a listener, a cough or a burst, without a sample lost or repeated', {
  retry,
}, async () => {
  const pausesMs: number[] = [];
  let stopped = 0;
  for (let round = 0; round < LISTENER_ROUNDS; round++) {
    const heard = await listened(round);
    pausesMs.push(...heard.pausesMs);
    stopped += heard.stopped;
  }
  const count = LISTENER_ROUNDS * LISTENERS;
  console.log(`${count} listeners, coughs and bursts: ${stopped} stopped, ${described(pausesMs)}`);
  expect(count).toBe(200);
  expect(stopped / count).toBeLessThanOrEqual(0.02);
  expect(pausesMs.length).toBeGreaterThan(count / 2);
  expect(Math.max(...pausesMs)).toBeLessThanOrEqual(PAUSE_MS);
});

/** All listen at once, each at another time, every second time where nobody understands them. What is heard in the end is what was to be heard. */
async function listened(round: number): Promise<{ readonly pausesMs: number[]; readonly stopped: number }> {
  const settings = recorded([LONG], { interruption: 'pause' });
  world = await PhoneWorld.start(
    new Array(LISTENERS + 1).fill({}),
    round % 2 === 0 ? settings : { ...settings, stt: null },
  );
  const [undisturbed, ...calls] = world.calls as [PhoneCall, ...PhoneCall[]];
  const whole = undisturbed.say(LONG);
  const said = calls.map((call) => call.say(LONG));
  const sounds = listenedTo(round);
  await Promise.all(
    calls.map(async ({ phone }, i) => {
      await until(() => phone.heardAtMs.length >= 20 + 3 * ((i + 7 * round) % 30));
      phone.say(sounds[i]!);
    }),
  );
  await until(() => isOver(undisturbed, whole) && calls.every((call, i) => isOver(call, said[i]!)), 60_000);
  const expected = joined(...undisturbed.phone.heard);
  const finished = calls.filter((call, i) => call.stateOf(said[i]!) === 'finished');
  for (const { phone } of finished) expect(joined(...phone.heard)).toEqual(expected);
  const pausesMs = calls.flatMap(pausesOf);
  await world.stop();
  world = null;
  return { pausesMs, stopped: calls.length - finished.length };
}

/** How long after the voice was noticed the last packet came, 0 if none did. */
function pausesOf({ noticedAtMs, phone }: PhoneCall): number[] {
  return noticedAtMs.map((noticedMs) => {
    const after = phone.heardAtMs.filter((atMs) => atMs > noticedMs);
    const silentFrom = after.findIndex((atMs, i) => atMs - (after[i - 1] ?? noticedMs) > QUIET_MS);
    const lastMs = silentFrom === -1 ? after.at(-1) : after[silentFrom - 1];
    return (lastMs ?? noticedMs) - noticedMs;
  });
}

function described(pausesMs: readonly number[]): string {
  const sorted = pausesMs.toSorted((one, other) => one - other);
  return (
    `${sorted.length} pauses, the last packet p50 ${sorted[sorted.length >> 1]?.toFixed(1)} ms ` +
    `and at most ${sorted.at(-1)?.toFixed(1)} ms after the voice was noticed`
  );
}

it('an utterance that pauses stops when somebody wants the turn', { retry }, async () => {
  const states: (string | undefined)[] = [];
  const pausesMs: number[] = [];
  for (let round = 0; round < CALLERS.length; round++) {
    const settings = recorded([LONG], { interruption: 'pause' });
    world = await PhoneWorld.start(
      CALLERS.map(() => ({})),
      round % 2 === 0 ? settings : { ...settings, stt: null },
    );
    states.push(...(await Promise.all(world.calls.map((call, i) => wantsTurn(call, i, round)))));
    pausesMs.push(...world.calls.flatMap(pausesOf));
    await world.stop();
    world = null;
  }
  const missed = states.filter((state) => state !== 'interrupted').length;
  console.log(`${states.length} interruptions of what pauses: ${missed} missed, ${described(pausesMs)}`);
  expect(states).toHaveLength(100);
  expect(missed).toBeLessThanOrEqual(2);
  expect(Math.max(...pausesMs)).toBeLessThanOrEqual(PAUSE_MS);
});

async function wantsTurn(call: PhoneCall, index: number, round: number): Promise<string | undefined> {
  const [text, voice, db] = CALLERS[index]!;
  const id = call.say(LONG);
  await until(() => call.phone.heardAtMs.length >= 20 + 3 * ((index + 3 * round) % 30));
  call.phone.say(amplified(speech(text, 8_000, voice), db));
  await until(() => isOver(call, id));
  return call.stateOf(id);
}

function isOver(call: PhoneCall, id: string): boolean {
  return !['started', undefined].includes(call.stateOf(id));
}
