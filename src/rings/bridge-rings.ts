import type { PacketRings } from '../media/packet-media.ts';
import type { PcmRings } from '../media/pcm-media.ts';
import { Doorbell } from './doorbell.ts';
import { frameRingMemory } from './frame-ring.ts';
import { packetRingMemory } from './packet-ring.ts';
import { ringMemory } from './ring-layout.ts';

/** 171 ms at 48 kHz. The engine reads the ring every tick. */
const VOICE_SAMPLES = 8_192;
/** 200 ms of 32 sources that all send G.711, and longer than an engine thread takes to be replaced for the usual few. */
const RECEIVED_BYTES = 65_536;
/** 420 ms of G.711, 600 ms of Opus. What waits longer would be too old to play. */
const SENT_BYTES = 4_096;

/** Allocates the PCM rings of a call with this many voices in a room of this rate. */
export function newPcmRings(voices: number, sampleRateHz: number): PcmRings {
  return {
    voices: Array.from({ length: voices }, () => ringMemory(VOICE_SAMPLES)),
    hears: { sampleRateHz, memory: frameRingMemory(sampleRateHz) },
    doorbell: new Doorbell().memory,
  };
}

/** Allocates the packet rings of a call. */
export function newPacketRings(): PacketRings {
  return {
    received: packetRingMemory(RECEIVED_BYTES),
    sent: packetRingMemory(SENT_BYTES),
    doorbell: new Doorbell().memory,
  };
}
