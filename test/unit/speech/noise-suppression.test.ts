import { expect, test } from 'vitest';
import { framePower } from '../../../src/audio/frame-power.ts';
import { NoiseSuppression, type SuppressedVoice } from '../../../src/speech/hearing/noise-suppression.ts';
import { NoiseSuppressor } from '../../../src/speech/hearing/noise-suppressor.ts';
import { OverheardCall } from '../../support/speech/overheard-call.ts';
import { ScriptedRecognizer } from '../../support/speech/scripted-recognizer.ts';
import { framesOf, joined, mixed, noise, silence, speech } from '../../support/speech-signal.ts';

const WANTED = { options: { noise_suppression: true } };
const TEXT = 'I would like to change my address, please.';

function suppressed(signal: Int16Array, rateHz: number): Int16Array {
  const suppressor = new NoiseSuppressor(rateHz);
  const frames = framesOf(signal, rateHz).map((frame) => suppressor.process(frame).slice());
  suppressor.close();
  return joined(...frames);
}

const dbOf = (signal: Int16Array) => 10 * Math.log10(framePower(signal) + 1e-12);

test.each([8_000, 16_000, 48_000])(
  'at %i Hz, noise goes, a voice stays, and each frame gives one',
  (rateHz) => {
    const ms = 1_000;
    const second = (ms * rateHz) / 1_000;
    const voice = speech(TEXT, rateHz);
    const line = joined(silence(ms, rateHz), voice, silence(ms, rateHz));
    const behind = noise((line.length * 1_000) / rateHz, rateHz, -40);
    const out = suppressed(mixed(line, behind), rateHz);
    expect(out.length).toBe(framesOf(line, rateHz).length * (rateHz / 50));
    const before = behind.subarray(second / 2, second);
    expect(dbOf(out.subarray(second / 2, second))).toBeLessThan(dbOf(before) - 10);
    const spoken = out.subarray(second, second + voice.length);
    expect(Math.abs(dbOf(spoken) - dbOf(voice))).toBeLessThan(3);
  },
);

test('voices of a thread know nothing of each other', () => {
  const lines = [speech(TEXT, 16_000), noise(2_000, 16_000, -20)] as const;
  const alone = lines.map((line) => suppressed(line, 16_000));
  const both = lines.map((line) => ({ frames: framesOf(line, 16_000), out: [] as Int16Array[] }));
  const suppressors = both.map(() => new NoiseSuppressor(16_000));
  for (let i = 0; i < 90; i++)
    for (const [k, { frames, out }] of both.entries()) out.push(suppressors[k]!.process(frames[i]!).slice());
  for (const [k, { out }] of both.entries()) expect(joined(...out)).toEqual(alone[k]!.subarray(0, 90 * 320));
  for (const each of suppressors) each.close();
});

test('an account has two voices at a time, a thread four, and whoever gets none is counted', () => {
  const suppression = new NoiseSuppression();
  let full = 0;
  const voice = (account: string, preset: Parameters<NoiseSuppression['of']>[1] = WANTED) =>
    suppression.of(account, preset, 16_000, () => {
      full += 1;
    });
  const [one, two] = [voice('acc_1'), voice('acc_1')];
  expect([one === null, two === null, voice('acc_1')]).toEqual([false, false, null]);
  expect([voice('acc_2') === null, voice('acc_3') === null, voice('acc_4')]).toEqual([false, false, null]);
  expect(full).toBe(2);
  expect([voice('acc_5', { options: {} }), full]).toEqual([null, 2]);
  one?.close();
  expect(voice('acc_4')).not.toBeNull();
});

test('a recognizer gets what was said last, and the place is free once it has gone', async () => {
  const heard: number[] = [];
  const open: SuppressedVoice[] = [];
  const call = new OverheardCall({
    sampleRateHz: 16_000,
    connect: (vendor) => {
      const format = { encoding: 's16le', sampleRateHz: 16_000 } as const;
      const recognizer = new ScriptedRecognizer(vendor, { format, chunkMs: 100 });
      recognizer.hear = (chunk) => void heard.push(...new Int16Array(chunk.buffer));
      return recognizer;
    },
    suppress: () => {
      const held: Int16Array[] = framesOf(silence(40, 16_000), 16_000);
      const voice = {
        process: (frame: Int16Array) => {
          held.push(frame.slice());
          return held.shift()!;
        },
        close: () => void open.pop(),
      };
      open.push(voice);
      return voice;
    },
  });
  for (let i = 1; i <= 10; i++) call.hear(new Int16Array(320).fill(i * 100));
  expect(open).toHaveLength(1);
  await call.close();
  expect(open).toHaveLength(0);
  expect(heard.filter((sample) => sample === 1_000)).toHaveLength(320);
});
