import { loadAddon } from './addon.ts';

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

/** Loads libopus for this thread with buffers of the given sizes. Returns the reason when it cannot be loaded. */
export function loadOpus(packetBytes: number, frameSamples: number): NativeOpus | string {
  const binding = loadAddon<OpusBinding>('opus', VERSION);
  if (typeof binding === 'string') return binding;
  const packet = new Uint8Array(packetBytes);
  const samples = new Int16Array(frameSamples);
  binding.use(packet.buffer, samples.buffer);
  const { library, openEncoder, openDecoder, close, control, encode, decode } = binding;
  return { library, packet, samples, openEncoder, openDecoder, close, control, encode, decode };
}
