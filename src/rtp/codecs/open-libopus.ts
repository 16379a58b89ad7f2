import { type LibOpus, MAX_OPUS_FRAME_SAMPLES, MAX_OPUS_PACKET_BYTES } from '../../audio/libopus.ts';
import { WasmOpus } from '../../audio/opus-wasm.ts';
import { loadOpus } from '../../native/opus.ts';

/** Returns this thread's libopus: native where it is built, and the WebAssembly one otherwise and with portable I/O. */
export function openLibOpus(kind: 'native' | 'portable'): LibOpus {
  if (kind === 'portable') return new WasmOpus();
  const native = loadOpus(MAX_OPUS_PACKET_BYTES, MAX_OPUS_FRAME_SAMPLES);
  return typeof native === 'string' ? new WasmOpus() : native;
}
