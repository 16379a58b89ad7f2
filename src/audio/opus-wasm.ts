import { createRequire } from 'node:module';
import {
  type LibOpus,
  MAX_OPUS_FRAME_SAMPLES,
  MAX_OPUS_PACKET_BYTES,
  MAX_OPUS_STREAMS,
  OPUS_ALLOC_FAIL,
  OPUS_APPLICATION_VOIP,
  OPUS_BAD_ARG,
} from './libopus.ts';
import { type WasmMemory, wasmInstance, wasmModule } from './wasm.ts';

/** libopus 1.3 with SIMD, from the package @evan/opus. Only its WebAssembly is used, not its JavaScript. */
const BINARY = '@evan/opus/wasm/simd.wasm';
const CHANNELS = 1;
const NOWHERE = 0;

/** Exports of the module. Addresses are offsets in `memory`. */
interface OpusExports {
  readonly memory: WasmMemory;
  _initialize(): void;
  malloc(bytes: number): number;
  free(at: number): void;
  opus_encoder_get_size(channels: number): number;
  opus_encoder_init(encoder: number, rateHz: number, channels: number, application: number): number;
  opus_encoder_ctl_set(encoder: number, request: number, value: number): number;
  opus_encode(encoder: number, pcm: number, samples: number, out: number, maxBytes: number): number;
  opus_decoder_get_size(channels: number): number;
  opus_decoder_init(decoder: number, rateHz: number, channels: number): number;
  opus_decoder_ctl_set(decoder: number, request: number, value: number): number;
  opus_decode(
    decoder: number,
    packet: number,
    bytes: number,
    pcm: number,
    samples: number,
    fec: number,
  ): number;
}

/** All encoders and decoders of a thread in one WebAssembly memory. A stream is its address there. */
export class WasmOpus implements LibOpus {
  readonly library = 'WebAssembly of @evan/opus';
  packet = new Uint8Array(0);
  samples = new Int16Array(0);
  readonly #exports: OpusExports;
  readonly #packetAt: number;
  readonly #samplesAt: number;
  readonly #streams = new Map<number, 'encoder' | 'decoder'>();

  constructor() {
    this.#exports = instantiate();
    this.#packetAt = this.#exports.malloc(MAX_OPUS_PACKET_BYTES);
    this.#samplesAt = this.#exports.malloc(MAX_OPUS_FRAME_SAMPLES * Int16Array.BYTES_PER_ELEMENT);
    this.#look();
  }

  openEncoder(rateHz: number): number {
    const { opus_encoder_get_size, opus_encoder_init } = this.#exports;
    const stream = this.#take(opus_encoder_get_size(CHANNELS));
    if (stream <= 0) return stream;
    const error = opus_encoder_init(stream, rateHz, CHANNELS, OPUS_APPLICATION_VOIP);
    return this.#opened(stream, 'encoder', error);
  }

  openDecoder(rateHz: number): number {
    const { opus_decoder_get_size, opus_decoder_init } = this.#exports;
    const stream = this.#take(opus_decoder_get_size(CHANNELS));
    if (stream <= 0) return stream;
    return this.#opened(stream, 'decoder', opus_decoder_init(stream, rateHz, CHANNELS));
  }

  close(stream: number): void {
    if (this.#streams.delete(stream)) this.#exports.free(stream);
  }

  control(stream: number, request: number, value: number): number {
    const kind = this.#streams.get(stream);
    if (kind === 'encoder') return this.#exports.opus_encoder_ctl_set(stream, request, value);
    if (kind === 'decoder') return this.#exports.opus_decoder_ctl_set(stream, request, value);
    return OPUS_BAD_ARG;
  }

  encode(stream: number, samples: number, maxBytes: number): number {
    if (this.#streams.get(stream) !== 'encoder') return OPUS_BAD_ARG;
    if (samples > MAX_OPUS_FRAME_SAMPLES || maxBytes > MAX_OPUS_PACKET_BYTES) return OPUS_BAD_ARG;
    return this.#exports.opus_encode(stream, this.#samplesAt, samples, this.#packetAt, maxBytes);
  }

  decode(stream: number, bytes: number, samples: number, fec: number): number {
    if (this.#streams.get(stream) !== 'decoder') return OPUS_BAD_ARG;
    if (samples > MAX_OPUS_FRAME_SAMPLES || bytes > MAX_OPUS_PACKET_BYTES) return OPUS_BAD_ARG;
    const packetAt = bytes === 0 ? NOWHERE : this.#packetAt;
    return this.#exports.opus_decode(stream, packetAt, bytes, this.#samplesAt, samples, fec);
  }

  #take(bytes: number): number {
    if (this.#streams.size >= MAX_OPUS_STREAMS) return OPUS_ALLOC_FAIL;
    const at = this.#exports.malloc(bytes);
    this.#look();
    return at === NOWHERE ? OPUS_ALLOC_FAIL : at;
  }

  #opened(stream: number, kind: 'encoder' | 'decoder', error: number): number {
    if (error === 0) this.#streams.set(stream, kind);
    else this.#exports.free(stream);
    return error === 0 ? stream : error;
  }

  /** Renews the views: memory that has grown has a new buffer. Only opening a stream can make it grow. */
  #look(): void {
    const { buffer } = this.#exports.memory;
    if (this.packet.buffer === buffer) return;
    this.packet = new Uint8Array(buffer, this.#packetAt, MAX_OPUS_PACKET_BYTES);
    this.samples = new Int16Array(buffer, this.#samplesAt, MAX_OPUS_FRAME_SAMPLES);
  }
}

function instantiate(): OpusExports {
  const file = createRequire(import.meta.url).resolve(BINARY);
  const nothing = () => 0;
  const imports = {
    wasi_snapshot_preview1: { proc_exit: nothing, fd_close: nothing, fd_write: nothing, fd_seek: nothing },
    env: { emscripten_notify_memory_growth: nothing },
  };
  const exports = wasmInstance<OpusExports>(wasmModule(file), imports);
  exports._initialize();
  return exports;
}
