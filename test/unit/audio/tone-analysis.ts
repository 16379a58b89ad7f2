/** Least-squares fit of one sine: power of the tone over the power of all that remains, in dB. */
export function toneSnrDb(samples: Int16Array, frequencyHz: number, sampleRateHz: number): number {
  const { tone, rest } = tonePowers(samples, frequencyHz, sampleRateHz);
  return 10 * Math.log10(tone / Math.max(rest, 1e-9));
}

/** Amplitude of the fitted sine, as a share of full scale. */
export function toneAmplitude(samples: Int16Array, frequencyHz: number, sampleRateHz: number): number {
  return Math.sqrt(2 * tonePowers(samples, frequencyHz, sampleRateHz).tone) / 32_767;
}

function tonePowers(samples: Int16Array, frequencyHz: number, sampleRateHz: number) {
  const w = (2 * Math.PI * frequencyHz) / sampleRateHz;
  let cc = 0;
  let ss = 0;
  let cs = 0;
  let xc = 0;
  let xs = 0;
  samples.forEach((x, i) => {
    const c = Math.cos(w * i);
    const s = Math.sin(w * i);
    cc += c * c;
    ss += s * s;
    cs += c * s;
    xc += x * c;
    xs += x * s;
  });
  const det = cc * ss - cs * cs;
  const a = (xc * ss - xs * cs) / det;
  const b = (xs * cc - xc * cs) / det;
  let tone = 0;
  let rest = 0;
  samples.forEach((x, i) => {
    const fit = a * Math.cos(w * i) + b * Math.sin(w * i);
    tone += fit * fit;
    rest += (x - fit) ** 2;
  });
  return { tone: tone / samples.length, rest: rest / samples.length };
}
