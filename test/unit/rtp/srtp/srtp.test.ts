import { createCipheriv } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MEDIA_MEMORY_BYTES } from '../../../../src/media/media-leg.ts';
import { RtpPacket, writeRtpHeader } from '../../../../src/rtp/rtp-packet.ts';
import type { SrtpKeys } from '../../../../src/rtp/rtp-protocol.ts';
import { RtpState } from '../../../../src/rtp/rtp-state.ts';
import { ReplayWindow, SrtpSession } from '../../../../src/rtp/srtp/srtp.ts';
import { deriveSessionKeys, RTP_LABEL, SrtpCipher } from '../../../../src/rtp/srtp/srtp-cipher.ts';

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');

describe('SRTP against the vectors of RFC 3711 appendix B', () => {
  it('derives the session keys of B.3', () => {
    const master = hex('E1F97A0D3E018BE0D64FA32C06DE4139 0EC675AD498AFEEBB6960B3AABE6');
    const keys = deriveSessionKeys(master, RTP_LABEL);
    expect(keys.cipherKey).toEqual(hex('C61E7A93744F39EE10734AFE3FF7A087'));
    expect(keys.salt).toEqual(hex('30CBBC08863D8C85D49DB34A9AE1'));
    expect(keys.authKey).toEqual(hex('CEBE321F6FF7716B6FD4AB49AF256A156D38BAA4'));
  });

  it('generates the key stream of B.2', () => {
    const keys = {
      cipherKey: hex('2B7E151628AED2A6ABF7158809CF4F3C'),
      authKey: Buffer.alloc(20),
      salt: hex('F0F1F2F3F4F5F6F7F8F9FAFBFCFD'),
    };
    const bytes = Buffer.alloc(48);
    new SrtpCipher(keys, 10).crypt(bytes.subarray(0, 48), 0, 0);
    expect(bytes).toEqual(
      hex(
        'E03EAD0935C95E80E166B16DD92B4EB4 D23513162B02D0F72A43A2FE4A5F97AB 41E95B3BB0A2E8DD477901E4FCA894C0',
      ),
    );
  });

  it('puts SSRC and index into the counter as section 4.1.1 says', () => {
    const keys = { cipherKey: Buffer.alloc(16, 3), authKey: Buffer.alloc(20), salt: Buffer.alloc(14, 0x5a) };
    const bytes = Buffer.alloc(16);
    const index = 0x0001_0203_0405;
    new SrtpCipher(keys, 10).crypt(bytes.subarray(0, 16), 0x11223344, index);
    const expected = (BigInt(`0x${'5a'.repeat(14)}`) << 16n) ^ (0x11223344n << 64n) ^ (BigInt(index) << 16n);
    const counter = hex(expected.toString(16).padStart(32, '0'));
    expect(bytes).toEqual(createCipheriv('aes-128-ctr', keys.cipherKey, counter).update(Buffer.alloc(16)));
  });
});

const KEY_A = Buffer.from(Array.from({ length: 30 }, (_, i) => i * 7));
const KEY_B = Buffer.from(Array.from({ length: 30 }, (_, i) => 255 - i));

function sessions(suite: SrtpKeys['suite'] = 'AES_CM_128_HMAC_SHA1_80') {
  const memoryA = new RtpState(new SharedArrayBuffer(MEDIA_MEMORY_BYTES));
  const sharedB = new SharedArrayBuffer(MEDIA_MEMORY_BYTES);
  const keysB: SrtpKeys = { suite, localKey: KEY_B, remoteKey: KEY_A };
  return {
    memoryA,
    sharedB,
    keysB,
    a: new SrtpSession({ suite, localKey: KEY_A, remoteKey: KEY_B }, memoryA),
    b: new SrtpSession(keysB, new RtpState(sharedB)),
  };
}

/** A protected packet with eight bytes of payload. */
function seal(session: SrtpSession, memory: RtpState, sequence: number): Buffer {
  const bytes = Buffer.alloc(40, 0x77);
  writeRtpHeader(bytes, {
    payloadType: 0,
    marker: false,
    sequenceNumber: sequence,
    timestamp: sequence * 160,
    ssrc: memory.localSsrc,
  });
  return bytes.subarray(0, session.protectRtp(bytes, 20, sequence));
}

function opens(session: SrtpSession, sealed: Buffer): boolean {
  const packet = new RtpPacket();
  const copy = Buffer.from(sealed);
  if (!packet.read(copy, 0, copy.length) || !session.unprotectRtp(packet)) return false;
  expect(packet.payloadLength).toBe(8);
  expect(copy.subarray(12, 20)).toEqual(Buffer.alloc(8, 0x77));
  return true;
}

describe.each<[SrtpKeys['suite'], number]>([
  ['AES_CM_128_HMAC_SHA1_80', 10],
  ['AES_CM_128_HMAC_SHA1_32', 4],
])('SrtpSession with %s', (suite, tagBytes) => {
  it('opens what the other side sealed, once', () => {
    const { a, b, memoryA } = sessions(suite);
    const sealed = seal(a, memoryA, 5);
    expect(sealed.length).toBe(20 + tagBytes);
    expect(sealed.subarray(12, 20)).not.toEqual(Buffer.alloc(8, 0x77));
    expect(opens(b, sealed)).toBe(true);
    expect(opens(b, sealed)).toBe(false);
  });

  it('refuses a packet with any bit changed', () => {
    const { a, b, memoryA } = sessions(suite);
    const sealed = seal(a, memoryA, 5);
    for (let bit = 16; bit < sealed.length * 8; bit++) {
      const forged = Buffer.from(sealed);
      forged[bit >> 3] = forged[bit >> 3]! ^ (1 << (bit & 7));
      expect(opens(b, forged)).toBe(false);
    }
    expect(opens(b, sealed)).toBe(true);
  });

  it('keeps RTCP at 80 bits, counts its index, and refuses a replay', () => {
    const { a, b, memoryA } = sessions(suite);
    const bytes = Buffer.alloc(64, 9);
    bytes.writeUInt32BE(memoryA.localSsrc, 4);
    const sealed = Buffer.from(bytes.subarray(0, a.protectRtcp(bytes, 32)));
    expect(sealed.length).toBe(32 + 4 + 10);
    expect(sealed.readUInt32BE(32)).toBe(0x8000_0001);
    const opened = Buffer.from(sealed);
    expect(b.unprotectRtcp(opened)).toBe(32);
    expect(opened.subarray(8, 32)).toEqual(Buffer.alloc(24, 9));
    expect(b.unprotectRtcp(Buffer.from(sealed))).toBe(-1);
    expect(b.unprotectRtcp(Buffer.alloc(12))).toBe(-1);
  });
});

describe('SrtpSession over time', () => {
  it('follows the roll-over counter through loss and reordering', () => {
    const { a, b, memoryA } = sessions();
    for (const sequence of [65_530, 65_534, 65_537, 65_535, 65_536, 70_000, 100_000, 131_073, 131_071]) {
      expect(opens(b, seal(a, memoryA, sequence))).toBe(true);
    }
  });

  it('stays in sync when it is reopened on the same memory', () => {
    const { a, b, memoryA, sharedB, keysB } = sessions();
    for (const sequence of [40_000, 65_535, 65_536, 65_540])
      expect(opens(b, seal(a, memoryA, sequence))).toBe(true);
    const replayed = seal(a, memoryA, 65_540);
    const again = new SrtpSession(keysB, new RtpState(sharedB));
    expect(opens(again, replayed)).toBe(false);
    expect(opens(again, seal(a, memoryA, 65_541))).toBe(true);
  });

  it('accepts a new SSRC and survives garbage', () => {
    const { a, b, memoryA } = sessions();
    expect(opens(b, seal(a, memoryA, 65_540))).toBe(false);
    expect(opens(b, seal(a, memoryA, 10))).toBe(true);
    const other = sessions();
    expect(opens(b, seal(other.a, other.memoryA, 3))).toBe(true);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(opens(b, Buffer.from(bytes))).toBe(false);
        expect(b.unprotectRtcp(bytes)).toBe(-1);
      }),
    );
  });
});

describe('ReplayWindow', () => {
  it('accepts each index once, as long as it is among the last 64', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 300 }), { maxLength: 300 }), (numbers) => {
        const window = new ReplayWindow();
        const taken = new Set<number>();
        let highest = -1;
        for (const index of numbers) {
          const expected = !taken.has(index) && index > highest - 64;
          expect(window.isFresh(index)).toBe(expected);
          if (!expected) continue;
          window.note(index);
          taken.add(index);
          highest = Math.max(highest, index);
        }
      }),
    );
  });
});
