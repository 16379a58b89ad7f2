/**
 * Asks one Opus program for everything the table says: `node judge.ts listening|speed in-file command…`,
 * the command as in libopus.c.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FRAME_SAMPLES, SAMPLE_RATE_HZ } from './candidates.ts';
import { mean, signalToNoiseDb, spectralDistanceDb } from './likeness.ts';

const APPLICATIONS = { voip: 2048, audio: 2049, lowdelay: 2051 };
const COMPLEXITIES = [4, 10];
const BITRATES_KBPS = [24, 32];
const LOSE_EVERY = 10;
/** Frames quieter than this (root of the mean square) are pauses. */
const QUIET = 300;

interface Told {
  readonly encodeUs?: number;
  readonly decodeUs?: number;
  readonly packetBytes?: number;
  readonly pairKb?: number;
  readonly pairs?: number;
}

type Settings = readonly [application: number, complexity: number, bitrateKbps: number, fec: 0 | 1];

const [mode, inFile = '', file = '', ...args] = process.argv.slice(2);
const input = samplesIn(inFile);
const folder = mkdtempSync(join(tmpdir(), 'opus-'));
const figures: Record<string, number | undefined> = {};
try {
  for (const [name, application] of Object.entries(APPLICATIONS)) {
    for (const complexity of COMPLEXITIES) {
      for (const kbps of BITRATES_KBPS)
        judge(`${name}, ${complexity}, ${kbps}`, [application, complexity, kbps, 0]);
    }
  }
  judge('voip, 4, 24 with FEC', [APPLICATIONS.voip, 4, 24, 1]);
  judgeLoss('voip, 4, 24', [APPLICATIONS.voip, 4, 24, 1]);
  judgeLoss('lowdelay, 4, 24', [APPLICATIONS.lowdelay, 4, 24, 0]);
  const { pairKb, pairs } = run([APPLICATIONS.voip, 4, 24, 0], 'count').told;
  Object.assign(figures, { 'KB, encoder and decoder': pairKb, 'pairs on a thread, of 1,000': pairs });
} finally {
  rmSync(folder, { recursive: true });
}
console.log(JSON.stringify(figures));

function judge(name: string, settings: Settings): void {
  const { told, output } = run(settings, '0');
  figures[`${name}: encode, µs`] = told.encodeUs;
  figures[`${name}: decode, µs`] = told.decodeUs;
  if (mode !== 'listening') return;
  figures[`${name}: kbit/s`] = (told.packetBytes! * 8) / 20;
  figures[`${name}: distance, dB`] = spectralDistanceDb(input, output, SAMPLE_RATE_HZ);
}

/** Lost frames against the same frames not lost. */
function judgeLoss(name: string, settings: Settings): void {
  const meant = run(settings, '0').output;
  const ways = settings[3] === 1 ? ['concealed', 'recovered by FEC'] : ['concealed'];
  for (const [i, way] of ways.entries()) {
    const { told, output } = run(settings, `${i + 1}`);
    if (told.encodeUs !== undefined) figures[`${name}: a frame ${way}, SNR dB`] = lostFramesDb(meant, output);
  }
}

function lostFramesDb(meant: Int16Array, heard: Int16Array): number {
  const decibels: number[] = [];
  for (let frame = LOSE_EVERY - 1; (frame + 1) * FRAME_SAMPLES < meant.length; frame += LOSE_EVERY) {
    const cut = (samples: Int16Array) => samples.subarray(frame * FRAME_SAMPLES, (frame + 1) * FRAME_SAMPLES);
    const loudness = Math.sqrt(mean([...cut(meant)].map((sample) => sample ** 2)));
    if (loudness >= QUIET) decibels.push(signalToNoiseDb(cut(meant), cut(heard)));
  }
  return mean(decibels);
}

function run([application, complexity, kbps, fec]: Settings, lose: string) {
  const outFile = join(folder, 'out');
  const job = [
    ...args,
    inFile,
    outFile,
    `${application}`,
    `${complexity}`,
    `${kbps * 1_000}`,
    `${fec}`,
    lose,
  ];
  const told = JSON.parse(execFileSync(file, job, { encoding: 'utf8' })) as Told;
  return { told, output: samplesIn(outFile) };
}

function samplesIn(path: string): Int16Array {
  const bytes = readFileSync(path);
  return new Int16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2);
}
