import { afterEach, expect, it } from 'vitest';
import { startMediaClock } from '../../../../support/media-clock.ts';
import { retryAudio } from '../../../../support/stall-probe.ts';
import { toneLevelDb } from '../../../../support/tone-analysis.ts';
import { waitFor } from '../../../../support/wait-for.ts';
import { RATE_HZ } from './ring-engine.ts';
import { openVoiceLeg } from './voice-leg.ts';
import { CHANNEL, VoiceWorld } from './voice-world.ts';

const retry = retryAudio();

const TONES_HZ = [440, 1_310, 2_050];
const FRAME_SAMPLES = 960;
const SECOND_FRAMES = 50;
const AUDIBLE_DB = -25;
const APART_DB = 40;

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

it('each voice of the leg is one person, and hears nobody else', { retry }, async () => {
  const world = await VoiceWorld.start();
  closers.push(() => world.stop());
  const people = TONES_HZ.map((_, index) => world.voice.addPerson(CHANNEL, `400${index}`, `Person ${index}`));
  const { leg, close } = await openVoiceLeg(world);
  closers.push(close);
  for (const [index, person] of people.entries()) person.sing(TONES_HZ[index]!, 0.2);
  const heard = leg.voices.map(() => new Recording());
  const frame = new Int16Array(FRAME_SAMPLES);
  const clock = startMediaClock(() => {
    for (const [index, voice] of leg.voices.entries()) if (voice.pull(frame)) heard[index]!.add(frame);
  });
  closers.push(() => clock.stop());
  const voices = () => heard.filter(({ frames }) => frames.length > 0);
  await waitFor('three voices', () => {
    return (
      voices().length === TONES_HZ.length &&
      voices().every(({ frames }) => frames.length >= 2 * SECOND_FRAMES)
    );
  });
  const owners = voices().map(({ samples }) => {
    const levels = TONES_HZ.map((hz) => toneLevelDb(samples, RATE_HZ, hz));
    const [own = 0, second = 0] = levels.toSorted((a, b) => b - a);
    expect(own).toBeGreaterThan(AUDIBLE_DB);
    expect(own - second).toBeGreaterThan(APART_DB);
    return levels.indexOf(own);
  });
  expect(owners.toSorted()).toEqual([0, 1, 2]);
});

/** What one voice has brought. */
class Recording {
  readonly frames: Int16Array[] = [];

  add(frame: Int16Array): void {
    this.frames.push(frame.slice());
  }

  /** The last second. */
  get samples(): Int16Array {
    const last = this.frames.slice(-SECOND_FRAMES);
    const all = new Int16Array(last.length * FRAME_SAMPLES);
    for (const [index, frame] of last.entries()) all.set(frame, index * FRAME_SAMPLES);
    return all;
  }
}
