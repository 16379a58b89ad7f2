import type { MediaProtocol } from './media-protocol.ts';

/**
 * The audio of one call between an engine thread and a bridge thread, in shared memory. When a transport is lost, another
 * one may take over its rings; the media leg stays open and is silent meanwhile.
 */
export interface PcmRings {
  /** A ring for each voice of the platform, at any rate. */
  readonly voices: readonly SharedArrayBuffer[];
  /** What the platform hears, in frames of 20 ms at the rate of the room. */
  readonly hears: { readonly sampleRateHz: number; readonly memory: SharedArrayBuffer };
  /** Rung whenever a frame for the platform was written. */
  readonly doorbell: SharedArrayBuffer;
}

/** A media leg for transports that have only PCM. It takes no configuration and no commands. */
export const PCM_MEDIA: MediaProtocol<PcmRings, null, Record<never, never>> = { kind: 'pcm' };
