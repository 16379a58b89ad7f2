import { describe, it } from 'vitest';
import { splitText } from '../../../../src/messaging/outbox/split-text.ts';
import { expectLinear, shapesAfter } from '../../../support/linear-time.ts';
import { READERS } from './platform-readers.ts';
import { WRITERS } from './platform-writers.ts';

/** 64 KB. */
const LENGTH = 65_536;
/** A parser of Markdown takes some 2 µs for a character that may be a mark. */
const MOST_MS = 400;
const MAX_PART = 2_000;

describe.each(Object.keys(READERS))('on %s', (platform) => {
  it.each(shapesAfter('', '**a ', '> - '))('64 KB are written in linear time: $name', (shape) => {
    expectLinear(shape, LENGTH, WRITERS[platform]!, MOST_MS);
  });
});

it.each(shapesAfter('', '```\n'))('64 KB are split in linear time: $name', (shape) => {
  expectLinear(shape, LENGTH, (text) => splitText(text, ({ length }) => length <= MAX_PART), MOST_MS);
});
