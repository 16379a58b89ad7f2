/** What was found of one tone in a recording. Windows without the tone (before it starts, after it ends) don't count. */
export interface ToneReport {
  /** Median over the windows that hold the tone; -Infinity when none does. */
  readonly snrDb: number;
  /** The worst of them: a single gap shows here. */
  readonly worstSnrDb: number;
  /** Mean amplitude of the fitted sine, full scale 32767. */
  readonly amplitude: number;
  /** From the first to the last window with the tone. */
  readonly startMs: number;
  readonly lengthMs: number;
}

/** A place where a steady tone is not continued. */
export interface ToneBreak {
  readonly atMs: number;
  readonly kind: 'gap' | 'phase';
}

const WINDOW_MS = 200;
const EDGE_MS = 100;
const BREAK_WINDOW_MS = 10;
const PHASE_JUMP_RAD = 0.35;

/** Fits a sine of known frequency by least squares in windows of 200 ms and takes the rest for noise. */
export function analyzeTone(samples: Int16Array, sampleRateHz: number, toneHz: number): ToneReport {
  const windowSamples = (WINDOW_MS * sampleRateHz) / 1000;
  const fits: { at: number; amplitude: number; snrDb: number }[] = [];
  for (let at = 0; at + windowSamples <= samples.length; at += windowSamples / 2) {
    const fit = fitSine(samples.subarray(at, at + windowSamples), sampleRateHz, toneHz);
    fits.push({ at, amplitude: fit.amplitude, snrDb: fit.snrDb });
  }
  const loudest = Math.max(0, ...fits.map((fit) => fit.amplitude));
  const present = fits.filter((fit) => loudest > 0 && fit.amplitude > loudest / 2);
  // The first and last windows hold the tone's edges.
  const steady = present.length > 2 ? present.slice(1, -1) : present;
  if (steady.length === 0) {
    return { snrDb: -Infinity, worstSnrDb: -Infinity, amplitude: 0, startMs: 0, lengthMs: 0 };
  }
  const sorted = steady.map((fit) => fit.snrDb).sort((a, b) => a - b);
  const first = present[0]?.at ?? 0;
  const last = present.at(-1)?.at ?? 0;
  return {
    snrDb: sorted[Math.floor(sorted.length / 2)] ?? -Infinity,
    worstSnrDb: sorted[0] ?? -Infinity,
    amplitude: steady.reduce((sum, fit) => sum + fit.amplitude, 0) / steady.length,
    startMs: (first * 1000) / sampleRateHz,
    lengthMs: ((last - first + windowSamples) * 1000) / sampleRateHz,
  };
}

/**
 * Level of one frequency in dB relative to full scale, over the whole of `samples`, seen through a Hann window so that
 * louder tones elsewhere do not leak in.
 */
export function toneLevelDb(samples: Int16Array, sampleRateHz: number, toneHz: number): number {
  const step = (2 * Math.PI * toneHz) / sampleRateHz;
  let real = 0;
  let imaginary = 0;
  let weights = 0;
  for (let i = 0; i < samples.length; i++) {
    const weight = 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / (samples.length - 1));
    real += weight * (samples[i] as number) * Math.cos(step * i);
    imaginary += weight * (samples[i] as number) * Math.sin(step * i);
    weights += weight;
  }
  return 20 * Math.log10(Math.max(1e-9, (2 * Math.hypot(real, imaginary)) / weights / 32_767));
}

/** Where a steady tone falls silent or jumps in phase; its first and last 100 ms are not looked at. */
export function findToneBreaks(samples: Int16Array, sampleRateHz: number, toneHz: number): ToneBreak[] {
  const report = analyzeTone(samples, sampleRateHz, toneHz);
  const windowSamples = Math.round((BREAK_WINDOW_MS * sampleRateHz) / 1000);
  const end = ((report.startMs + report.lengthMs - EDGE_MS) * sampleRateHz) / 1000;
  const breaks: ToneBreak[] = [];
  let expected: number | null = null;
  let at = Math.round(((report.startMs + EDGE_MS) * sampleRateHz) / 1000);
  for (; at + windowSamples <= end; at += windowSamples) {
    const fit = fitSine(samples.subarray(at, at + windowSamples), sampleRateHz, toneHz);
    const atMs = (at * 1000) / sampleRateHz;
    if (fit.amplitude < report.amplitude / 2) {
      if (breaks.at(-1)?.kind !== 'gap' || expected !== null) breaks.push({ atMs, kind: 'gap' });
      expected = null;
      continue;
    }
    if (expected !== null && Math.abs(wrap(fit.phaseRad - expected)) > PHASE_JUMP_RAD) {
      breaks.push({ atMs, kind: 'phase' });
    }
    expected = fit.phaseRad + (2 * Math.PI * toneHz * windowSamples) / sampleRateHz;
  }
  return breaks;
}

/** The longest run of exact zeros, in milliseconds. */
export function longestSilenceMs(samples: Int16Array, sampleRateHz: number): number {
  let longest = 0;
  let run = 0;
  for (const sample of samples) {
    run = sample === 0 ? run + 1 : 0;
    if (run > longest) longest = run;
  }
  return (longest * 1000) / sampleRateHz;
}

/** Least squares for a·cos + b·sin + c by the normal equations of those three functions. */
export function fitSine(samples: Int16Array, sampleRateHz: number, toneHz: number) {
  const step = (2 * Math.PI * toneHz) / sampleRateHz;
  const n = samples.length;
  let [cc, cs, ss, c1, s1, yc, ys, y1, yy] = [0, 0, 0, 0, 0, 0, 0, 0, 0];
  for (let i = 0; i < n; i++) {
    const c = Math.cos(step * i);
    const s = Math.sin(step * i);
    const y = samples[i] as number;
    cc += c * c;
    cs += c * s;
    ss += s * s;
    c1 += c;
    s1 += s;
    yc += y * c;
    ys += y * s;
    y1 += y;
    yy += y * y;
  }
  const [a, b, offset] = solve3([cc, cs, c1, yc], [cs, ss, s1, ys], [c1, s1, n, y1]);
  const explained = a * yc + b * ys + offset * y1;
  const tonePower = (a * a + b * b) / 2;
  // One step of 16-bit rounding is the least noise there can be.
  const noisePower = Math.max((yy - explained) / n, 1 / 12);
  const snrDb = 10 * Math.log10(tonePower / noisePower);
  return { amplitude: Math.hypot(a, b), phaseRad: Math.atan2(a, b), snrDb };
}

type Row = [number, number, number, number];

/** Cramer's rule. */
function solve3(p: Row, q: Row, r: Row): [number, number, number] {
  const determinant = (i: 0 | 1 | 2 | 3, j: 0 | 1 | 2 | 3, k: 0 | 1 | 2 | 3) =>
    p[i] * (q[j] * r[k] - q[k] * r[j]) -
    p[j] * (q[i] * r[k] - q[k] * r[i]) +
    p[k] * (q[i] * r[j] - q[j] * r[i]);
  const whole = determinant(0, 1, 2);
  return [determinant(3, 1, 2) / whole, determinant(0, 3, 2) / whole, determinant(0, 1, 3) / whole];
}

function wrap(angleRad: number): number {
  return angleRad - 2 * Math.PI * Math.round(angleRad / (2 * Math.PI));
}
