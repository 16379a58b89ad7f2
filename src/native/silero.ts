import { loadAddon } from './addon.ts';

/** Interface of silero.c. */
interface SileroBinding {
  readonly version: number;
  /** Numbers that are kept of a voice between two windows. */
  readonly stateLength: number;
  /** The probability of speech in the next 256 samples of a voice at 8 kHz, 0 to 1. A new state holds zeros. */
  probability(state: Float32Array, samples: Int16Array): number;
}

export type NativeSilero = Omit<SileroBinding, 'version'>;

/** Must equal INTERFACE_VERSION in silero.c. */
const VERSION = 1;

/** Loads the network for this thread. Returns the reason when it cannot be loaded. */
export function loadSilero(): NativeSilero | string {
  return loadAddon<SileroBinding>('silero', VERSION);
}
