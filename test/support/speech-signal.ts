import { execFileSync } from 'node:child_process';
import { Resampler } from '../../src/audio/resampler.ts';
import { FLITE_RATE_HZ, speak } from '../../src/speech/local/flite.ts';
import type { FliteVoice } from '../../src/speech/local/flite-voices.ts';
import { SeededRandom } from './seeded-random.ts';

const FULL_SCALE = 0x8000;
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

const spoken = new Map<string, Int16Array>();

/** Speech by Flite at a rate. The same for all who ask: it is not to be changed. */
export function speech(text: string, rateHz: number, voice: FliteVoice = 'slt'): Int16Array {
  const key = `${voice} ${rateHz} ${text}`;
  const signal = spoken.get(key) ?? resampled(speak({ text, voice }), FLITE_RATE_HZ, rateHz);
  spoken.set(key, signal);
  return signal;
}

export function silence(ms: number, rateHz: number): Int16Array {
  return new Int16Array((ms * rateHz) / 1000);
}

/** White noise with a root mean square in dB relative to full scale. */
export function noise(ms: number, rateHz: number, dbfs: number, seed = 1): Int16Array {
  const random = new SeededRandom(seed);
  const peak = FULL_SCALE * 10 ** (dbfs / 20) * Math.sqrt(3);
  return silence(ms, rateHz).map(() => Math.round((2 * random.next() - 1) * peak));
}

export function joined(...parts: readonly Int16Array[]): Int16Array {
  const whole = new Int16Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** The first signal with the second one added to it, which may be shorter. */
export function mixed(signal: Int16Array, added: Int16Array): Int16Array {
  return signal.map((sample, i) => Math.max(-FULL_SCALE, Math.min(FULL_SCALE - 1, sample + (added[i] ?? 0))));
}

export function amplified(signal: Int16Array, db: number): Int16Array {
  return signal.map((sample) => Math.round(sample * 10 ** (db / 20)));
}

export function resampled(signal: Int16Array, fromHz: number, toHz: number): Int16Array {
  if (fromHz === toHz) return signal;
  const frame = fromHz / 50;
  const resampler = new Resampler(fromHz, toHz, frame);
  const frames = framesOf(signal, fromHz).map((part) => resampler.process(part, frame).slice());
  return joined(...frames);
}

/** Frames of 20 ms; what is left at the end is dropped. */
export function framesOf(signal: Int16Array, rateHz: number): Int16Array[] {
  const length = rateHz / 50;
  return Array.from({ length: Math.floor(signal.length / length) }, (_, i) =>
    signal.subarray(i * length, (i + 1) * length),
  );
}

/** A signal at 16 kHz as it sounds after a G.711 call, by sox. */
export function throughG711(signal: Int16Array): Int16Array {
  const linear = ['-t', 'raw', '-e', 'signed', '-b', '16', '-c', '1', '-r', '16000', '-'];
  const ulaw = ['-t', 'raw', '-e', 'mu-law', '-b', '8', '-c', '1', '-r', '8000', '-'];
  const input = Buffer.from(signal.buffer, signal.byteOffset, signal.byteLength);
  const options = { stdio: 'pipe', maxBuffer: MAX_OUTPUT_BYTES } as const;
  // Without dither, which is random.
  const line = execFileSync('sox', ['-D', ...linear, ...ulaw], { ...options, input });
  const output = execFileSync('sox', ['-D', ...ulaw, ...linear], { ...options, input: line });
  return new Int16Array(new Uint8Array(output).buffer);
}
