import { describe, expect, it } from 'vitest';
import { clicks } from '../../../support/audio-quality/clicks.ts';
import { delayTrack, type TrackPoint } from '../../../support/audio-quality/delay-track.ts';
import { qualityScore } from '../../../support/audio-quality/quality-score.ts';
import { SOUNDS, sound } from '../../../support/audio-quality/sounds.ts';
import { STOI_RATE_HZ, stoi } from '../../../support/audio-quality/stoi.ts';
import { SeededRandom } from '../../../support/seeded-random.ts';
import { joined, mixed, noise, silence } from '../../../support/speech-signal.ts';

const RATE_HZ = 8_000;
const SECONDS = 8;

function samples(ms: number): number {
  return (ms * RATE_HZ) / 1000;
}

function spoken(): Int16Array {
  return sound('speech', RATE_HZ, SECONDS);
}

/** The same sound, with `ms` of silence put in at each of the places. */
function delayed(signal: Int16Array, ms: number, atMs: readonly number[]): Int16Array {
  const cuts = [0, ...atMs.map(samples), signal.length];
  const parts = cuts.slice(1).map((to, i) => signal.subarray(cuts[i], to));
  return joined(...parts.flatMap((part, i) => (i === 0 ? [part] : [silence(ms, RATE_HZ), part])));
}

function score(said: Int16Array, heard: Int16Array) {
  return qualityScore({ said, heard, rateHz: RATE_HZ, pace: 1, interruptions: [] });
}

/** As if nothing had been delayed. */
function straightTrack(): TrackPoint[] {
  return Array.from({ length: SECONDS * 50 }, (_, i) => ({
    saidMs: i * 20,
    recordedMs: i * 20,
    delayMs: 0,
    matched: true,
  }));
}

describe('STOI', () => {
  /** Tones that swell at different rates, and a share of noise: simple enough to compute anywhere. */
  function signals(noiseShare: number) {
    const random = new SeededRandom(5);
    const clean = Float64Array.from({ length: 4 * STOI_RATE_HZ }, (_, i) => {
      const t = i / STOI_RATE_HZ;
      return [200, 450, 900, 1_700, 3_100].reduce(
        (sum, hz, k) => sum + (1 + Math.sin(2 * Math.PI * (2 + k) * t)) * Math.sin(2 * Math.PI * hz * t),
        0,
      );
    });
    return { clean, heard: clean.map((sample) => sample + noiseShare * (2 * random.next() - 1)) };
  }

  // Values of pystoi 0.4.1 (github.com/mpariente/pystoi), which agrees with the authors' own code.
  it.each([
    [1, 0.656_3],
    [4, 0.566_8],
    [16, 0.367_3],
  ])('agrees with pystoi for noise of %i', (noiseShare, reference) => {
    const { clean, heard } = signals(noiseShare);
    expect(stoi(clean, heard)).toBeCloseTo(reference, 3);
  });

  it('is 1 for the same signal at any level, and falls with the noise', () => {
    const { clean } = signals(0);
    expect(stoi(clean, clean)).toBeCloseTo(1, 9);
    expect(
      stoi(
        clean,
        clean.map((sample) => sample / 50),
      ),
    ).toBeCloseTo(1, 9);
    const values = [1, 4, 16, 64].map((share) => stoi(clean, signals(share).heard));
    expect(values).toEqual(values.toSorted((a, b) => b - a));
    expect(values.at(-1)).toBeLessThan(0.5);
  });

  it('is not a number for less than 384 ms', () => {
    expect(stoi(new Float64Array(3_000), new Float64Array(3_000))).toBeNaN();
  });
});

describe('the score', () => {
  it.each(SOUNDS)('follows a delay of %s that changes', (name) => {
    const said = sound(name, RATE_HZ, SECONDS);
    const delays = [80, 200, 300];
    for (const ms of delays) {
      const { stoi: found, meanDelayMs } = score(said, joined(silence(ms, RATE_HZ), said));
      expect(found).toBeGreaterThan(0.998);
      expect(meanDelayMs).toBeCloseTo(ms, 0);
    }
    const { maxDelayMs } = score(said, delayed(said, 100, [3_000, 5_000]));
    expect(maxDelayMs).toBeCloseTo(200, 0);
  });

  it('tells what is left out from what is only late', () => {
    const said = spoken();
    const cut = joined(said.subarray(0, samples(3_000)), said.subarray(samples(3_200)));
    const late = delayed(said, 200, [3_000]);
    expect(score(said, said).stoi).toBeCloseTo(1, 4);
    expect(score(said, cut).stoi).toBeLessThan(0.995);
    expect(score(said, late).stoi).toBeLessThan(0.999);
    expect(score(said, joined(silence(200, RATE_HZ), said)).stoi).toBeGreaterThan(0.998);
  });

  it('measures the time until the delay is what it was', () => {
    const said = spoken();
    const [fromMs, backMs] = [3_000, 5_000];
    const heard = joined(
      said.subarray(0, samples(fromMs)),
      silence(300, RATE_HZ),
      said.subarray(samples(fromMs), samples(backMs)),
      said.subarray(samples(backMs + 300)),
    );
    const interruptions = [{ fromMs, toMs: fromMs + 300 }];
    const { returnMs } = qualityScore({ said, heard, rateHz: RATE_HZ, pace: 1, interruptions });
    expect(returnMs).toBeGreaterThan(1_700);
    expect(returnMs).toBeLessThan(2_100);
  });

  it('follows the clock of a sender that is fast', () => {
    const said = sound('speech', RATE_HZ, SECONDS);
    const pace = 1 / 1.001;
    const heard = Int16Array.from({ length: said.length }, (_, i) => said[Math.round(i / pace)] ?? 0);
    const toTrack = (signal: Int16Array) => Float64Array.from(signal);
    const track = delayTrack(toTrack(said), toTrack(heard), pace);
    expect(Math.max(...track.map(({ delayMs }) => Math.abs(delayMs)))).toBeLessThan(2);
  });
});

describe('clicks', () => {
  it('are none in the sound itself, in noise beside it, or when it fades', () => {
    const said = spoken();
    const faded = said.map((sample, i) => sample * Math.abs(Math.cos((Math.PI * i) / samples(500))));
    for (const heard of [said, mixed(said, noise(SECONDS * 1000, RATE_HZ, -45)), faded])
      expect(clicks(said, heard, RATE_HZ, straightTrack())).toEqual([]);
  });

  it('are none where sound begins sooner than the delay that was found first', () => {
    const music = sound('music', RATE_HZ, SECONDS);
    const track = straightTrack().map((point) => ({ ...point, delayMs: 250 }));
    expect(clicks(music, music.slice(0, samples(250)), RATE_HZ, track)).toEqual([]);
  });

  it('are found where sound begins at once after silence', () => {
    const said = spoken();
    const heard = said.slice();
    const onsets = loudPlaces(said);
    for (const at of onsets) heard.fill(0, at - samples(60), at);
    const found = clicks(said, heard, RATE_HZ, straightTrack());
    const isFound = (at: number) => found.some((ms) => Math.abs(ms - (at * 1000) / RATE_HZ) < 1);
    expect(onsets.length).toBeGreaterThan(5);
    expect(onsets.filter(isFound)).toEqual(onsets);
  });

  it('are found where a step of 18,177 is in a pause', () => {
    const said = spoken();
    const heard = said.map((sample, i) => (i === samples(200) ? 18_177 : sample));
    expect(clicks(said, heard, RATE_HZ, straightTrack())).toHaveLength(1);
  });
});

/** The loudest sample of each 500 ms, where it is louder than a third of full scale. */
function loudPlaces(signal: Int16Array): number[] {
  const length = samples(500);
  return Array.from({ length: Math.floor(signal.length / length) }, (_, i) => {
    const part = signal.subarray(i * length, (i + 1) * length);
    const loudest = part.reduce(
      (best, sample, at) => (Math.abs(sample) > Math.abs(part[best]!) ? at : best),
      0,
    );
    return i * length + loudest;
  }).filter((at) => Math.abs(signal[at]!) > 10_000);
}
