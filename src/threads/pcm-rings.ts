import type { PcmRings } from '../connectors/contract/pcm-media.ts';
import { Doorbell } from './doorbell.ts';
import { frameRingMemory } from './frame-ring.ts';
import { ringMemory } from './ring-layout.ts';

/** 171 ms at 48 kHz. The engine reads the ring every tick. */
const VOICE_SAMPLES = 8_192;

/** Allocates the rings of a call with this many voices in a room of this rate. */
export function newPcmRings(voices: number, sampleRateHz: number): PcmRings {
  return {
    voices: Array.from({ length: voices }, () => ringMemory(VOICE_SAMPLES)),
    hears: { sampleRateHz, memory: frameRingMemory(sampleRateHz) },
    doorbell: new Doorbell().memory,
  };
}
