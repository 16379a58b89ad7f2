import { describe, expect, it } from 'vitest';
import type { PlacedAction } from '../../../../src/inline/reply/action.ts';
import type { OutsideText, ReplyEnd } from '../../../../src/inline/reply/action-builder.ts';
import { parseReply, ReplyScanner } from '../../../../src/inline/reply/reply-scanner.ts';
import { SeededRandom } from '../../../support/seeded-random.ts';
import { anyParts, anyReply } from './any-reply.ts';

const CASES = 100_000;
const OUTSIDE_TEXTS: readonly OutsideText[] = ['write', 'say'];
const ENDS: readonly ReplyEnd[] = ['complete', 'complete', 'cut_off', 'interrupted'];

describe('a reply that arrives in parts', () => {
  it(`gives the same actions as a whole, ${CASES} times`, () => {
    const random = new SeededRandom(23);
    const kinds = new Map<string, number>();
    for (let count = 0; count < CASES; count++) {
      const text = anyReply(random);
      const outsideText = random.pick(OUTSIDE_TEXTS);
      const end = random.pick(ENDS);
      const whole = parseReply(text, outsideText, end);
      const told: PlacedAction[] = [];
      const scanner = new ReplyScanner(outsideText, (placed) => told.push(placed));
      const parts = anyParts(random, text);
      for (const part of parts) scanner.push(part);
      const scanned = scanner.end(end);
      if (JSON.stringify(scanned) !== JSON.stringify(whole))
        expect(scanned, JSON.stringify({ parts, outsideText, end })).toEqual(whole);
      if (told.length !== whole.actions.length) expect(told, text).toHaveLength(whole.actions.length);
      for (const { action } of whole.actions) kinds.set(action.kind, (kinds.get(action.kind) ?? 0) + 1);
    }
    // The replies are not all without effect.
    const seldom = ['write', 'say', 'file', 'accept', 'refuse', 'leave', 'dtmf', 'dm', 'call_join'].filter(
      (kind) => (kinds.get(kind) ?? 0) < CASES / 200,
    );
    expect(seldom).toEqual([]);
  });

  it('tells the same sentences, whatever follows them', () => {
    const random = new SeededRandom(24);
    for (let count = 0; count < 5_000; count++) {
      const text = anyReply(random);
      const told: string[] = [];
      const scanner = new ReplyScanner('say', ({ action }) => {
        if (action.kind === 'say') told.push(action.text);
      });
      scanner.push(text);
      const early = [...told];
      scanner.push(anyReply(random));
      scanner.end('complete');
      expect(told.slice(0, early.length)).toEqual(early);
    }
  });
});
