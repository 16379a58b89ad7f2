/**
 * Judges one resampler by what it makes of the judging signal: `node judge.ts quality command…`, where the command is
 * a program as described in filter.h.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ALIAS_PART_MS,
  BURST_PART_MS,
  burstAt,
  EDGE_HZ,
  EDGE_PART_MS,
  judgingSignal,
  TONE_HZ,
  TONE_PART_MS,
} from './signal.ts';

const RATES_HZ = [
  [8_000, 16_000],
  [16_000, 8_000],
  [8_000, 48_000],
  [48_000, 8_000],
  [16_000, 48_000],
  [48_000, 16_000],
  [44_100, 8_000],
] as const;
/** Above the new half rate by so much is the tone that must vanish. */
const ALIAS_FACTOR = 1.3;
const LONGEST_DELAY_MS = 100;

interface Part {
  readonly from: number;
  readonly to: number;
}

const [quality = '', file = '', ...args] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'resampler-'));
const figures: Record<string, number> = {};
try {
  for (const [inRateHz, outRateHz] of RATES_HZ) judge(inRateHz, outRateHz);
} finally {
  rmSync(folder, { recursive: true });
}
console.log(JSON.stringify(figures));

function judge(inRateHz: number, outRateHz: number): void {
  const falls = outRateHz < inRateHz;
  const signal = judgingSignal(inRateHz, falls ? (ALIAS_FACTOR * outRateHz) / 2 : 0);
  const { output, frameUs, heldMs } = convert(signal, inRateHz, outRateHz);
  const name = `${inRateHz / 1000} → ${outRateHz / 1000}`;
  figures[`${name}: µs a frame`] = frameUs;
  const tone = fitTone(cut(output, outRateHz, TONE_PART_MS), outRateHz, TONE_HZ);
  figures[`${name}: SNR of 1 kHz, dB`] = decibels(tone.signal / tone.noise);
  if (falls) figures[`${name}: alias down by, dB`] = aliasRejection(signal, output, inRateHz, outRateHz);
  const edge = fitTone(cut(output, outRateHz, EDGE_PART_MS), outRateHz, EDGE_HZ);
  figures[`${name}: 3.4 kHz against 1 kHz, dB`] = decibels(edge.signal / tone.signal);
  figures[`${name}: delay, ms`] = heldMs + delayMs(output, outRateHz);
}

function convert(signal: Int16Array, inRateHz: number, outRateHz: number) {
  const [inFile, outFile] = [join(folder, 'in'), join(folder, 'out')];
  writeFileSync(inFile, signal);
  const job = [...args, `${inRateHz}`, `${outRateHz}`, inFile, outFile, quality];
  const told = JSON.parse(execFileSync(file, job, { encoding: 'utf8' })) as {
    frameUs: number;
    heldMs: number;
  };
  const bytes = readFileSync(outFile);
  return { ...told, output: new Int16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2) };
}

function cut(samples: Int16Array, sampleRateHz: number, { from, to }: Part): Int16Array {
  return samples.subarray((from * sampleRateHz) / 1000, (to * sampleRateHz) / 1000);
}

/** Amplitudes (root of the mean square) of the tone that fits best and of what remains. */
function fitTone(samples: Int16Array, sampleRateHz: number, frequencyHz: number) {
  const step = (2 * Math.PI * frequencyHz) / sampleRateHz;
  let [sine, cosine] = [0, 0];
  for (const [i, sample] of samples.entries()) {
    sine += (2 * sample * Math.sin(step * i)) / samples.length;
    cosine += (2 * sample * Math.cos(step * i)) / samples.length;
  }
  const rest = Array.from(
    samples,
    (sample, i) => sample - sine * Math.sin(step * i) - cosine * Math.cos(step * i),
  );
  return { signal: Math.hypot(sine, cosine) / Math.SQRT2, noise: rootMeanSquare(rest) };
}

function aliasRejection(signal: Int16Array, output: Int16Array, inRateHz: number, outRateHz: number): number {
  const sent = rootMeanSquare(cut(signal, inRateHz, ALIAS_PART_MS));
  // Rounding to whole samples leaves noise of a third of one; silence is reported as that.
  return decibels(sent / Math.max(1 / Math.sqrt(12), rootMeanSquare(cut(output, outRateHz, ALIAS_PART_MS))));
}

/** Where the burst came out, after where it went in. */
function delayMs(output: Int16Array, sampleRateHz: number): number {
  const burst = burstSamples(sampleRateHz);
  const most = Math.round((LONGEST_DELAY_MS * sampleRateHz) / 1000);
  const likeness = Array.from({ length: 2 * most + 1 }, (_, i) => burst.likenessAt(output, i - most));
  const best = likeness.indexOf(Math.max(...likeness));
  const [before, at, after] = [likeness[best - 1]!, likeness[best]!, likeness[best + 1]!];
  const summit = (before - after) / (2 * (before - 2 * at + after));
  return ((best - most + summit) * 1000) / sampleRateHz;
}

function burstSamples(sampleRateHz: number) {
  const first = Math.round((BURST_PART_MS.from * sampleRateHz) / 1000);
  const length = Math.round(((BURST_PART_MS.to - BURST_PART_MS.from) * sampleRateHz) / 1000);
  const samples = Float64Array.from({ length }, (_, i) => burstAt(((first + i) * 1000) / sampleRateHz));
  const likenessAt = (output: Int16Array, lag: number) => {
    let sum = 0;
    for (let i = 0; i < length; i++) sum += samples[i]! * output[first + i + lag]!;
    return sum;
  };
  return { likenessAt };
}

function rootMeanSquare(samples: ArrayLike<number> & Iterable<number>): number {
  let sum = 0;
  for (const sample of samples) sum += sample ** 2;
  return Math.sqrt(sum / samples.length);
}

function decibels(ratio: number): number {
  return 20 * Math.log10(ratio);
}
