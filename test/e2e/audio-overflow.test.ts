import { expect, it, onTestFinished } from 'vitest';
import { GatewayPair } from '../support/gateway-pair.ts';
import { connectAgents, heardTone } from '../support/heard-tone.ts';
import { retryAudio } from '../support/stall-probe.ts';
import { tone } from '../support/tone.ts';
import { findToneBreaks } from '../support/tone-analysis.ts';
import { isVoiced } from '../support/voiced.ts';
import { waitFor } from '../support/wait-for.ts';

const retry = retryAudio();
const SAMPLE_RATE_HZ = 16_000;
const TONE_HZ = 440;
const MARK_DEADLINE_MS = 100_000;
const DEADLINE_MS = 120_000;
/** One message may hold a mebibyte. */
const MESSAGE_SAMPLES = 500_000;

it('a minute of audio may be sent all at once; audio beyond 70 s is dropped and reported', {
  retry,
  timeout: DEADLINE_MS,
}, async () => {
  const pair = await GatewayPair.start();
  onTestFinished(() => pair.stop());
  const { frames, samples, errors } = await record(pair);

  const [overflow] = errors;
  expect(errors).toEqual([expect.objectContaining({ code: 'audio_overflow' })]);
  // The ring before the queue of 70 s holds a quarter of a second more.
  const lostMs = Number(overflow?.lost_ms);
  expect(lostMs).toBeGreaterThan(1_000);
  expect(lostMs).toBeLessThan(2_000);
  expect(findToneBreaks(samples, SAMPLE_RATE_HZ, TONE_HZ)).toEqual([]);
  const heardMs = frames.filter(isVoiced).length * 20;
  expect(Math.abs(heardMs - (72_000 - lostMs))).toBeLessThanOrEqual(60);
});

/** A minute in a few messages, and twelve seconds more, of which less than two find no room. */
async function record(pair: GatewayPair) {
  const [near, far] = await connectAgents(pair, SAMPLE_RATE_HZ);
  const minute = tone(TONE_HZ, SAMPLE_RATE_HZ, 60 * SAMPLE_RATE_HZ);
  for (let at = 0; at < minute.length; at += MESSAGE_SAMPLES) {
    near.speak(minute.subarray(at, at + MESSAGE_SAMPLES));
  }
  near.mark('a minute');
  near.speak(tone(TONE_HZ, SAMPLE_RATE_HZ, 12 * SAMPLE_RATE_HZ));
  await near.waitFor('mark', { name: 'a minute' }, MARK_DEADLINE_MS);
  await waitFor('silence', () => far.heard.slice(-25).every((frame) => !isVoiced(frame)));
  return { ...heardTone(far, TONE_HZ, 0, far.heard.length), errors: near.errors };
}
