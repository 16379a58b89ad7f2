import { createRequire } from 'node:module';
import { join } from 'node:path';

/** Interface of opus.c, one per thread. */
interface OpusBinding {
  readonly version: number;
  /** Version string of libopus: "libopus 1.3.1". */
  readonly library: string;
  use(packet: ArrayBuffer, samples: ArrayBuffer): void;
  openEncoder(rateHz: number): number;
  openDecoder(rateHz: number): number;
  close(stream: number): void;
  control(stream: number, request: number, value: number): number;
  encode(stream: number, samples: number, maxBytes: number): number;
  decode(stream: number, bytes: number, samples: number, fec: number): number;
}

/** The binding with its buffers for packets and samples. */
export interface NativeOpus extends Omit<OpusBinding, 'version' | 'use'> {
  readonly packet: Uint8Array;
  readonly samples: Int16Array;
}

/** Must equal INTERFACE_VERSION in opus.c. */
const VERSION = 2;
const BINARY = join(import.meta.dirname, '../../build/opus.node');

/** Loads libopus for this thread with buffers of the given sizes. Returns the reason when it cannot be loaded. */
export function loadOpus(packetBytes: number, frameSamples: number): NativeOpus | string {
  try {
    const binding = createRequire(import.meta.url)(BINARY) as OpusBinding;
    if (binding.version !== VERSION) return `it is of version ${binding.version}, not ${VERSION}`;
    const packet = new Uint8Array(packetBytes);
    const samples = new Int16Array(frameSamples);
    binding.use(packet.buffer, samples.buffer);
    const { library, openEncoder, openDecoder, close, control, encode, decode } = binding;
    return { library, packet, samples, openEncoder, openDecoder, close, control, encode, decode };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === 'MODULE_NOT_FOUND' ? 'it was not built' : message;
  }
}
