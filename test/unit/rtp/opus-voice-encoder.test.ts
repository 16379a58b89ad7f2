import { describe, expect, it } from 'vitest';
import { OpusDecoder } from '../../../src/audio/opus.ts';
import { WasmOpus } from '../../../src/audio/opus-wasm.ts';
import { OpusVoiceEncoder } from '../../../src/rtp/codecs/opus-codec.ts';
import { likenessDb, voice } from '../audio/opus-voice.ts';

const RATE_HZ = 48_000;
const FRAME = 960;
/** Configurations in the first five bits of a packet from here on are CELT alone (RFC 6716 section 3.1). */
const FIRST_CELT = 16;
/** Algorithmic delay of libopus at most, in samples. */
const MAX_DELAY = 400;

const opus = new WasmOpus();
const said = voice(RATE_HZ, 2);

function packetsAt(bitrateBps: number, lossPercent = 0): Uint8Array[] {
  const encoder = new OpusVoiceEncoder(opus, RATE_HZ);
  encoder.adapt({ bitrateBps, maxBitrateBps: null, inbandFec: true });
  if (lossPercent > 0) encoder.expectLoss(lossPercent);
  const out = new Uint8Array(1_500);
  const packets: Uint8Array[] = [];
  for (let at = 0; at + FRAME <= said.length; at += FRAME)
    packets.push(out.slice(0, encoder.encode(said.subarray(at, at + FRAME), true, out, 0)));
  encoder.close();
  return packets;
}

function heardOf(packets: readonly Uint8Array[]): Int16Array {
  const decoder = new OpusDecoder(opus, RATE_HZ);
  const heard = new Int16Array(packets.length * FRAME);
  for (const [i, bytes] of packets.entries())
    decoder.decode({ bytes, payloadOffset: 0, payloadLength: bytes.length }, heard, i * FRAME, FRAME);
  decoder.free();
  return heard;
}

const isCelt = ([first = 0]: Uint8Array): boolean => first >> 3 >= FIRST_CELT;

describe('a voice in Opus', () => {
  it.each([24_000, 32_000, 40_000])('is coded at %i bit/s by SILK and CELT', (bitrateBps) => {
    expect(packetsAt(bitrateBps).some(isCelt)).toBe(false);
  });

  it.each([48_000, 64_000])('is coded at %i bit/s by CELT alone, and well', (bitrateBps) => {
    const packets = packetsAt(bitrateBps);
    expect(packets.every(isCelt)).toBe(true);
    const bytes = packets.reduce((sum, each) => sum + each.length, 0);
    expect((bytes * 8 * 50) / packets.length).toBeLessThan(bitrateBps * 1.1);
    // SILK and CELT together have 9 dB.
    expect(likenessDb(heardOf(packets), said, MAX_DELAY)).toBeGreaterThan(10);
  });

  it('is coded with FEC while packets are lost, which CELT does not have', () => {
    expect(packetsAt(64_000, 10).some(isCelt)).toBe(false);
  });
});
