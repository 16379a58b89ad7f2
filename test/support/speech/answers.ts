import { execFileSync } from 'node:child_process';
import type { AnsweredBy } from '../../../src/calls/answer-words.ts';
import { joined, noise, silence, speech } from '../speech-signal.ts';
import { tone } from '../tone.ts';
import { colouredNoise } from '../voice-noise.ts';
import { type AnswerText, answerTexts, freshTexts } from './answer-texts.ts';

const RATE_HZ = 8_000;
const PER_MS = RATE_HZ / 1_000;
const FLITE = ['slt', 'rms', 'awb', 'kal16'] as const;
/** Of espeak-ng, with words per minute. */
const ESPEAK = ['+m3', '+f2', '+m7', '+f4', '', '+f5'] as const;
const RATES = [150, 175, 200, 130, 220];
const BEEPS_HZ = [440, 1_000, 800, 1_400, 500, 2_000];
const BEEPS_MS = [200, 500, 800, 150, 1_000];
/** Of each kind. */
const COUNTS = { human: 100, machine: 54, screening: 12, ivr: 20, fax: 8, unknown: 6 } as const;
const MAX_BYTES = 16 * 1024 * 1024;

/** What is heard of somebody who answers, and the words of it with the times at which they are over, in ms from the answer. */
export interface Answer {
  readonly who: AnsweredBy;
  readonly text: string;
  readonly samples: Int16Array;
  readonly words: readonly { readonly text: string; readonly endMs: number }[];
  readonly beepAtMs: number | null;
}

/** 200 answers: 100 of people, and 100 of machines of all kinds or nobody. Those `held` out and the others share no text. */
export function answers(held: boolean): Answer[] {
  const texts = answerTexts(held);
  return Object.entries(COUNTS).flatMap(([who, count]) => {
    const own = texts.filter((text) => text.who === who);
    return Array.from({ length: count }, (_, i) => {
      if (who === 'fax') return fax(i, held);
      if (who === 'unknown') return nobody(i, held);
      return spoken(own[i % own.length]!, i + (held ? 1_000 : 0), Math.floor(i / own.length));
    });
  });
}

/** An answer for each of the fresh texts. */
export function freshAnswers(): Answer[] {
  return freshTexts().map((text, i) => spoken(text, 2_000 + i, 0));
}

function spoken({ who, language, text }: AnswerText, seed: number, round: number): Answer {
  const voice = synthesized(text, language, seed + round);
  const leadMs = who === 'human' ? 120 + ((seed * 137) % 600) : 250 + ((seed * 137) % 650);
  const [from, to] = spanOf(voice);
  const hasBeep = who === 'machine' && seed % 4 !== 3;
  const beepAtMs = hasBeep ? Math.round(leadMs + voice.length / PER_MS + 300 + ((seed * 91) % 900)) : null;
  const before = joined(silence(leadMs, RATE_HZ), voice);
  const samples = joined(before, ...beep(before, beepAtMs, seed), silence(4_000, RATE_HZ));
  const perMs = (to - from) / PER_MS / text.length;
  let said = 0;
  const words = text.split(' ').map((word) => {
    said += word.length + 1;
    return { text: word, endMs: leadMs + from / PER_MS + said * perMs };
  });
  return { who, text, samples: onLine(samples, seed), words, beepAtMs };
}

function beep(before: Int16Array, atMs: number | null, seed: number): Int16Array[] {
  if (atMs === null) return [];
  const length = RATE_HZ * (BEEPS_MS[seed % BEEPS_MS.length]! / 1_000);
  return [
    silence(atMs - before.length / PER_MS, RATE_HZ),
    tone(BEEPS_HZ[seed % BEEPS_HZ.length]!, RATE_HZ, length, { amplitude: 9_000 }),
  ];
}

/** Half of what is said in English by Flite, everything else by espeak-ng. */
function synthesized(text: string, language: string, seed: number): Int16Array {
  if (language === 'en' && seed % 2 === 0) return speech(text, RATE_HZ, FLITE[(seed / 2) % FLITE.length]!);
  const voice = `${language}${ESPEAK[seed % ESPEAK.length]}`;
  const rate = String(RATES[seed % RATES.length]);
  const wav = execFileSync('espeak-ng', ['-v', voice, '-s', rate, '--stdout', text], {
    maxBuffer: MAX_BYTES,
  });
  const raw = ['-t', 'raw', '-e', 'signed', '-b', '16', '-c', '1', '-r', String(RATE_HZ), '-'];
  const input = { input: wav, maxBuffer: MAX_BYTES, stdio: 'pipe' } as const;
  const bytes = execFileSync('sox', ['-D', '-t', 'wav', '--ignore-length', '-', ...raw, 'gain', '-3'], input);
  return new Int16Array(new Uint8Array(bytes).buffer);
}

/** Modems that answer wait for up to 2 s before their tone; those that call repeat theirs. */
function fax(i: number, held: boolean): Answer {
  const shift = held ? 70 : 0;
  const answering = [
    silence(200 + i * 180 + shift, RATE_HZ),
    tone(2_100, RATE_HZ, RATE_HZ * 3, { amplitude: 6_000 }),
  ];
  const calling = [
    silence(300 + i * 100 + shift, RATE_HZ),
    tone(1_100, RATE_HZ, RATE_HZ / 2, { amplitude: 6_000 }),
    silence(3_000, RATE_HZ),
  ];
  const samples = joined(...(i % 3 === 2 ? calling : answering), silence(3_000, RATE_HZ));
  return { who: 'fax', text: '', samples: onLine(samples, i), words: [], beepAtMs: null };
}

/** Silence, noise, and a tone that means nothing: a short beep, a ringing tone of 425 Hz. */
function nobody(i: number, held: boolean): Answer {
  const rest = silence(5_000, RATE_HZ);
  const tones = [tone(held ? 1_000 : 900, RATE_HZ, RATE_HZ * 0.3), tone(425, RATE_HZ, RATE_HZ)];
  const samples =
    i % 3 === 0
      ? rest
      : i % 3 === 1
        ? noise(5_000, RATE_HZ, -60 + i, i + 1)
        : joined(silence(400, RATE_HZ), tones[i % 2]!, rest);
  return { who: 'unknown', text: '', samples, words: [], beepAtMs: null };
}

/** Every third line hisses, and on every fifth there is a street. */
function onLine(samples: Int16Array, i: number): Int16Array {
  const ms = samples.length / PER_MS;
  if (i % 5 === 4)
    return added(samples, colouredNoise('pink', Math.ceil(ms), RATE_HZ, { dbfs: -38, seed: i + 1 }));
  return i % 3 === 1 ? added(samples, noise(ms, RATE_HZ, -58, i + 1)) : samples;
}

function added(samples: Int16Array, more: Int16Array): Int16Array {
  return samples.map((sample, at) => Math.max(-32_768, Math.min(32_767, sample + (more[at] ?? 0))));
}

/** From the first sample that sounds to the last one. */
function spanOf(voice: Int16Array): [number, number] {
  return [
    voice.findIndex((sample) => Math.abs(sample) > 300),
    voice.findLastIndex((sample) => Math.abs(sample) > 300),
  ];
}
