/** The same figures as kernels.c, of the engine's own code. */
import {
  decodeAlaw,
  decodeUlaw,
  encodeAlaw,
  encodeUlaw,
  type G711Decode,
  type G711Encode,
} from '../../src/audio/g711.ts';
import { frameSamples } from '../../src/base/frame.ts';
import { Mixer, type Party } from '../../src/engine/mixer.ts';

const FRAME = 160;
const CALLS = 64;
const FRAME_ROUNDS = 4_000;
/** For the compiler, which works beside us on the same core. */
const WARM_UP_MS = 200;

/** Loud and quiet callers with the distribution of speech, so that table entries are used unevenly. */
function voices(count: number, samples: number): Int16Array[] {
  let seed = 1;
  return Array.from({ length: count }, (_, party) =>
    Int16Array.from({ length: samples }, () => {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) | 0;
      return seed >> (17 + (party % 6));
    }),
  );
}

/** Milliseconds that `work` takes, when it is warm. */
function timed(rounds: number, work: () => void): number {
  const warmMs = performance.now() + WARM_UP_MS;
  while (performance.now() < warmMs) work();
  const startMs = performance.now();
  for (let i = 0; i < rounds; i++) work();
  return (performance.now() - startMs) / rounds;
}

const linear = voices(CALLS, FRAME);
const bytes = linear.map(() => new Uint8Array(FRAME));
const decoded = linear.map(() => new Int16Array(FRAME));

function encodeNs(encode: G711Encode): number {
  const encodeAll = () => {
    for (let call = 0; call < CALLS; call++) encode(linear[call]!, FRAME, bytes[call]!, 0);
  };
  return (timed(FRAME_ROUNDS, encodeAll) * 1e6) / CALLS;
}

function decodeNs(decode: G711Decode): number {
  const decodeAll = () => {
    for (let call = 0; call < CALLS; call++) decode(bytes[call]!, 0, FRAME, decoded[call]!);
  };
  return (timed(FRAME_ROUNDS, decodeAll) * 1e6) / CALLS;
}

/** Always says the same and keeps what it hears. */
class Speaker implements Party {
  readonly #voice: Int16Array;
  readonly #heard: Int16Array;

  constructor(voice: Int16Array) {
    this.#voice = voice;
    this.#heard = new Int16Array(voice.length);
  }

  pull(frame: Int16Array): boolean {
    frame.set(this.#voice);
    return true;
  }

  push(frame: Int16Array): void {
    this.#heard.set(frame);
  }
}

function mixUs(parties: number, sampleRateHz: number): number {
  const samples = frameSamples(sampleRateHz);
  const mixer = new Mixer(samples);
  const room = voices(parties, samples).map((voice) => new Speaker(voice));
  return timed(Math.floor(4_000_000 / (parties * samples)), () => mixer.mix(room)) * 1_000;
}

const figures = {
  'ns, µ-law encode': encodeNs(encodeUlaw),
  'ns, µ-law decode': decodeNs(decodeUlaw),
  'ns, A-law encode': encodeNs(encodeAlaw),
  'ns, A-law decode': decodeNs(decodeAlaw),
  'µs, mix of 3 at 8 kHz': mixUs(3, 8_000),
  'µs, mix of 10 at 8 kHz': mixUs(10, 8_000),
  'µs, mix of 50 at 8 kHz': mixUs(50, 8_000),
  'µs, mix of 200 at 8 kHz': mixUs(200, 8_000),
  'µs, mix of 3 at 48 kHz': mixUs(3, 48_000),
  'µs, mix of 50 at 48 kHz': mixUs(50, 48_000),
};
console.log(JSON.stringify(figures));
