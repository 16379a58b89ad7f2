import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PNG } from 'pngjs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Child } from '../support/child.ts';
import { analyzeTone } from '../support/tone-analysis.ts';
import { waitFor, within } from '../support/wait-for.ts';
import { readMonoWav } from '../support/wav.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const RATE_HZ = 16_000;

let folder: string;
let demo: Child;
let start: (args?: readonly string[], env?: Record<string, string>) => void;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'demo-'));
  const env = { ...process.env, TMPDIR: folder };
  start = (args = [], more = {}) => {
    demo = new Child(process.execPath, [join(ROOT, 'bench/demo/demo.ts'), ...args], {
      cwd: folder,
      env: { ...env, ...more },
    });
  };
});
afterEach(async () => {
  await demo.stop();
  rmSync(folder, { recursive: true, force: true });
});

it('both agents of the demo hear each other', async () => {
  start();
  const exitCode = await within('the demo to end', demo.exited, 50_000);
  expect(exitCode, demo.output).toBe(0);
  expect(demo.output).toMatch(/one-way delay\s+median, ms\s+\d+\s+\d+/);
  expect(demo.output.match(/of 8\.0 s/g)?.length, 'a line a second').toBeLessThan(12);

  const heardByA = readMonoWav(join(folder, 'demo-output/a-heard.wav'));
  expect(heardByA.sampleRateHz).toBe(RATE_HZ);
  const tone = analyzeTone(heardByA.samples, RATE_HZ, 440);
  expect(tone.snrDb).toBeGreaterThan(30);
  expect(tone.lengthMs).toBeGreaterThan(5_000);

  const heardByB = readMonoWav(join(folder, 'demo-output/b-heard.wav'));
  const clip = readMonoWav(join(ROOT, 'bench/demo/hello.wav'));
  for (const second of [0.3, 2, 4.5]) {
    const word = clip.samples.subarray(second * RATE_HZ, (second + 0.4) * RATE_HZ);
    expect(bestCorrelation(word, heardByB.samples), `the word at ${second} s`).toBeGreaterThan(0.95);
  }
  const picture = PNG.sync.read(readFileSync(join(folder, 'demo-output/waveforms.png')));
  expect(picture.width).toBeGreaterThan(1_000);
  expect(readdirSync(folder)).toEqual(['demo-output']);
});

it('the demo leaves no files behind when it is interrupted', async () => {
  start();
  await waitFor('the call', () => demo.output.includes('active on both sides'));
  demo.kill('SIGINT');
  expect(await within('the demo to end', demo.exited), demo.output).toBe(130);
  expect(readdirSync(folder)).toEqual([]);
});

it('two agents talk by a fake vendor where no recognizer is installed', async () => {
  start(['talk'], { PATH: '/nonexistent' });
  const exitCode = await within('the demo to end', demo.exited, 80_000);
  expect(exitCode, demo.output).toBe(0);
  expect(demo.output).toContain('apt-get install pocketsphinx');
  const heard = demo.output.match(/^ {2}[AB] hears {2}\w.* sound +\d+ ms {2}text +\d+ ms$/gm);
  expect(heard?.length).toBe(6);
  expect(readdirSync(folder)).toEqual([]);
});

it('a caller talks with an agent that has a model, also where no recognizer is installed', async () => {
  start(['agent'], { PATH: '/nonexistent' });
  const exitCode = await within('the demo to end', demo.exited, 80_000);
  expect(exitCode, demo.output).toBe(0);
  expect(demo.output.match(/^ {2}agent hears {4}\w/gm)?.length).toBe(3);
  expect(demo.output.match(/^ {2}agent says {5}\w.* sound +\d+ ms$/gm)?.length).toBe(3);
  expect(demo.output).toContain('The agent has hung up.');
  expect(readdirSync(folder)).toEqual([]);
});

/** The highest normalized cross-correlation of `word` with any stretch of `heard`. */
function bestCorrelation(word: Int16Array, heard: Int16Array): number {
  const energy = (samples: Int16Array) => samples.reduce((sum, sample) => sum + sample * sample, 0);
  const wordEnergy = energy(word);
  let heardEnergy = energy(heard.subarray(0, word.length));
  let best = 0;
  for (let at = 0; at + word.length < heard.length; at++) {
    let product = 0;
    for (let i = 0; i < word.length; i++) product += word[i]! * heard[at + i]!;
    if (heardEnergy > 0) best = Math.max(best, product / Math.sqrt(wordEnergy * heardEnergy));
    heardEnergy += heard[at + word.length]! ** 2 - heard[at]! ** 2;
  }
  return best;
}
