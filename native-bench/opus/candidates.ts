import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

export const SAMPLE_RATE_HZ = 48_000;
export const FRAME_SAMPLES = 960;

export interface EncoderSettings {
  /** libopus' numbers: 2048 VoIP, 2049 audio, 2051 restricted low delay. */
  readonly application: number;
  readonly complexity: number;
  readonly bitrateBps: number;
  /** In-band FEC for 10 % of loss. */
  readonly fec: boolean;
}

/** An encoder and a decoder. What `encode` and `decode` return may be overwritten by the next call. */
export interface Pair {
  encode(frame: Int16Array): Uint8Array;
  decode(packet: Uint8Array): Int16Array;
  /** A frame made up; absent: it cannot. */
  conceal?(): Int16Array;
  /** What the packet after a lost one repeats of it; absent: it cannot. */
  recover?(next: Uint8Array): Int16Array;
}

export interface Candidate {
  readonly title: string;
  readonly npmPackage: string;
  load(): Promise<(settings: EncoderSettings) => Promise<Pair>>;
}

const [BITRATE, COMPLEXITY, FEC, LOSS_PERCENT] = [4002, 4010, 4012, 4014];
const require = createRequire(import.meta.url);

/** The part of WebAssembly's API that is needed; its types come with browsers' only. */
interface Wasm {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (
    module: object,
    imports: object,
  ) => { readonly exports: Readonly<Record<string, unknown>> };
}

const { Module, Instance } = (globalThis as unknown as { WebAssembly: Wasm }).WebAssembly;

export const candidates: Readonly<Record<string, Candidate>> = {
  'evan-native': { title: '@evan/opus, native', npmPackage: '@evan/opus', load: loadEvanNative },
  'evan-simd': {
    title: '@evan/opus, its simd.wasm called directly',
    npmPackage: '@evan/opus',
    load: loadEvanSimd,
  },
  'libopus-wasm': { title: 'libopus-wasm', npmPackage: 'libopus-wasm', load: loadLibopusWasm },
  opusscript: { title: 'opusscript', npmPackage: 'opusscript', load: loadOpusscript },
};

function controls({ bitrateBps, complexity, fec }: EncoderSettings): [request: number, value: number][] {
  return [
    [BITRATE, bitrateBps],
    [COMPLEXITY, complexity],
    [FEC, fec ? 1 : 0],
    [LOSS_PERCENT, fec ? 10 : 0],
  ];
}

function samplesOf(bytes: Uint8Array): Int16Array {
  return new Int16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2);
}

function bytesOf(frame: Int16Array): Buffer {
  return Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength);
}

const EVAN_APPLICATIONS: Readonly<Record<number, string>> = {
  2048: 'voip',
  2049: 'audio',
  2051: 'restricted_lowdelay',
};

async function loadEvanNative() {
  const { Encoder, Decoder } = require(join(candidates['evan-native']!.npmPackage, 'lib.js'));
  return async (settings: EncoderSettings): Promise<Pair> => {
    const common = { channels: 1, sample_rate: SAMPLE_RATE_HZ };
    const encoder = new Encoder({ ...common, application: EVAN_APPLICATIONS[settings.application] });
    for (const [request, value] of controls(settings)) encoder.ctl(request, value);
    const decoder = new Decoder(common);
    return {
      encode: (frame) => encoder.encode(frame),
      decode: (packet) => samplesOf(decoder.decode(packet)),
    };
  };
}

/** Without the package's own JavaScript: libopus' functions as WebAssembly exports them. */
async function loadEvanSimd() {
  const nothing = () => 0;
  const module = new Module(
    readFileSync(require.resolve(join(candidates['evan-simd']!.npmPackage, 'wasm/simd.wasm'))),
  );
  const { exports } = new Instance(module, {
    wasi_snapshot_preview1: { proc_exit: nothing, fd_close: nothing, fd_write: nothing, fd_seek: nothing },
    env: { emscripten_notify_memory_growth: nothing },
  });
  const memory = exports.memory as { readonly buffer: ArrayBuffer };
  const opus = exports as unknown as Record<string, (...args: number[]) => number>;
  const [packetAt, pcmAt] = [opus.malloc!(1_500), opus.malloc!(2 * FRAME_SAMPLES)];
  return async (settings: EncoderSettings): Promise<Pair> => {
    const encoder = opus.malloc!(opus.opus_encoder_get_size!(1));
    const decoder = opus.malloc!(opus.opus_decoder_get_size!(1));
    if (!encoder || !decoder) throw new Error('out of memory');
    opus.opus_encoder_init!(encoder, SAMPLE_RATE_HZ, 1, settings.application);
    opus.opus_decoder_init!(decoder, SAMPLE_RATE_HZ, 1);
    for (const [request, value] of controls(settings)) opus.opus_encoder_ctl_set!(encoder, request, value);
    const run = (packet: Uint8Array | null, fec: 0 | 1) => {
      if (packet) new Uint8Array(memory.buffer).set(packet, packetAt);
      const at = packet ? packetAt : 0;
      opus.opus_decode!(decoder, at, packet?.length ?? 0, pcmAt, FRAME_SAMPLES, fec);
      return new Int16Array(memory.buffer, pcmAt, FRAME_SAMPLES);
    };
    return {
      encode: (frame) => {
        new Int16Array(memory.buffer).set(frame, pcmAt >> 1);
        const length = opus.opus_encode!(encoder, pcmAt, FRAME_SAMPLES, packetAt, 1_275);
        return new Uint8Array(memory.buffer, packetAt, length);
      },
      decode: (packet) => run(packet, 0),
      conceal: () => run(null, 0),
      recover: (next) => run(next, 1),
    };
  };
}

async function loadLibopusWasm() {
  const { createEncoder, createDecoder } = await import(candidates['libopus-wasm']!.npmPackage);
  return async (settings: EncoderSettings): Promise<Pair> => {
    const encoder = await createEncoder({
      channels: 1,
      application: settings.application,
      bitrate: settings.bitrateBps,
      complexity: settings.complexity,
      fec: settings.fec,
      packetLossPercent: settings.fec ? 10 : 0,
    });
    const decoder = await createDecoder({ channels: 1 });
    return {
      encode: (frame) => encoder.encode(frame),
      decode: (packet) => decoder.decode(packet),
      conceal: () => decoder.decodePacketLoss(FRAME_SAMPLES),
      recover: (next) => decoder.decode(next, { decodeFec: true, frameSize: FRAME_SAMPLES }),
    };
  };
}

async function loadOpusscript() {
  const OpusScript = require(candidates.opusscript!.npmPackage);
  return async (settings: EncoderSettings): Promise<Pair> => {
    const codec = new OpusScript(SAMPLE_RATE_HZ, 1, settings.application);
    for (const [request, value] of controls(settings)) codec.encoderCTL(request, value);
    return {
      encode: (frame) => codec.encode(bytesOf(frame), FRAME_SAMPLES),
      decode: (packet) => samplesOf(codec.decode(packet)),
    };
  };
}
