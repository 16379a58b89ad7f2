import { expect, test } from 'vitest';
import {
  FrameDecryptor,
  FrameEncryptor,
  readProtocolFrame,
  SILENCE,
} from '../../../fakes/discord/voice/frame-cipher.ts';
import { FrameReceiver } from '../../../fakes/discord/voice/frame-receiver.ts';
import { KeyRatchet } from '../../../fakes/discord/voice/key-ratchet.ts';
import { readFrame, readRtpHeader, writeDatagram } from '../../../fakes/discord/voice/rtp-datagram.ts';
import { TRANSPORT_MODES, TransportCipher } from '../../../fakes/discord/voice/transport-cipher.ts';

const SECRET = Buffer.alloc(16, 7);
const OTHER_SECRET = Buffer.alloc(16, 8);
const OPUS = Buffer.from('an Opus frame, as far as DAVE can tell');

test('a frame is taken once, and only with its sender’s key', () => {
  const receiver = new FrameReceiver();
  receiver.addKey(SECRET);
  const frame = new FrameEncryptor(new KeyRatchet(SECRET)).encrypt(OPUS);
  const foreign = new FrameEncryptor(new KeyRatchet(OTHER_SECRET)).encrypt(OPUS);
  expect(receiver.receive(foreign)).toEqual({ kind: 'undecryptable' });
  expect(receiver.receive(frame)).toEqual({ kind: 'opus', bytes: OPUS });
  expect(receiver.receive(frame)).toEqual({ kind: 'repeated' });
});

test('frames of the former epoch are taken after a change, and silence always', () => {
  const receiver = new FrameReceiver();
  receiver.addKey(SECRET);
  receiver.addKey(OTHER_SECRET);
  const former = new FrameEncryptor(new KeyRatchet(SECRET)).encrypt(OPUS);
  expect(receiver.receive(former)).toEqual({ kind: 'opus', bytes: OPUS });
  expect(receiver.receive(SILENCE)).toEqual({ kind: 'silence', bytes: SILENCE });
});

test('no byte of an encrypted frame can be changed', () => {
  const frame = new FrameEncryptor(new KeyRatchet(SECRET)).encrypt(OPUS);
  for (let i = 0; i < frame.length; i++) {
    const forged = Buffer.from(frame);
    forged[i]! ^= 1;
    const read = readProtocolFrame(forged);
    const decrypted = read && new FrameDecryptor(new KeyRatchet(SECRET)).decrypt(read);
    expect([i, decrypted]).toEqual([i, null]);
  }
});

test('any bytes are read without an exception', () => {
  for (let length = 0; length < 64; length++) {
    const bytes = Buffer.alloc(length, 0xfa);
    expect(readRtpHeader(bytes)).toBeNull();
    const read = readProtocolFrame(bytes);
    if (read) expect(new FrameDecryptor(new KeyRatchet(SECRET)).decrypt(read)).toBeNull();
  }
});

test.each(TRANSPORT_MODES)(
  'a datagram in %s holds extensions, frame and padding, and cannot be changed',
  (mode) => {
    const key = Buffer.alloc(32, 3);
    const cipher = new TransportCipher(mode, key);
    for (const sequence of [1, 15, 16, 0xfff0]) {
      const frame = { ssrc: 0xffff_fffe, sequence, timestamp: 0xffff_fc40, bytes: OPUS };
      const { header, plain } = writeDatagram(frame);
      const datagram = cipher.seal(header, plain);
      const read = readRtpHeader(datagram)!;
      expect(readFrame(read, new TransportCipher(mode, key).open(datagram, read.bytes)!)).toEqual(frame);
      for (let i = 0; i < datagram.length; i++) {
        const forged = Buffer.from(datagram);
        forged[i]! ^= 1;
        expect(cipher.open(forged, read.bytes)).toBeNull();
      }
    }
  },
);
