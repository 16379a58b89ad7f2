/** Formants in Hz of the vowels in which it speaks. */
const VOWELS = [
  [700, 1_220, 2_600],
  [270, 2_290, 3_010],
  [530, 1_840, 2_480],
  [300, 870, 2_240],
  [570, 840, 2_410],
] as const;
const FORMANT_WIDTH_HZ = 90;
const HISS_HZ = 6_000;
const HISS_WIDTH_HZ = 3_000;
const PITCH_HZ = 118;
/** A syllable hisses first, then it is voiced; every eighth is a pause. */
const SYLLABLE_SECONDS = 0.25;
const HISS_SHARE = 0.25;
const PAUSE_EVERY = 8;
const LOUDEST = 9_000;

/** A stand-in for speech, the same every time: gliding pitch, formants, hisses up to the full band, pauses. */
export function voice(samples: number, sampleRateHz: number): Float64Array {
  const random = noise(1);
  const formants = VOWELS.map((vowel) =>
    vowel.map((hz) => resonator(hz, FORMANT_WIDTH_HZ * (1 + hz / 2_000), sampleRateHz)),
  );
  const hiss = resonator(HISS_HZ, HISS_WIDTH_HZ, sampleRateHz);
  let turn = 0;
  const output = Float64Array.from({ length: samples }, (_, i) => {
    const seconds = i / sampleRateHz;
    const syllable = Math.floor(seconds / SYLLABLE_SECONDS);
    const within = seconds / SYLLABLE_SECONDS - syllable;
    if (syllable % PAUSE_EVERY === PAUSE_EVERY - 1) return random() * 1e-3;
    if (within < HISS_SHARE) return 0.25 * swell(within / HISS_SHARE) * hiss(random());
    turn += (PITCH_HZ * (1 + 0.15 * Math.sin(2 * Math.PI * 0.7 * seconds))) / sampleRateHz;
    const pulse = turn >= 1 ? 1 : 0;
    turn -= pulse;
    const throat = formants[syllable % VOWELS.length]!;
    const open = pulse + 0.01 * random();
    const sum = throat.reduce((total, mouth, n) => total + mouth(open) / (n + 1), 0);
    return 3 * swell((within - HISS_SHARE) / (1 - HISS_SHARE)) * sum;
  });
  const most = output.reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 0);
  return output.map((sample) => (sample * LOUDEST) / most);
}

export function asSamples(signal: Float64Array): Int16Array {
  return Int16Array.from(signal, (sample) => Math.max(-32_768, Math.min(32_767, Math.round(sample))));
}

function swell(share: number): number {
  return Math.sin(Math.PI * share) ** 2;
}

/** Two poles. */
function resonator(hz: number, widthHz: number, sampleRateHz: number): (sample: number) => number {
  const radius = Math.exp((-Math.PI * widthHz) / sampleRateHz);
  const feedback = 2 * radius * Math.cos((2 * Math.PI * hz) / sampleRateHz);
  let [last, lastButOne] = [0, 0];
  return (sample) => {
    const next = (1 - radius) * sample + feedback * last - radius ** 2 * lastButOne;
    lastButOne = last;
    last = next;
    return next;
  };
}

/** Numbers from -1 to 1 that look random and are the same every time (a linear congruential generator). */
function noise(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 31 - 1;
  };
}
