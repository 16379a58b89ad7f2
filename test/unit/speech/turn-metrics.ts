import { expect } from 'vitest';
import { speak } from '../../../src/speech/local/flite.ts';
import type { FliteVoice } from '../../../src/speech/local/flite-voices.ts';
import { stereoTurn } from '../../support/speech/stereo-turn.ts';
import { speech } from '../../support/speech-signal.ts';
import { colouredNoise } from '../../support/voice-noise.ts';
import { until } from '../engine/support/test-engine.ts';
import { type PhoneCall, PhoneWorld } from './phone-world.ts';
import { testPreset } from './speech-world.ts';

const ANSWER = 'It leaves at half past seven.';
const QUESTIONS: readonly (readonly [string, FliteVoice])[] = [
  ['When does the next train leave?', 'rms'],
  ['No.', 'slt'],
  ['I want to speak to a person.', 'awb'],
  ['What did you say?', 'kal16'],
  ['My name is Peter and I called yesterday.', 'slt'],
];
const SAID = QUESTIONS.map(([text, voice]) => speech(text, 8_000, voice));
const NOISE_DBFS = -60;
/** Every third line is noisy. */
const NOISE = colouredNoise('pink', 2_000, 8_000, { dbfs: NOISE_DBFS, seed: 4 });

export interface ComparedTurn {
  readonly measuredMs: number;
  readonly recordedMs: number;
  /** By how much what was measured is later than what was recorded: the end of the question, and the first sound after it. */
  readonly endErrorMs: number;
  readonly soundErrorMs: number;
}

function settings() {
  const samples = speak({ text: ANSWER, voice: 'slt' });
  const memory = new SharedArrayBuffer(samples.byteLength);
  new Int16Array(memory).set(samples);
  const preset = testPreset({ sampleRateHz: 16_000, recordings: { [ANSWER]: memory } });
  return { tts: { provider: 'recorded', preset }, stt: { provider: 'recorded', preset: testPreset({}) } };
}

/** Asks on so many calls at once, in turn, and returns what the gateway measured and what the phones recorded. */
export async function compareTurns(calls: number, rounds: number): Promise<ComparedTurn[]> {
  const lines = Array.from({ length: calls }, (_, i) => (i % 3 === 2 ? { noise: NOISE } : {}));
  const world = await PhoneWorld.start(lines, settings());
  try {
    const turns: ComparedTurn[] = [];
    for (let round = 0; round < rounds; round++)
      turns.push(...(await Promise.all(world.calls.map((call, i) => ask(call, i, round)))));
    return turns;
  } finally {
    await world.stop();
  }
}

async function ask(call: PhoneCall, index: number, round: number): Promise<ComparedTurn> {
  const { phone } = call;
  phone.forget();
  const ends = call.speech.filter((state) => state === 'ended').length;
  phone.say(SAID[(index + round) % SAID.length]!);
  await until(() => call.speech.filter((state) => state === 'ended').length > ends);
  const id = call.say(ANSWER);
  await until(() => call.stateOf(id) === 'finished' && call.turns.length > round);
  const turn = call.turns[round]!;
  const { total_ms, endpointing_ms, recognizer_ms, model_ms, synthesis_ms, playout_ms } = turn;
  expect(turn.utterance_id).toBe(id);
  // The recognizer of this test understands nothing.
  expect(recognizer_ms).toBeNull();
  const parts = [endpointing_ms, model_ms, synthesis_ms, playout_ms];
  expect(Math.abs(parts.reduce<number>((sum, part) => sum + part!, 0) - total_ms)).toBeLessThanOrEqual(2);
  const recorded = stereoTurn(phone, index % 3 === 2 ? 10 ** (NOISE_DBFS / 10) : 0);
  const measured = call.measured[round]!;
  return {
    measuredMs: total_ms,
    recordedMs: recorded.soundMs - recorded.endMs,
    endErrorMs: measured.endMs - performance.timeOrigin - recorded.endMs,
    soundErrorMs: measured.soundMs - performance.timeOrigin - recorded.soundMs,
  };
}
