import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { qualityCases, scoreOf } from '../../../support/audio-quality/quality-cases.ts';
import type { QualityScore } from '../../../support/audio-quality/quality-score.ts';

/**
 * What has been reached, by case. After a change that improves or must change them: `RECORD_AUDIO_SCORES=1` writes
 * those of the cases that run.
 */
const FILE = join(import.meta.dirname, 'scores.json');
/** All cases instead of the fast ones. */
const IS_FULL = process.env.FULL_AUDIO_SCORES === '1';
/** Of the network. The scores of the first are recorded; with any other there must be no click either. */
const RECORDED_SEED = 1;
const SEED = Number(process.env.AUDIO_SEED ?? RECORDED_SEED);
const RECORDS = process.env.RECORD_AUDIO_SCORES === '1' && SEED === RECORDED_SEED;
/** How much worse than recorded a score may be: a change that is meant for something else moves it by less. */
const STOI_MARGIN = 0.005;
const MEAN_DELAY_MARGIN_MS = 4;
const MAX_DELAY_MARGIN_MS = 20;
const RETURN_MARGIN_MS = 100;

const recorded = JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, QualityScore>;
const cases = qualityCases(SEED);

describe('the quality of audio through a bad network', () => {
  const scores = new Map<string, QualityScore>();

  afterAll(() => {
    if (!RECORDS) return;
    const known = cases.map(({ name }) => [name, scores.get(name) ?? recorded[name]]);
    writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(known), null, 2)}\n`);
  });

  it.each(cases.filter(({ fast }) => fast || IS_FULL))('$name', (quality) => {
    const score = scoreOf(quality);
    scores.set(quality.name, score);
    expect(score.stoi).toBeGreaterThan(0);
    if (SEED !== RECORDED_SEED) expect(score.clicks, 'clicks').toBe(0);
    else if (!RECORDS) expectAtLeast(score, recorded[quality.name]);
  });
});

function expectAtLeast(score: QualityScore, least: QualityScore | undefined): void {
  expect(least, 'a score has been recorded').toBeDefined();
  if (least === undefined) return;
  expect(score.stoi, 'STOI').toBeGreaterThanOrEqual(least.stoi - STOI_MARGIN);
  expect(score.clicks, 'clicks').toBeLessThanOrEqual(least.clicks);
  expect(score.meanDelayMs, 'mean delay').toBeLessThanOrEqual(least.meanDelayMs + MEAN_DELAY_MARGIN_MS);
  expect(score.maxDelayMs, 'greatest delay').toBeLessThanOrEqual(least.maxDelayMs + MAX_DELAY_MARGIN_MS);
  const returnMs = least.returnMs === null ? null : least.returnMs + RETURN_MARGIN_MS;
  expect(score.returnMs === null, 'whether there is something to return from').toBe(returnMs === null);
  expect(score.returnMs ?? 0, 'return to the delay before').toBeLessThanOrEqual(returnMs ?? 0);
}
