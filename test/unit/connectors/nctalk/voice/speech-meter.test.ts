import { describe, expect, it } from 'vitest';
import { SpeechMeter } from '../../../../../src/connectors/nctalk/voice/speech-meter.ts';
import { RtpPacket } from '../../../../../src/rtp/rtp-packet.ts';

const PACKET_MS = 20;
const NO_LEVEL = -1;
/** Configurations of the TOC byte: hybrid and CELT, one frame of 20 ms. */
const HYBRID = 15 << 3;
const CELT = 31 << 3;
const VOICE = 0x80;

/** Somebody's packets, one after the other. */
class Stream {
  readonly meter = new SpeechMeter();
  #nowMs = 1_000_000;

  /** Hears some of them; returns whether the person speaks afterwards. */
  hear(count: number, payload: readonly number[], levelDb = NO_LEVEL): boolean {
    for (let i = 0; i < count; i++) {
      const packet = new RtpPacket();
      packet.read(Buffer.from([0x80, 111, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, ...payload]), 0, 12 + payload.length);
      this.#nowMs += PACKET_MS;
      this.meter.hear(packet, levelDb, this.#nowMs);
    }
    return this.meter.isSpeaking;
  }

  wait(forMs: number): boolean {
    this.#nowMs += forMs;
    this.meter.look(this.#nowMs);
    return this.meter.isSpeaking;
  }
}

function payload(toc: number, second: number, length: number): number[] {
  return [toc, second, ...Array.from({ length: length - 2 }, () => 0)];
}

describe('somebody speaks', () => {
  it.each([
    ['by the loudness in the header', payload(HYBRID, 0, 60), 20, payload(HYBRID, VOICE, 60), 80],
    [
      'by the voice activity in the packet',
      payload(HYBRID, VOICE, 60),
      NO_LEVEL,
      payload(HYBRID, 0, 60),
      NO_LEVEL,
    ],
    ['by the length of the packet', payload(CELT, 0, 120), NO_LEVEL, payload(CELT, 0, 40), NO_LEVEL],
  ])('%s', (_by, loud, loudDb, quiet, quietDb) => {
    const stream = new Stream();
    expect(stream.hear(50, quiet, quietDb)).toBe(false);
    expect(stream.hear(2, loud, loudDb)).toBe(false);
    expect(stream.hear(1, loud, loudDb)).toBe(true);
    expect(stream.hear(15, quiet, quietDb)).toBe(true);
    expect(stream.hear(10, quiet, quietDb)).toBe(false);
  });

  it('until nothing has come for a while, as in a pause without packets', () => {
    const stream = new Stream();
    expect(stream.hear(3, payload(HYBRID, VOICE, 60), 10)).toBe(true);
    expect(stream.wait(350)).toBe(true);
    expect(stream.wait(100)).toBe(false);
  });

  it('not while packets only say that there is a pause', () => {
    expect(new Stream().hear(50, [HYBRID], 10)).toBe(false);
  });
});
