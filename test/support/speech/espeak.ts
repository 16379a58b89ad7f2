import { execFileSync } from 'node:child_process';
import { resampled } from '../speech-signal.ts';

const ESPEAK_RATE_HZ = 22_050;
const HEADER_BYTES = 44;
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
/** Its own speech comes close to full scale; a voice on a line does not. */
const AMPLITUDE = '50';

const spoken = new Map<string, Int16Array>();

/** Speech by espeak-ng at a rate, by one of its voices, such as `de+f2`. It is not to be changed. */
export function espeak(text: string, rateHz: number, voice: string): Int16Array {
  const key = `${voice} ${rateHz} ${text}`;
  const signal = spoken.get(key) ?? resampled(atOwnRate(text, voice), ESPEAK_RATE_HZ, rateHz);
  spoken.set(key, signal);
  return signal;
}

function atOwnRate(text: string, voice: string): Int16Array {
  const options = ['-v', voice, '-a', AMPLITUDE, '--stdout', text];
  const wav = execFileSync('espeak-ng', options, { maxBuffer: MAX_OUTPUT_BYTES, stdio: 'pipe' });
  return new Int16Array(
    new Uint8Array(wav.subarray(HEADER_BYTES)).buffer.slice(0, (wav.length - HEADER_BYTES) & ~1),
  );
}
