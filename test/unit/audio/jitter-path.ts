import { JitterBuffer, type Pulled } from '../../../src/audio/jitter-buffer.ts';
import { newJitterCounters } from '../../../src/audio/jitter-counters.ts';

export interface PathPacket {
  readonly index: number;
  readonly sequenceNumber: number;
  readonly timestamp: number;
  readonly durationSamples: number;
  readonly arrivalMs: number;
  readonly quiet?: boolean;
}

export interface Played {
  readonly atMs: number;
  readonly pulled: Pulled;
  /** Index of the packet; −1 for anything else. */
  readonly index: number;
  readonly depthMs: number;
  readonly targetMs: number;
}

const QUIET_FLAG = 0x80;

/** A stream as its sender produces it: `count` packets that arrive `transitMs(i)` after they were recorded. */
export function stream(
  count: number,
  transitMs: (index: number) => number,
  options: {
    packetMs?: number;
    sequence?: number;
    timestamp?: number;
    quiet?: (index: number) => boolean;
  } = {},
): PathPacket[] {
  const { packetMs = 20, sequence = 0, timestamp = 0, quiet = () => false } = options;
  return Array.from({ length: count }, (_, index) => ({
    index,
    sequenceNumber: (sequence + index) & 0xffff,
    timestamp: (timestamp + index * packetMs * 8) >>> 0,
    durationSamples: packetMs * 8,
    arrivalMs: index * packetMs + transitMs(index),
    quiet: quiet(index),
  }));
}

/** By how much a frame becomes longer or shorter when the buffer wants another pace. */
const PACE_CHANGE_MS = 3;

/**
 * Runs packets through a buffer in virtual time, with a tick every 20 ms as in the engine, or a delayed one. The listener
 * changes the pace as much as it may.
 */
export function play(
  packets: readonly PathPacket[],
  untilMs: number,
  buffer = newBuffer(),
  lateMs: (tick: number) => number = () => 0,
): Played[] {
  const arriving = packets.toSorted((a, b) => a.arrivalMs - b.arrivalMs);
  const played: Played[] = [];
  let next = 0;
  let creditSamples = 0;
  for (let tick = 0; tick * 20 + 10 < untilMs; tick++) {
    const nowMs = tick * 20 + 10 + lateMs(tick);
    for (; next < arriving.length && arriving[next]!.arrivalMs <= nowMs; next++)
      insert(buffer, arriving[next]!);
    const shorterMs =
      buffer.pacing.pace === 'usual' ? 0 : buffer.pacing.pace === 'faster' ? PACE_CHANGE_MS : -PACE_CHANGE_MS;
    if (shorterMs !== 0) buffer.noteShortened(shorterMs);
    for (creditSamples += 160 + shorterMs * 8; creditSamples > 0; creditSamples -= buffer.durationSamples) {
      const depthMs = buffer.depthMs;
      const pulled = buffer.pull();
      const index = pulled === 'packet' ? indexOf(buffer) : -1;
      played.push({ atMs: nowMs, pulled, index, depthMs, targetMs: buffer.targetMs });
    }
  }
  return played;
}

export function newBuffer(): JitterBuffer {
  return new JitterBuffer(
    {
      clockRateHz: 8_000,
      maxPayloadBytes: 480,
      isQuiet: (bytes, offset) => (bytes[offset + 3]! & QUIET_FLAG) !== 0,
    },
    newJitterCounters(),
  );
}

const bytes = new Uint8Array(480);

export function insert(buffer: JitterBuffer, packet: PathPacket): boolean {
  bytes[0] = packet.index >> 16;
  bytes[1] = packet.index >> 8;
  bytes[2] = packet.index;
  bytes[3] = packet.quiet ? QUIET_FLAG : 0;
  const { sequenceNumber, timestamp, durationSamples } = packet;
  const read = {
    bytes,
    sequenceNumber,
    timestamp,
    payloadOffset: 0,
    payloadLength: Math.max(durationSamples, 4),
  };
  return buffer.insert(read, durationSamples, packet.arrivalMs);
}

export function indexOf(buffer: JitterBuffer): number {
  const { bytes, payloadOffset } = buffer;
  return (bytes[payloadOffset]! << 16) | (bytes[payloadOffset + 1]! << 8) | bytes[payloadOffset + 2]!;
}

export function indices(played: readonly Played[]): number[] {
  return played.filter(({ pulled }) => pulled === 'packet').map(({ index }) => index);
}
