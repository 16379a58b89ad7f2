import type { FliteVoice } from '../../../src/speech/local/flite-voices.ts';
import { SeededRandom } from '../seeded-random.ts';
import { joined, mixed, noise, resampled, silence, speech } from '../speech-signal.ts';

/** What is said in a case: speech in a quiet room, music, or speech in the noise of a street. */
export const SOUNDS = ['speech', 'music', 'noisy speech'] as const;
export type SoundName = (typeof SOUNDS)[number];

const SECOND_MS = 1_000;
const SPOKEN_RATE_HZ = 16_000;
const QUIET_ROOM_DBFS = -65;
const STREET_DBFS = -30;
const LOUDEST = 20_000;
/** Sentences with many plosives and hisses; a short one at the end so that the speech has lively pauses. */
const SAID: readonly (readonly [FliteVoice, string])[] = [
  ['slt', 'Good morning. The first train to the coast leaves at twenty past seven, from platform nine.'],
  ['awb', 'Could you spell that for me, please? I have it as Kowalski, with a double u in the middle.'],
  ['rms', 'She put the basket of fresh peaches beside the kitchen window, and shut the heavy door.'],
  ['slt', 'Your parcel was sent on Tuesday. It should be with you before the weekend.'],
  ['awb', 'No.'],
  ['rms', 'We charge six pounds fifty for each box, and we take back whatever you do not use.'],
  ['slt', 'Thanks, that is all I wanted to know. I will call you again next Thursday.'],
];
const PAUSES_MS = [400, 700, 250, 1_200, 500, 900, 300];
/** The scale of the music, in Hz. */
const SCALE = [174.6, 196, 220, 246.9, 261.6, 293.7, 329.6, 349.2, 392, 440, 493.9];
const VOICES = 3;
const NOTE_SECONDS = 0.4;
/** A singer's vibrato: its rate differs by voice, so that no two moments are alike. */
const VIBRATO_HZ = 4.6;
const VIBRATO_DEPTH = 0.02;

const made = new Map<string, Int16Array>();

/** A sound of `seconds` at a rate, the same at every call. Beyond 30 s it repeats itself. */
export function sound(name: SoundName, rateHz: number, seconds: number): Int16Array {
  const key = `${name} ${rateHz} ${seconds}`;
  const known = made.get(key);
  if (known !== undefined) return known;
  const signal = name === 'music' ? music(rateHz, seconds) : speechIn(name, rateHz, seconds);
  made.set(key, signal);
  return signal;
}

function speechIn(name: SoundName, rateHz: number, seconds: number): Int16Array {
  const levelDbfs = name === 'speech' ? QUIET_ROOM_DBFS : STREET_DBFS;
  const background = noise(seconds * SECOND_MS, rateHz, levelDbfs, 7);
  return mixed(repeated(spoken(rateHz), seconds * rateHz), background);
}

function spoken(rateHz: number): Int16Array {
  const key = `spoken ${rateHz}`;
  const known = made.get(key);
  if (known !== undefined) return known;
  const signal = resampled(conversation(), SPOKEN_RATE_HZ, rateHz);
  made.set(key, signal);
  return signal;
}

/** About 30 s; every voice is as loud as the others. */
function conversation(): Int16Array {
  const parts = SAID.flatMap(([voice, text], i) => [
    silence(PAUSES_MS[i]!, SPOKEN_RATE_HZ),
    withPeak(speech(text, SPOKEN_RATE_HZ, voice)),
  ]);
  return joined(...parts);
}

function withPeak(signal: Int16Array): Int16Array {
  const peak = signal.reduce((most, sample) => Math.max(most, Math.abs(sample)), 1);
  return signal.map((sample) => Math.round((sample * LOUDEST) / peak));
}

function repeated(signal: Int16Array, length: number): Int16Array {
  return Int16Array.from({ length }, (_, i) => signal[i % signal.length]!);
}

/** Chords of three voices with overtones and a vibrato each, struck anew every 400 ms. */
function music(rateHz: number, seconds: number): Int16Array {
  const random = new SeededRandom(11);
  const chords = Array.from({ length: Math.ceil(seconds / NOTE_SECONDS) }, () =>
    Array.from({ length: VOICES }, () => random.pick(SCALE)),
  );
  return Int16Array.from({ length: seconds * rateHz }, (_, i) => {
    const time = i / rateHz;
    const chord = chords[Math.floor(time / NOTE_SECONDS)]!;
    const decay = Math.exp(-2 * ((time % NOTE_SECONDS) / NOTE_SECONDS));
    return Math.round(5_000 * decay * chord.reduce((sum, hz, voice) => sum + note(hz, voice, time), 0));
  });
}

function note(hz: number, voice: number, time: number): number {
  const vibratoHz = VIBRATO_HZ + 0.7 * voice;
  const wobble = (VIBRATO_DEPTH * hz * Math.sin(2 * Math.PI * vibratoHz * time)) / vibratoHz;
  const phase = 2 * Math.PI * hz * time + wobble;
  return Math.sin(phase) + 0.5 * Math.sin(2 * phase) + 0.25 * Math.sin(3 * phase);
}
