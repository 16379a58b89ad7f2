import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PNG } from 'pngjs';
import { expect, it } from 'vitest';
import type { Measure } from '../../../../bench/bench.ts';
import { drawResults } from '../../../../bench/report/picture.ts';
import { readResults, writeResults } from '../../../../bench/report/results.ts';

const GREEN = [22, 148, 92];
const RED = [214, 78, 42];

it('draws a green bar for a reached target and a red one for a missed one', () => {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  try {
    const path = join(folder, 'latest.png');
    drawResults(path, { mix: resultWith([60]) }, ['mix']);
    expect(colorsOf(path)).toMatchObject({ green: true, red: false });
    drawResults(path, { mix: resultWith([160, 161]) }, ['mix']);
    expect(colorsOf(path)).toMatchObject({ green: false, red: true });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('keeps the results of other benches', () => {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  try {
    const path = join(folder, 'deeper/latest.json');
    expect(readResults(path)).toEqual({});
    writeResults(path, { mix: resultWith([1]) });
    writeResults(path, { ...readResults(path), tick: resultWith([2]) });
    expect(Object.keys(readResults(path))).toEqual(['mix', 'tick']);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

function resultWith(ours: readonly number[]) {
  const measure: Measure = { name: 'a tick of 50 parties', unit: 'µs', ours, target: { atMost: 100 } };
  const surroundings = { processor: 'p', cores: 2, memoryGib: 8, system: 's', node: 'v22', commit: null };
  const began = { title: 't', date: '2026-01-01T00:00:00.000Z', rounds: 5, quick: false, cores: '' };
  return { ...began, surroundings, measures: [measure] };
}

/** The colours of the plot itself; the figures to the right of it are coloured too. */
function colorsOf(path: string) {
  const { data, width } = PNG.sync.read(readFileSync(path));
  const has = ([red, green, blue]: readonly number[]) => {
    for (let at = 0; at < data.length; at += 4) {
      const inPlot = (at / 4) % width < 1_400;
      if (inPlot && data[at] === red && data[at + 1] === green && data[at + 2] === blue) return true;
    }
    return false;
  };
  return { green: has(GREEN), red: has(RED) };
}
