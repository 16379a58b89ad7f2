import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { G722Decoder, G722Encoder } from '../../src/audio/g722.ts';
import { requirePeer } from '../support/require-peer.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import { framesOf, noise, speech } from '../support/speech-signal.ts';
import { tone } from '../support/tone.ts';

const RATE_HZ = 16_000;
const FRAME_BYTES = 160;
/** Samples by which both mirror filters delay. */
const DELAY = 22;
const MAX_OUTPUT_BYTES = 1 << 24;
/** Parts quieter than this, in the power of a sample, are left out of the segmental SNR. */
const QUIET_POWER = 30 ** 2;

function ffmpeg(from: readonly string[], to: readonly string[], input: Uint8Array | Int16Array): Uint8Array {
  const args = ['-v', 'error', '-f', ...from, '-i', 'pipe:0', '-f', ...to, 'pipe:1'];
  return new Uint8Array(execFileSync('ffmpeg', args, { input, maxBuffer: MAX_OUTPUT_BYTES }));
}

const PCM = ['s16le', '-ar', `${RATE_HZ}`, '-ac', '1'] as const;

const decodedByFfmpeg = (bytes: Uint8Array) => new Int16Array(ffmpeg(['g722'], PCM, bytes).buffer);
const encodedByFfmpeg = (samples: Int16Array) => ffmpeg(PCM, ['g722'], samples);

function decoded(bytes: Uint8Array): Int16Array {
  const decoder = new G722Decoder();
  const samples = new Int16Array(2 * bytes.length);
  for (let at = 0; at < bytes.length; at += FRAME_BYTES)
    decoder.decode({ bytes, payloadOffset: at, payloadLength: FRAME_BYTES }, samples, 2 * at);
  return samples;
}

function encoded(samples: Int16Array): Uint8Array {
  const encoder = new G722Encoder();
  const bytes = new Uint8Array(samples.length / 2);
  for (const [i, frame] of framesOf(samples, RATE_HZ).entries())
    encoder.encode(frame, frame.length, bytes, i * FRAME_BYTES);
  return bytes;
}

/** Of all of it, and the mean of the SNRs of its parts of 20 ms. */
function snrsDb(heard: Int16Array, said: Int16Array): { readonly whole: number; readonly segmental: number } {
  const parts = framesOf(said.subarray(0, said.length - DELAY), RATE_HZ).map((part, i) => {
    const from = i * part.length + DELAY;
    const signal = part.reduce((sum, sample) => sum + sample ** 2, 0);
    const fault = part.reduce((sum, sample, at) => sum + (sample - heard[from + at]!) ** 2, 1e-9);
    return { signal, fault, length: part.length };
  });
  const sum = (of: 'signal' | 'fault') => parts.reduce((total, part) => total + part[of], 0);
  const loud = parts.filter(({ signal, length }) => signal > QUIET_POWER * length);
  const db = (ratio: number) => 10 * Math.log10(ratio);
  return {
    whole: db(sum('signal') / sum('fault')),
    segmental: loud.reduce((total, { signal, fault }) => total + db(signal / fault), 0) / loud.length,
  };
}

/** Whole frames. */
function whole(samples: Int16Array): Int16Array {
  return samples.subarray(0, samples.length - (samples.length % (2 * FRAME_BYTES)));
}

describe.skipIf(requirePeer('ffmpeg'))('G.722 beside ffmpeg', () => {
  const said = () => whole(speech('The first train to the coast leaves at twenty past seven.', RATE_HZ));

  it('decodes any bytes to the same samples', () => {
    const random = new SeededRandom(722);
    const bytes = Uint8Array.from({ length: 1_000 * FRAME_BYTES }, () => random.below(256));
    expect(decoded(bytes)).toEqual(decodedByFfmpeg(bytes));
  });

  it('decodes what ffmpeg encodes to the same samples, and the reverse', () => {
    const theirs = encodedByFfmpeg(said());
    expect(decoded(theirs)).toEqual(decodedByFfmpeg(theirs));
    const ours = encoded(said());
    expect(decoded(ours)).toEqual(decodedByFfmpeg(ours));
  });

  it.each([
    ['speech', said],
    ['a tone of 300 Hz', () => tone(300, RATE_HZ, RATE_HZ)],
    ['a tone of 3,000 Hz', () => tone(3_000, RATE_HZ, RATE_HZ)],
    ['a tone of 5,000 Hz', () => tone(5_000, RATE_HZ, RATE_HZ)],
    ['a loud tone of 1,000 Hz', () => tone(1_000, RATE_HZ, RATE_HZ, { amplitude: 32_000 })],
    ['a faint tone of 1,000 Hz', () => tone(1_000, RATE_HZ, RATE_HZ, { amplitude: 100 })],
    ['noise', () => noise(1_000, RATE_HZ, -20)],
  ])('encodes %s as well', (_what, signal) => {
    const samples = signal();
    const ours = snrsDb(decoded(encoded(samples)), samples);
    const theirs = snrsDb(decoded(encodedByFfmpeg(samples)), samples);
    expect(ours.whole).toBeGreaterThan(theirs.whole - 0.5);
    expect(ours.segmental).toBeGreaterThan(theirs.segmental - 0.5);
  });
});
