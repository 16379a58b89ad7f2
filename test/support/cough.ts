import { SeededRandom } from './seeded-random.ts';
import { joined, silence } from './speech-signal.ts';

/** The burst when the glottis opens, the air that follows, and where many coughs end: a short voice. In ms. */
const BURST_MS = 45;
const AIR_MS = { least: 110, most: 220 };
const VOICE_MS = { least: 40, most: 110 };
/** Resonances of the throat, with their widths. */
const RESONANCES_HZ = [
  [480, 160],
  [1_150, 260],
  [2_300, 420],
] as const;
const PITCH_HZ = { least: 140, most: 320 };

/** One cough as it is described in the literature: three phases, every second one with a voice at its end. `peak`: 0 to 1. */
export function cough(rateHz: number, seed: number, peak = 0.5): Int16Array {
  const random = new SeededRandom(seed);
  const between = ({ least, most }: { readonly least: number; readonly most: number }) =>
    least + (most - least) * random.next();
  const samples = (ms: number) => Math.round((ms * rateHz) / 1_000);
  const burst = samples(BURST_MS);
  const air = samples(between(AIR_MS));
  const voice = seed % 2 === 0 ? samples(between(VOICE_MS)) : 0;
  const pitch = rateHz / between(PITCH_HZ);
  const source = Float64Array.from({ length: burst + air + voice }, (_, i) => {
    const hiss = 2 * random.next() - 1;
    if (i < burst) return hiss;
    if (i < burst + air) return hiss * (0.45 - (0.25 * (i - burst)) / air);
    const fade = 1 - (i - burst - air) / voice;
    return fade * (Math.floor(i % pitch) === 0 ? 2.5 : 0.08 * hiss);
  });
  const throat = RESONANCES_HZ.map(([hz, width]) => resonated(source, rateHz, hz, width));
  const sum = source.map((hiss, i) => 0.15 * hiss + throat.reduce((all, one) => all + one[i]!, 0));
  const most = sum.reduce((one, other) => Math.max(one, Math.abs(other)), 0);
  return Int16Array.from(sum, (value) => Math.round((value / most) * peak * 32_767));
}

/** Two coughs, one after the other. */
export function coughs(rateHz: number, seed: number): Int16Array {
  return joined(cough(rateHz, seed), silence(160, rateHz), cough(rateHz, seed + 1, 0.4));
}

function resonated(source: Float64Array, rateHz: number, hz: number, widthHz: number): Float64Array {
  const radius = Math.exp((-Math.PI * widthHz) / rateHz);
  const turn = 2 * radius * Math.cos((2 * Math.PI * hz) / rateHz);
  let last = 0;
  let former = 0;
  return source.map((sample) => {
    const next = (1 - radius) * sample + turn * last - radius * radius * former;
    former = last;
    last = next;
    return next;
  });
}
