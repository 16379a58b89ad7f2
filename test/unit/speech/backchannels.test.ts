import { expect, it } from 'vitest';
import { Backchannels } from '../../../src/speech/hearing/backchannels.ts';

const USUAL = new Backchannels();

it.each(['Mm-hm.', 'Yeah, yeah.', 'OK', 'I see. Right.', 'Ja, genau!', 'D’accord.', 'Sí, claro.', '...', ''])(
  '%j is said by a listener',
  (text) => expect(USUAL.has(text)).toBe(true),
);

it.each(['Stop.', 'Yeah, but wait', 'I see a problem', 'No.', 'yes yes yes yes yes', '7'])(
  '%j wants the turn',
  (text) => expect(USUAL.has(text)).toBe(false),
);

it('a preset has its own words', () => {
  const own = new Backchannels(['Sí, señor', 'jawohl']);
  expect([own.has('¡Sí señor!'), own.has('Jawohl. Jawohl.'), own.has('yes')]).toEqual([true, true, false]);
});
