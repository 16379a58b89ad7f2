import { describe, expect, it } from 'vitest';
import { G722Clock } from '../../../../src/rtp/reception/g722-clock.ts';
import { RtpPacket } from '../../../../src/rtp/rtp-packet.ts';

/** A stream whose numbers both wrap soon. */
class Stream {
  readonly clock = new G722Clock();
  sequence = 65_530;
  timestamp = 0xffff_f000;

  /** Sends packets, each `ticks` before the next one; returns how far apart they are once corrected. */
  send(packets: number, ticks: number, bytes = 160): number[] {
    return Array.from({ length: packets }, () => this.#next(ticks, bytes));
  }

  #last = this.timestamp;

  #next(ticks: number, bytes: number): number {
    const corrected = this.correct(this.sequence, this.timestamp, bytes);
    this.sequence = (this.sequence + 1) & 0xffff;
    this.timestamp = (this.timestamp + ticks) >>> 0;
    const apart = (corrected - this.#last) | 0;
    this.#last = corrected;
    return apart;
  }

  correct(sequenceNumber: number, timestamp: number, bytes: number, isAudio = true): number {
    const packet = new RtpPacket();
    Object.assign(packet, { sequenceNumber, timestamp, payloadLength: bytes });
    this.clock.correct(packet, isAudio);
    return packet.timestamp;
  }
}

describe('the clock of a G.722 stream', () => {
  it.each([80, 160, 240, 320])('is left alone when it counts %i bytes as so many ticks', (bytes) => {
    expect(new Stream().send(100, bytes, bytes)).toEqual([0, ...Array(99).fill(bytes)]);
  });

  it.each([80, 160, 240])('is halved when it counts %i bytes as twice as many', (bytes) => {
    const apart = new Stream().send(100, 2 * bytes, bytes);
    expect(apart.slice(0, 5)).toEqual([0, ...Array(4).fill(2 * bytes)]);
    expect(apart.slice(5)).toEqual(Array(95).fill(bytes));
  });

  it('is right again as soon as a single packet shows it', () => {
    const stream = new Stream();
    stream.send(15, 320);
    // The first of them follows one that still counted double.
    expect(stream.send(10, 160)).toEqual(Array(10).fill(160));
  });

  it('is not taken for doubled when silence was left out', () => {
    const stream = new Stream();
    const apart = [
      ...stream.send(3, 320),
      ...stream.send(2, 160),
      ...stream.send(4, 320),
      ...stream.send(9, 160),
    ];
    expect(apart.slice(1)).toEqual([320, 320, 320, 160, 160, 320, 320, 320, 320, ...Array(8).fill(160)]);
  });

  it('keeps its pace across losses, reordering and digits', () => {
    const stream = new Stream();
    const start = stream.timestamp;
    stream.send(20, 320);
    const at = (index: number) => (start + 320 * index) >>> 0;
    const sequence = (index: number) => (65_530 + index) & 0xffff;
    const corrected = (index: number, isAudio = true) =>
      stream.correct(sequence(index), at(index), 160, isAudio);
    const first = corrected(20);
    const since = (timestamp: number) => (timestamp - first) | 0;
    expect(since(corrected(24))).toBe(4 * 160);
    expect(since(corrected(22))).toBe(2 * 160);
    expect(since(stream.correct(sequence(25), at(25), 4, false))).toBe(5 * 160);
    expect(since(corrected(30))).toBe(10 * 160);
  });

  it('is judged anew after a restart', () => {
    const stream = new Stream();
    stream.send(20, 320);
    stream.clock.restart();
    expect(stream.correct(7, 5_000, 160)).toBe(5_000);
    expect(stream.correct(8, 5_160, 160)).toBe(5_160);
  });
});
