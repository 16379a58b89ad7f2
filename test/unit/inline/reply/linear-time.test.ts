import { describe, it } from 'vitest';
import { parseReply, ReplyScanner } from '../../../../src/inline/reply/reply-scanner.ts';
import { expectLinear, shapesAfter } from '../../../support/linear-time.ts';

const LENGTH = 4_000;
/** Of a part, in UTF-16 units. What is held back, 1,024 at most, is read again with each. */
const PART = 8;
const OPENINGS = [
  '',
  '<say>',
  '<write>',
  '<dm to="',
  '<![CDATA[',
  '```xml\n<say>',
  '```\n',
  'a <leave ',
  '&#',
];

describe('the time to read a reply grows with its length', () => {
  it.each(shapesAfter(...OPENINGS))('$name', (shape) => {
    expectLinear(shape, LENGTH, (text) => parseReply(text, 'say', 'complete'));
  });

  it.each(shapesAfter('', '<say>'))('$name, in parts', (shape) => {
    expectLinear(shape, LENGTH, (text) => {
      const scanner = new ReplyScanner('say', () => {});
      for (let at = 0; at < text.length; at += PART) scanner.push(text.slice(at, at + PART));
      return scanner.end('complete');
    });
  });
});
