import { describe, expect, it } from 'vitest';
import { AUDIO_CODINGS } from '../../../../src/api/stream/audio-coding.ts';
import { FramePacker, messageBytes, type SampleShape } from '../../../../src/api/stream/frame-packer.ts';
import { decodeAlaw, decodeUlaw, encodeAlaw, encodeUlaw } from '../../../../src/audio/g711.ts';
import { frameSamples } from '../../../../src/base/frame.ts';

const FRAMES = 100;

function samplesOf(count: number): Int16Array {
  return Int16Array.from({ length: count }, (_, n) => ((n * 7_919) % 65_536) - 32_768);
}

/** Packs two seconds; returns the messages, and all samples that went in. */
function packed(shape: SampleShape) {
  const messages: Uint8Array[] = [];
  const packer = new FramePacker(shape, (message) => void messages.push(message.slice()));
  const perFrame = frameSamples(shape.sampleRateHz);
  const samples = samplesOf(perFrame * FRAMES);
  for (let n = 0; n < FRAMES; n++) {
    const { isDue } = packer;
    const before = messages.length;
    packer.add(new Uint8Array(samples.buffer, n * perFrame * 2, perFrame * 2));
    expect(messages.length > before).toBe(isDue);
  }
  return { messages, samples, bytes: new Uint8Array(Buffer.concat(messages)) };
}

describe.each([8_000, 11_025, 16_000, 24_000, 44_100, 48_000])('frames at %i Hz', (sampleRateHz) => {
  it.each([10, 20, 30, 50, 100, 200])('become messages of %i ms with every sample once', (messageMs) => {
    const shape = { sampleRateHz, messageMs, format: 'pcm_s16le' } as const;
    const { messages, samples, bytes } = packed(shape);
    expect(new Set(messages.map(({ length }) => length))).toEqual(new Set([messageBytes(shape)]));
    expect(messageBytes(shape)).toBe(Math.floor((sampleRateHz * messageMs) / 1_000) * 2);
    const sent = new Int16Array(bytes.buffer, 0, bytes.length / 2);
    expect(sent).toEqual(samples.subarray(0, sent.length));
    expect((samples.length - sent.length) * 2).toBeLessThan(messageBytes(shape));
  });
});

describe.each([
  ['mulaw', encodeUlaw, decodeUlaw],
  ['alaw', encodeAlaw, decodeAlaw],
] as const)('%s', (format, encode, decode) => {
  it('is what the codec of phone calls makes of the samples, and is read back', () => {
    const { bytes, samples } = packed({ sampleRateHz: 8_000, messageMs: 100, format });
    const expected = new Uint8Array(bytes.length);
    encode(samples, bytes.length, expected, 0);
    expect(bytes).toEqual(expected);
    const linear = new Int16Array(bytes.length);
    decode(bytes, 0, bytes.length, linear);
    expect(AUDIO_CODINGS[format].read(bytes.buffer)).toEqual(linear);
  });
});
