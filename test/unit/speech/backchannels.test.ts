import { expect, it } from 'vitest';
import { isBackchannel } from '../../../src/speech/hearing/backchannels.ts';

it.each(['Mm-hm.', 'Yeah, yeah.', 'OK', 'I see. Right.', 'Ja, genau!', 'D’accord.', 'Sí, claro.', '...', ''])(
  '%j is said by a listener',
  (text) => expect(isBackchannel(text)).toBe(true),
);

it.each(['Stop.', 'Yeah, but wait', 'I see a problem', 'No.', 'yes yes yes yes yes', '7'])(
  '%j wants the turn',
  (text) => expect(isBackchannel(text)).toBe(false),
);
