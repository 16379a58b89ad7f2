import { expect, it } from 'vitest';
import { guessedFrom, spokenBy } from '../../../src/calls/answer-words.ts';
import { joined, silence, speech } from '../../support/speech-signal.ts';
import { tone } from '../../support/tone.ts';
import { judge, RATE_HZ } from './judged-answer.ts';

const LONG = speech(
  'I am on the other side of the house, so tell me who you are, and what it is about, and when it is best to call.',
  RATE_HZ,
);
const BEEP = tone(1_000, RATE_HZ, RATE_HZ / 2, { amplitude: 9_000 });
const QUIET = silence(4_000, RATE_HZ);

/** The words of a text, one every 250 ms. */
const words = (text: string, fromMs: number) =>
  text.split(' ').map((word, i) => ({ text: word, endMs: fromMs + 250 * (i + 1) }));

it('tells who has answered, and is surer when it knows more', () => {
  const hello = joined(silence(200, RATE_HZ), speech('Hello?', RATE_HZ), QUIET);
  expect(judge({ samples: hello, words: null }).verdicts).toMatchObject([{ who: 'human', confidence: 0.9 }]);
  const machine = judge({ samples: joined(LONG, silence(500, RATE_HZ), BEEP, QUIET), words: null });
  expect(machine.verdicts.map(({ who }) => who)).toEqual(['machine', 'machine']);
  expect(machine.verdicts.map(({ confidence }) => confidence)).toEqual([0.85, 0.95]);
  expect(machine.beepAtMs).not.toBeNull();
  expect(judge({ samples: QUIET, words: null }).verdicts).toMatchObject([{ who: 'unknown' }]);
});

it('what beeps on the line of a person who goes on is no machine', () => {
  const asks = speech('Hello, this is Peter from Miller and Sons, who is it?', RATE_HZ);
  const samples = joined(asks, silence(1_400, RATE_HZ), BEEP, silence(800, RATE_HZ), asks, QUIET);
  for (const known of [null, words('Hello this is Peter from Miller and Sons who is it', 0)])
    expect(judge({ samples, words: known }).verdicts.map(({ who }) => who)).not.toContain('machine');
});

it('what a person says in the middle of a call is no greeting', () => {
  const samples = joined(speech('Hello?', RATE_HZ), silence(20_000, RATE_HZ));
  const later = words('please leave a message after the tone', 15_000);
  expect(judge({ samples, words: later }).verdicts.map(({ who }) => who)).toEqual(['human']);
});

it.each([
  ['She is not available right now, may I take a message?', 'human'],
  ['He cannot come to the phone, can I help you?', 'human'],
  ['Would you like to leave a message after the tone?', null],
  ['I was about to leave you a message', null],
  ['Who is calling, please?', 'human'],
  ['Please state your name and the reason for your call.', 'screening'],
  ['Guten Tag, hinterlassen Sie eine Nachricht nach dem Ton.', 'machine'],
  ['Laissez votre message après le bip.', 'machine'],
  ['Deje su mensaje después del tono.', 'machine'],
  ['Für den Verkauf drücken Sie die Eins.', 'ivr'],
  ['In an emergency, hang up and dial nine one one.', null],
])('“%s” is said by %s', (text, who) => {
  expect(spokenBy(text)?.who ?? null).toBe(who);
});

it.each([
  ['', null],
  ['Hello, this is', null],
  ['Thank you for calling', null],
  ['The person you are', 'machine'],
  ['Hi, welcome to', 'ivr'],
  ['Sorry, kids are', 'human'],
])('“%s” is guessed to be said by %s', (text, who) => {
  expect(guessedFrom(text)).toBe(who);
});
