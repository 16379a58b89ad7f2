import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { describe, expect, it, test } from 'vitest';
import { type LibOpus, MAX_OPUS_FRAME_SAMPLES, MAX_OPUS_PACKET_BYTES } from '../../../src/audio/libopus.ts';
import { OpusDecoder, OpusEncoder, type OpusRateHz, type OpusTuning } from '../../../src/audio/opus.ts';
import { opusPacketSamples } from '../../../src/audio/opus-packet.ts';
import { WasmOpus } from '../../../src/audio/opus-wasm.ts';
import type { Payload } from '../../../src/audio/payload.ts';
import { loadOpus } from '../../../src/native/opus.ts';
import { Tone } from '../../support/tone.ts';
import { fitSine } from '../../support/tone-analysis.ts';
import { likenessDb, voice } from './opus-voice.ts';

const TUNING: OpusTuning = { bitrateBps: 24_000, complexity: 4, lossPercent: 10, signal: 'voice' };
const RATE_HZ = 48_000;
const FRAME = 960;
/** The encoder's lookahead and the decoder's delay: 6.5 ms at 48 kHz, slightly more with SILK's own resampler. */
const MAX_DELAY = 720;

const native = loadOpus(MAX_OPUS_PACKET_BYTES, MAX_OPUS_FRAME_SAMPLES);
const libraries: [string, LibOpus][] = [['portable', new WasmOpus()]];
if (typeof native === 'string') console.warn(`native Opus is not tested: ${native}`);
else libraries.push(['native', native]);

function packetsOf(opus: LibOpus, samples: Int16Array, tuning = TUNING, rateHz: OpusRateHz = RATE_HZ) {
  const encoder = new OpusEncoder(opus, rateHz, tuning);
  const out = new Uint8Array(MAX_OPUS_PACKET_BYTES);
  const packets: Uint8Array[] = [];
  const frame = rateHz / 50;
  for (let at = 0; at + frame <= samples.length; at += frame) {
    const length = encoder.encode(samples.subarray(at, at + frame), out, 3, 1_275);
    packets.push(out.slice(3, 3 + length));
  }
  encoder.free();
  return packets;
}

function payloadOf(bytes: Uint8Array): Payload {
  return { bytes, payloadOffset: 0, payloadLength: bytes.length };
}

/** The decoded audio; `lost` packets are restored by FEC of the next one, or by concealment alone. */
function heardOf(
  opus: LibOpus,
  packets: readonly Uint8Array[],
  isLost: (i: number) => boolean = () => false,
  fec = true,
): Int16Array {
  const decoder = new OpusDecoder(opus, RATE_HZ);
  const heard = new Int16Array(packets.length * FRAME);
  packets.forEach((packet, i) => {
    const next = packets[i + 1];
    const at = i * FRAME;
    if (!isLost(i)) expect(decoder.decode(payloadOf(packet), heard, at, FRAME)).toBe(FRAME);
    else if (fec && next) expect(decoder.recover(payloadOf(next), heard, at, FRAME)).toBe(FRAME);
    else expect(decoder.conceal(heard, at, FRAME)).toBe(FRAME);
  });
  decoder.free();
  return heard;
}

describe.each(libraries)('%s libopus', (_, opus) => {
  it.each([24_000, 32_000])('carries a voice at %i bit/s', (bitrateBps) => {
    const said = voice(RATE_HZ, 2);
    const packets = packetsOf(opus, said, { ...TUNING, bitrateBps });
    const bytes = packets.reduce((sum, each) => sum + each.length, 0);
    expect(bytes * 4).toBeLessThan(bitrateBps * 1.2);
    expect(likenessDb(heardOf(opus, packets), said, MAX_DELAY)).toBeGreaterThan(8);
  });

  it('carries a tone', () => {
    const said = new Int16Array(RATE_HZ);
    new Tone(440, RATE_HZ, 0.5).fill(said);
    const heard = heardOf(opus, packetsOf(opus, said));
    expect(fitSine(heard.subarray(10 * FRAME), RATE_HZ, 440).snrDb).toBeGreaterThan(20);
  });

  it('encodes at 8 kHz and decodes at 48 kHz', () => {
    const said = new Int16Array(8_000);
    new Tone(440, 8_000, 0.5).fill(said);
    const heard = heardOf(opus, packetsOf(opus, said, TUNING, 8_000));
    expect(fitSine(heard.subarray(10 * FRAME), RATE_HZ, 440).snrDb).toBeGreaterThan(15);
  });

  it('conceals a lost packet, and restores it better from the FEC of the next one', () => {
    const said = voice(RATE_HZ, 4);
    const packets = packetsOf(opus, said, { ...TUNING, lossPercent: 20 });
    const whole = heardOf(opus, packets);
    const isLost = (i: number) => i % 5 === 3;
    const lostParts = (samples: Int16Array) => {
      const parts: number[] = [];
      for (let i = 0; i < packets.length; i++)
        if (isLost(i)) parts.push(...samples.subarray(i * FRAME, (i + 1) * FRAME));
      return Int16Array.from(parts);
    };
    const likeWhole = (samples: Int16Array) => likenessDb(lostParts(samples), lostParts(whole), 0);
    const concealed = likeWhole(heardOf(opus, packets, isLost, false));
    const recovered = likeWhole(heardOf(opus, packets, isLost));
    const silent = likeWhole(new Int16Array(whole.length));
    expect(silent).toBeCloseTo(0, 1);
    expect(concealed).toBeGreaterThan(0.5);
    expect(recovered).toBeGreaterThan(concealed + 3);
  });

  it('treats single-byte packets as a pause, in which hardly anything is audible', () => {
    const said = voice(RATE_HZ, 1);
    const packets = packetsOf(opus, Int16Array.from([...said, ...new Int16Array(5 * FRAME)]));
    const pause = packets.at(-1)!.slice(0, 1);
    expect(opusPacketSamples(pause, 0, 1, RATE_HZ)).toBe(FRAME);
    const heard = heardOf(opus, [...packets, ...Array.from({ length: 100 }, () => pause), ...packets]);
    const paused = heard.subarray(packets.length * FRAME, (packets.length + 100) * FRAME);
    expect(paused.every((sample) => Math.abs(sample) < 100)).toBe(true);
    const after = heard.subarray((packets.length + 100) * FRAME, (packets.length + 150) * FRAME);
    expect(likenessDb(after.subarray(5 * FRAME), said.subarray(5 * FRAME), MAX_DELAY)).toBeGreaterThan(8);
  });

  it('survives garbage, and plays what comes after it', () => {
    const said = voice(RATE_HZ, 1);
    const packets = packetsOf(opus, said);
    const decoder = new OpusDecoder(opus, RATE_HZ);
    const out = new Int16Array(MAX_OPUS_FRAME_SAMPLES);
    let seed = 7;
    for (let round = 0; round < 2_000; round++) {
      seed = (seed * 1_103_515_245 + 12_345) & 0x7fff_ffff;
      const junk = Uint8Array.from(
        { length: 1 + (seed % 200) },
        (_, i) => (seed >> (i % 16)) * 31 + i * round,
      );
      const samples = decoder.decode(payloadOf(junk), out, 0, MAX_OPUS_FRAME_SAMPLES);
      expect([0, opusPacketSamples(junk, 0, junk.length, RATE_HZ)]).toContain(samples);
    }
    expect(decoder.decode(payloadOf(new Uint8Array(0)), out, 0, FRAME)).toBe(0);
    expect(decoder.decode(payloadOf(new Uint8Array(2_000)), out, 0, FRAME)).toBe(0);
    expect(decoder.decode(payloadOf(Uint8Array.of(0xff, 0xff)), out, 0, FRAME)).toBe(0);
    decoder.reset();
    const heard = new Int16Array(said.length);
    for (const [i, packet] of packets.entries()) decoder.decode(payloadOf(packet), heard, i * FRAME, FRAME);
    expect(heard).toEqual(heardOf(opus, packets));
    decoder.free();
  });

  it('keeps many streams apart, and releases their memory', () => {
    const said = voice(RATE_HZ, 1).subarray(0, 10 * FRAME);
    const alone = packetsOf(opus, said);
    const out = new Uint8Array(MAX_OPUS_PACKET_BYTES);
    for (let round = 0; round < 3; round++) {
      const encoders = Array.from({ length: 200 }, () => new OpusEncoder(opus, RATE_HZ, TUNING));
      const decoders = Array.from({ length: 200 }, () => new OpusDecoder(opus, RATE_HZ));
      alone.forEach((packet, i) => {
        const frame = said.subarray(i * FRAME, (i + 1) * FRAME);
        for (const encoder of [encoders[0]!, encoders[99]!, encoders[199]!])
          expect(out.slice(0, encoder.encode(frame, out, 0, 1_275))).toEqual(packet);
      });
      for (const each of [...encoders, ...decoders]) each.free();
    }
  });

  it('refuses unknown rates, and does nothing on a closed stream', () => {
    expect(() => new OpusDecoder(opus, 44_100 as OpusRateHz)).toThrow('libopus says -1');
    const encoder = new OpusEncoder(opus, RATE_HZ, TUNING);
    const decoder = new OpusDecoder(opus, RATE_HZ);
    encoder.free();
    encoder.free();
    decoder.free();
    decoder.free();
    const out = new Int16Array(FRAME);
    expect(() => encoder.encode(out, new Uint8Array(1_500), 0, 1_275)).toThrow();
    expect(() => decoder.reset()).toThrow();
    expect(decoder.conceal(out, 0, FRAME)).toBe(0);
    expect(decoder.decode(payloadOf(Uint8Array.of(0x78, 1, 2)), out, 0, FRAME)).toBe(0);
    for (const number of [0, -1, 1 << 30]) expect(opus.control(number, 4_028, 0)).toBe(-1);
  });

  it('never writes more than the given length', () => {
    const encoder = new OpusEncoder(opus, RATE_HZ, { ...TUNING, bitrateBps: 510_000 });
    const out = new Uint8Array(MAX_OPUS_PACKET_BYTES).fill(0xee);
    const said = voice(RATE_HZ, 1);
    for (let at = 0; at < said.length; at += FRAME)
      expect(encoder.encode(said.subarray(at, at + FRAME), out, 0, 100)).toBeLessThanOrEqual(100);
    expect(out.subarray(100).every((byte) => byte === 0xee)).toBe(true);
    encoder.free();
  });
});

test.runIf(typeof native !== 'string')(
  'each thread has streams of its own, and may end with some open',
  async () => {
    const module = new URL('../../../src/native/opus.ts', import.meta.url).href;
    const source = `import('${module}').then(({ loadOpus }) => {
    const opus = loadOpus(1500, 5760);
    const streams = Array.from({ length: 100 }, () => [opus.openEncoder(48000), opus.openDecoder(48000)]).flat();
    const lengths = streams.filter((_, i) => i % 2 === 0).map((stream) => opus.encode(stream, 960, 1275));
    require('node:worker_threads').parentPort.postMessage([streams.at(-1), Math.min(...lengths)]);
    setInterval(() => {}, 1_000);
  })`;
    const workers = Array.from({ length: 3 }, () => new Worker(source, { eval: true }));
    const told = await Promise.all(workers.map((worker) => once(worker, 'message')));
    for (const [[last, shortest]] of told) {
      expect(last).toBe(200);
      expect(shortest).toBeGreaterThan(0);
    }
    for (const worker of workers) await worker.terminate();
    const here = new OpusEncoder(native as LibOpus, RATE_HZ, TUNING);
    expect(here.encode(new Int16Array(FRAME), new Uint8Array(1_500), 0, 1_275)).toBeGreaterThan(0);
    here.free();
  },
);

test('the first bytes of a packet give its length', () => {
  const ms = (...bytes: number[]) => opusPacketSamples(Uint8Array.from(bytes), 0, bytes.length, 48_000) / 48;
  expect([0, 1, 2, 3].map((config) => ms(config << 3))).toEqual([10, 20, 40, 60]);
  expect([12, 13, 14, 15].map((config) => ms(config << 3))).toEqual([10, 20, 10, 20]);
  expect([28, 29, 30, 31].map((config) => ms(config << 3))).toEqual([2.5, 5, 10, 20]);
  expect([ms((1 << 3) | 1), ms((1 << 3) | 2), ms((1 << 3) | 3, 3)]).toEqual([40, 40, 60]);
  expect([ms(), ms((1 << 3) | 3), ms((1 << 3) | 3, 0), ms((3 << 3) | 3, 3), ms((3 << 3) | 3, 2)]).toEqual([
    0, 0, 0, 0, 120,
  ]);
});
