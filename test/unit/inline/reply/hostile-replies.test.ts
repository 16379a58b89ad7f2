import { describe, expect, it } from 'vitest';
import { HOSTILE_REPLIES } from './hostile-replies.ts';
import { shortReply } from './short-actions.ts';

const LEAST = 60;

describe('a hostile reply does what it asks for and no more', () => {
  it(`in at least ${LEAST} shapes`, () => {
    expect(new Set(HOSTILE_REPLIES.map(({ text }) => text)).size).toBeGreaterThanOrEqual(LEAST);
  });

  it.each(HOSTILE_REPLIES)('$name', ({ text, does, outsideText = 'write', end = 'complete' }) => {
    expect(shortReply(text, outsideText, end)).toEqual(does);
  });
});
