import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  ADDON_RANDOM,
  ADDON_SIGNATURE,
  addonSignature,
  isSignedByAddon,
  ReplayMemory,
} from '../../../../src/connectors/nctalk/pairing/addon-signature.ts';

const SECRET = 'a'.repeat(64);

const headersOf = (headers: Readonly<Record<string, string>>) => (name: string) => headers[name] ?? '';

function signed(random: string, secret = SECRET) {
  const signature = createHmac('sha256', secret).update(random).digest('hex');
  return headersOf({ [ADDON_RANDOM]: random, [ADDON_SIGNATURE]: signature });
}

describe('a signature', () => {
  it('is of 32 hex digits that are new each time', () => {
    const [one, other] = [addonSignature(SECRET), addonSignature(SECRET)];
    expect(one[ADDON_RANDOM]).toMatch(/^[0-9a-f]{32}$/);
    expect(one[ADDON_RANDOM]).not.toBe(other[ADDON_RANDOM]);
    expect(isSignedByAddon(SECRET, headersOf(one))).toBe(true);
    expect(isSignedByAddon('b'.repeat(64), headersOf(one))).toBe(false);
  });

  it('is refused when anything about it is missing or altered', () => {
    const random = '0123456789abcdef0123456789abcdef';
    const right = signed(random);
    const change = (name: string, value: string) => (asked: string) =>
      asked === name ? value : right(asked);
    expect(isSignedByAddon(SECRET, right)).toBe(true);
    for (const wrong of ['', 'x', `${right(ADDON_SIGNATURE)}0`, right(ADDON_SIGNATURE).slice(1)])
      expect(isSignedByAddon(SECRET, change(ADDON_SIGNATURE, wrong))).toBe(false);
    expect(isSignedByAddon(SECRET, change(ADDON_RANDOM, random.replace('0', '1')))).toBe(false);
    for (const random of ['', 'short', 'x'.repeat(129), `${'x'.repeat(20)}\n`])
      expect(isSignedByAddon(SECRET, signed(random))).toBe(false);
  });
});

describe('the memory of randoms', () => {
  const nth = (n: number) => `${n}`.padStart(32, '0');

  it('knows the last 250 of each secret', () => {
    const memory = new ReplayMemory();
    for (let n = 0; n < 2_000; n++) expect(memory.isFirst(SECRET, signed(nth(n)))).toBe(true);
    for (let n = 1_750; n < 2_000; n++) expect(memory.isFirst(SECRET, signed(nth(n)))).toBe(false);
    expect(memory.isFirst('b'.repeat(64), signed(nth(1_999)))).toBe(true);
  });
});
