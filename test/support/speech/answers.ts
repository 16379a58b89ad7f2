import type { AnsweredBy } from '../../../src/calls/answer-words.ts';
import { joined, noise, silence, speech } from '../speech-signal.ts';
import { tone } from '../tone.ts';

const RATE_HZ = 8_000;
const VOICES = ['slt', 'rms', 'awb', 'kal16'] as const;

/** What is heard of somebody who answers, and the words of it with the times at which they are over, in ms. */
export interface Answer {
  readonly who: AnsweredBy;
  readonly samples: Int16Array;
  readonly words: readonly { readonly text: string; readonly endMs: number }[];
  /** When the last sound of a greeting ends, before its beep. */
  readonly greetingEndMs: number;
  readonly beepAtMs: number | null;
}

const HUMANS = [
  'Hello?',
  'Yes?',
  'Hi.',
  'Good morning.',
  'Smith.',
  'Hello, this is Anna.',
  'Peter Miller speaking.',
  'Hello, who is this?',
  'Good afternoon, how can I help you?',
  'Yes, hello, this is the Miller family.',
  'Dentist office, Julia speaking, what can I do for you?',
  'Hello, hold on a second please.',
  'Good morning, Miller and Sons, Peter speaking, how can I help you?',
];
/** Who answers for another asks. */
const SECRETARIES = [
  'She is not available right now, may I take a message?',
  'He is away from his desk, would you like to leave a message?',
];
const MACHINES = [
  'You have reached the voicemail of Peter Miller. Please leave a message after the tone.',
  'Hi, this is Anna. I cannot come to the phone right now. Please leave a message after the beep.',
  'Hello. We are not available at the moment. Leave your name and number after the tone.',
  'The person you are calling is not available. At the tone, please record your message.',
  'Hey, sorry I missed your call. Leave me a message and I will get back to you.',
];
const SCREENINGS = [
  'Hi, the person you are calling is using a screening service. Please say your name.',
  'Please state your name and why you are calling, and I will see if this person is available.',
  'If you record your name and reason for calling, I will see if this person is available.',
];
const MENUS = [
  'Thank you for calling. For sales, press one. For support, press two.',
  'Welcome to the bank. Please listen carefully, as our menu options have changed.',
  'Your call is important to us. Calls may be recorded. Press one to continue.',
];
const BEEPS_HZ = [440, 1_000, 800, 1_400];

/** 200 answers: 100 of people, and 100 of machines of all kinds or nobody. */
export function answers(): Answer[] {
  const all: Answer[] = [];
  for (let i = 0; i < 92; i++) all.push(spoken('human', HUMANS[i % HUMANS.length]!, i));
  for (let i = 0; i < 8; i++) all.push(spoken('human', SECRETARIES[i % 2]!, i));
  for (let i = 0; i < 40; i++) all.push(spoken('machine', MACHINES[i % MACHINES.length]!, i, i % 4 !== 3));
  for (let i = 0; i < 18; i++) all.push(spoken('screening', SCREENINGS[i % SCREENINGS.length]!, i));
  for (let i = 0; i < 18; i++) all.push(spoken('ivr', MENUS[i % MENUS.length]!, i));
  for (let i = 0; i < 12; i++) all.push(fax(i));
  for (let i = 0; i < 12; i++) all.push(nobody(i));
  return all;
}

function spoken(who: AnsweredBy, text: string, i: number, beeps = false): Answer {
  const voice = speech(text, RATE_HZ, VOICES[(i + Math.floor(i / 13)) % VOICES.length]!);
  const leadMs = 100 + ((i * 137) % 500);
  const pauseMs = 300 + ((i * 91) % 900);
  const [from, to] = spanOf(voice);
  const endMs = leadMs + to / 8;
  const beepAtMs = beeps ? Math.round(leadMs + voice.length / 8 + pauseMs) : null;
  const beep = beeps
    ? [
        silence(pauseMs, RATE_HZ),
        tone(BEEPS_HZ[i % 4]!, RATE_HZ, RATE_HZ * (0.2 + (i % 3) * 0.3), { amplitude: 9_000 }),
      ]
    : [];
  const samples = joined(silence(leadMs, RATE_HZ), voice, ...beep, silence(4_000, RATE_HZ));
  const words = text.split(' ');
  const perMs = (to - from) / 8 / text.length;
  let said = 0;
  const timed = words.map((word) => {
    said += word.length + 1;
    return { text: word, endMs: leadMs + from / 8 + said * perMs };
  });
  return { who, samples: onLine(samples, i), words: timed, greetingEndMs: endMs, beepAtMs };
}

function fax(i: number): Answer {
  const samples = joined(
    silence(300 + i * 60, RATE_HZ),
    i % 3 === 2
      ? tone(1_100, RATE_HZ, RATE_HZ / 2, { amplitude: 6_000 })
      : tone(2_100, RATE_HZ, RATE_HZ * 3, { amplitude: 6_000 }),
    silence(4_000, RATE_HZ),
  );
  return { who: 'fax', samples: onLine(samples, i), words: [], greetingEndMs: 0, beepAtMs: null };
}

function nobody(i: number): Answer {
  const samples = i % 2 === 0 ? silence(5_000, RATE_HZ) : noise(5_000, RATE_HZ, -60 - i, i + 1);
  return { who: 'unknown', samples, words: [], greetingEndMs: 0, beepAtMs: null };
}

/** Every third line has some noise. */
function onLine(samples: Int16Array, i: number): Int16Array {
  if (i % 3 !== 1) return samples;
  const hiss = noise(samples.length / 8, RATE_HZ, -58, i + 1);
  return samples.map((sample, at) => sample + (hiss[at] ?? 0));
}

/** From the first sample that sounds to the last one. */
function spanOf(voice: Int16Array): [number, number] {
  return [
    voice.findIndex((sample) => Math.abs(sample) > 300),
    voice.findLastIndex((sample) => Math.abs(sample) > 300),
  ];
}
