import { expect, it } from 'vitest';
import { likelySpeakers } from '../../../src/calls/answer-model.ts';
import { spokenBy } from '../../../src/calls/answer-words.ts';
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
  ['Sorry, kids are', 'human'],
  ['The person you have called', 'machine'],
  ['Please enter your account', 'ivr'],
  ['Before I connect you, please', 'screening'],
  ['Guten Tag, Sie haben die', 'machine'],
  ['Pour le service commercial', 'ivr'],
] as const)('whoever begins with “%s” is likely %s', (text, who) => {
  expect(likelySpeakers(text, false)[who]).toBeGreaterThan(0.8);
});

it('who says a name and waits is likelier to be a person than who goes on', () => {
  const [waits, goesOn] = [true, false].map(
    (isPaused) => likelySpeakers('Hi, this is Laura', isPaused).human,
  );
  expect(waits).toBeGreaterThan(goesOn!);
});

it('nothing makes the model slow, or fail', () => {
  for (const text of [
    '',
    '…',
    'a '.repeat(100_000),
    '😀'.repeat(50_000),
    '$ ^ * # _ :',
    'hello'.repeat(50_000),
  ]) {
    const likely = Object.values(likelySpeakers(text, true));
    expect(likely.reduce((one, other) => one + other)).toBeCloseTo(1);
  }
});

/** Speech for as long as the words take, and then silence. */
function heard(text: string, pauseMs = 4_000) {
  const said = words(text, 200);
  const samples = joined(LONG.subarray(0, (RATE_HZ * said.at(-1)!.endMs) / 1_000), silence(pauseMs, RATE_HZ));
  return { samples, words: said };
}

// Reports of others whose detection went wrong.
it.each([
  // bolna 992: hung up on.
  ['He is not available at the moment, please call later', 'human'],
  ['The GM is not available at the moment', 'human'],
  ["Hi, I'm not available right now", 'human'],
  // livekit/agents 5477: a pause in the middle of it.
  ['Your call has been forwarded to voicemail', 'machine'],
  ['You have reached a voicemail box', 'machine'],
  // livekit/agents-js 1374: taken for voicemail.
  ["If you record your name and reason for calling, I'll see if this person is available", 'screening'],
  ['Please state your name and the reason for calling', 'screening'],
  ['This call may be screened', 'screening'],
])('“%s”, and a pause', (text, who) => {
  const { verdicts } = judge(heard(text));
  expect(verdicts.at(-1)!.who).toBe(who);
  if (who === 'human') expect(verdicts.map((each) => each.who)).not.toContain('machine');
});

it('a machine that waits after its name is told once it goes on', () => {
  const name = heard('Hello, this is Joe', 1_000);
  const rest = heard("You've reached my voicemail");
  const fromMs = (1_000 * name.samples.length) / RATE_HZ;
  const later = rest.words.map(({ text, endMs }) => ({ text, endMs: endMs + fromMs }));
  const { verdicts } = judge({
    samples: joined(name.samples, rest.samples),
    words: [...name.words, ...later],
  });
  expect(verdicts.map(({ who }) => who)).toEqual(['human', 'machine']);
  expect(verdicts.at(-1)!.confidence).toBeGreaterThan(0.9);
});
