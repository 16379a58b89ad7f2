import { expect, it } from 'vitest';
import { PersonStream } from '../../../../../src/connectors/nctalk/voice/person-stream.ts';
import { OPUS_PAYLOAD_TYPE } from '../../../../../src/connectors/nctalk/voice/talk-protocol.ts';
import { RtpPacket } from '../../../../../src/rtp/rtp-packet.ts';

const NOW_MS = 1_795_870_725_000;
const OUT = new Uint8Array(1_500);

interface Sent {
  readonly sequence: number;
  readonly timestamp: number;
  readonly payload?: readonly number[];
}

/** A packet with a CSRC and an extension, as some publishers send. */
function packet({ sequence, timestamp, payload = [1, 2, 3] }: Sent): RtpPacket {
  const bytes = Buffer.alloc(12 + 4 + 8 + payload.length);
  bytes[0] = 0x91;
  bytes[1] = 96;
  bytes.writeUInt16BE(sequence, 2);
  bytes.writeUInt32BE(timestamp, 4);
  bytes.writeUInt32BE(0xdead, 8);
  bytes.writeUInt32BE(0xbede0001, 16);
  bytes.set(payload, 24);
  const read = new RtpPacket();
  expect(read.read(bytes, 0, bytes.length)).toBe(true);
  return read;
}

function rewrite(stream: PersonStream, sent: Sent, atMs: number) {
  const length = stream.rewrite(packet(sent), atMs, OUT);
  const read = new RtpPacket();
  expect(read.read(OUT, 0, length)).toBe(true);
  const { ssrc, payloadType, marker, sequenceNumber, timestamp, payloadOffset } = read;
  return {
    ssrc,
    payloadType,
    marker,
    sequenceNumber,
    timestamp,
    payload: [...OUT.slice(payloadOffset, length)],
  };
}

it('has one SSRC and payload type, and nothing but the payload beside the header', () => {
  const stream = new PersonStream(77);
  const first = rewrite(stream, { sequence: 9, timestamp: 960 }, NOW_MS);
  expect(first).toMatchObject({ ssrc: 77, payloadType: OPUS_PAYLOAD_TYPE, marker: true, payload: [1, 2, 3] });
  const second = rewrite(stream, { sequence: 10, timestamp: 1_920 }, NOW_MS + 20);
  expect(second.marker).toBe(false);
  expect(second.sequenceNumber).toBe((first.sequenceNumber + 1) & 0xffff);
  expect(second.timestamp).toBe((first.timestamp + 960) >>> 0);
});

it('goes on where it has stopped when another connection follows', () => {
  const stream = new PersonStream(77);
  rewrite(stream, { sequence: 65_535, timestamp: 0xffff_ff00 }, NOW_MS);
  const last = rewrite(stream, { sequence: 0, timestamp: 704 }, NOW_MS + 20);
  stream.restart();
  const next = rewrite(stream, { sequence: 30_000, timestamp: 5 }, NOW_MS + 1_020);
  expect(next.marker).toBe(true);
  expect(next.sequenceNumber).toBe((last.sequenceNumber + 1) & 0xffff);
  expect(next.timestamp).toBe((last.timestamp + 48_000) >>> 0);
});

it('keeps the distance of packets that overtake each other', () => {
  const stream = new PersonStream(77);
  const numbers = [3, 5, 4].map(
    (sequence) => rewrite(stream, { sequence, timestamp: sequence * 960 }, NOW_MS).sequenceNumber,
  );
  expect([numbers[1]! - numbers[0]!, numbers[2]! - numbers[0]!]).toEqual([2, 1]);
});

it('is ahead of what another thread has written before', () => {
  const before = new PersonStream(77);
  let last = rewrite(before, { sequence: 1, timestamp: 0 }, NOW_MS);
  for (let i = 1; i <= 100; i++)
    last = rewrite(before, { sequence: 1 + i, timestamp: i * 960 }, NOW_MS + i * 20);
  const after = rewrite(new PersonStream(77), { sequence: 500, timestamp: 7 }, NOW_MS + 3_000);
  expect((after.sequenceNumber - last.sequenceNumber) & 0xffff).toBeLessThan(1_000);
  expect((after.timestamp - last.timestamp) | 0).toBeGreaterThan(0);
});

it('drops what is longer than a packet can be', () => {
  const payload = Array.from({ length: 1_600 }, () => 0);
  expect(new PersonStream(77).rewrite(packet({ sequence: 1, timestamp: 1, payload }), NOW_MS, OUT)).toBe(0);
});
