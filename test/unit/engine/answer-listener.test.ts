import { expect, it } from 'vitest';
import { AnswerListener } from '../../../src/engine/answer-listener.ts';
import type { HeardFact } from '../../../src/threads/protocol.ts';
import { melody } from '../../support/melody.ts';
import { framesOf, joined, mixed, noise, silence, speech } from '../../support/speech-signal.ts';
import { tone } from '../../support/tone.ts';

const RATE_HZ = 8_000;
function heard(samples: Int16Array): HeardFact[] {
  const facts: HeardFact[] = [];
  const listener = new AnswerListener(RATE_HZ, (fact) => facts.push(fact));
  for (const frame of framesOf(samples, RATE_HZ)) listener.take(frame);
  return facts;
}

const of = (facts: readonly HeardFact[], type: HeardFact['type']) =>
  facts.filter((fact) => fact.type === type);

const TALK = ['rms', 'slt', 'awb', 'kal16'] as const;

it('tells music from people who talk, and when it is over', () => {
  const talk = joined(
    ...TALK.flatMap((voice) => [
      speech('I am sorry that you had to wait for so long, how can I help you today?', RATE_HZ, voice),
      speech('Our office is open from nine to five, and on Saturdays until noon.', RATE_HZ, voice),
    ]),
  );
  expect(of(heard(talk), 'music')).toEqual([]);
  expect(of(heard(noise(20_000, RATE_HZ, -30)), 'music')).toEqual([]);
  expect(of(heard(tone(425, RATE_HZ, RATE_HZ * 3)), 'music')).toEqual([]);
  const facts = of(heard(joined(melody(12_000, RATE_HZ), talk, silence(2_000, RATE_HZ))), 'music');
  expect(facts.map((fact) => 'isOn' in fact && fact.isOn)).toEqual([true, false]);
  expect(facts[0]!.atMs).toBeLessThanOrEqual(8_000);
  expect(facts[1]!.atMs).toBeLessThanOrEqual(12_000 + 6_000);
});

it('a ringing tone of two frequencies is no speech', () => {
  const ring = mixed(
    tone(440, RATE_HZ, RATE_HZ * 2, { amplitude: 4_000 }),
    tone(480, RATE_HZ, RATE_HZ * 2, { amplitude: 4_000 }),
  );
  const hello = speech('Hello?', RATE_HZ);
  const facts = of(
    heard(joined(silence(300, RATE_HZ), ring, silence(1_000, RATE_HZ), hello, silence(1_000, RATE_HZ))),
    'speech',
  );
  expect(facts.map((fact) => 'isOn' in fact && fact.isOn)).toEqual([true, false]);
});

it('a tone that begins within a frame is no speech', () => {
  const samples = joined(silence(507, RATE_HZ), tone(2_100, RATE_HZ, RATE_HZ), silence(500, RATE_HZ));
  expect(of(heard(samples), 'speech')).toEqual([]);
});

it('tells pure tones with their frequency and length, and none in speech', () => {
  const beep = tone(1_000, RATE_HZ, RATE_HZ * 0.3);
  const samples = joined(silence(500, RATE_HZ), beep, silence(500, RATE_HZ));
  const tones = of(heard(samples), 'tone');
  expect(tones).toMatchObject([{ hz: 1_000, isOver: true }]);
  for (const voice of TALK)
    expect(of(heard(speech('You and who else knew about the new moon?', RATE_HZ, voice)), 'tone')).toEqual(
      [],
    );
});
