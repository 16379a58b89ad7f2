import { describe, it } from 'vitest';
import { splitText } from '../../../../src/messaging/outbox/split-text.ts';
import { expectLinear, shapesAfter } from '../../../support/linear-time.ts';
import { WRITERS } from './platform-writers.ts';

/** 64 KB. */
const LENGTH = 65_536;
/** The longest texts that are formatted; longer ones, which no platform takes, go as they are. */
const FORMATTED: Readonly<Record<string, number>> = {
  Discord: 8_000,
  Slack: LENGTH,
  Teams: 56_000,
  Telegram: 8_192,
  'Nextcloud Talk': 64_000,
  WhatsApp: 16_384,
};
/** A parser of Markdown takes some 2 µs for a character that may be a mark. */
const MOST_MS = 400;
/** Of a message, as it is sent: the shortest that a platform has. */
const MAX_PART = 2_000;

describe.each(Object.keys(WRITERS))('on %s', (platform) => {
  it.each(shapesAfter('', '**a ', '> - '))('what is formatted is written in linear time: $name', (shape) => {
    expectLinear(shape, FORMATTED[platform]!, WRITERS[platform]!, MOST_MS);
  });
});

it.each(shapesAfter('', '```\n'))('64 KB are split in linear time: $name', (shape) => {
  expectLinear(shape, LENGTH, (text) => splitText(text, ({ length }) => length <= MAX_PART), MOST_MS);
});
