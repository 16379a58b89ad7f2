import { createRequire } from 'node:module';
import { join } from 'node:path';

/** What opus.c offers a thread; see there. */
interface OpusBinding {
  readonly version: number;
  /** What libopus calls itself: "libopus 1.3.1". */
  readonly library: string;
  use(packet: ArrayBuffer, samples: ArrayBuffer): void;
  openEncoder(rateHz: number): number;
  openDecoder(rateHz: number): number;
  close(stream: number): void;
  control(stream: number, request: number, value: number): number;
  encode(stream: number, samples: number, maxBytes: number): number;
  decode(stream: number, bytes: number, samples: number, fec: number): number;
}

/** The binding with the buffers that packets and samples pass through. */
export interface NativeOpus extends Omit<OpusBinding, 'version' | 'use'> {
  readonly packet: Uint8Array;
  readonly samples: Int16Array;
}

/** INTERFACE_VERSION of opus.c. */
const VERSION = 2;
const BINARY = join(import.meta.dirname, '../../build/opus.node');

/** This thread's libopus, with room for such packets and frames; returns why not when that cannot be. */
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
