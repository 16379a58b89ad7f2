import { it } from 'vitest';
import { speechPieces } from '../../../../src/speech/text/speech-pieces.ts';
import { expectLinear, shapesAfter } from '../../../support/linear-time.ts';

const LENGTH = 4_000;

it.each(shapesAfter('', 'A sentence. ', 'Dr. '))('a text is cut in linear time: $name', (shape) => {
  expectLinear(shape, LENGTH, (text) => speechPieces(text, { first: 60, rest: 200 }));
});
