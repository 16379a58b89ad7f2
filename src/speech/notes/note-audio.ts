import type { LibOpus } from '../../audio/libopus.ts';
import { oggPackets } from '../../audio/ogg-packets.ts';
import { OpusDecoder } from '../../audio/opus.ts';
import { frameSamples } from '../../base/frame.ts';

/** What recognizers understand best. */
export const NOTE_RATE_HZ = 16_000;
/** An Opus packet has at most 120 ms (RFC 6716, section 2.1.4). */
const MAX_PACKET_SAMPLES = (NOTE_RATE_HZ * 120) / 1_000;

/**
 * Yields the sound of a voice note in frames of 20 ms. Ends with `maxMs` of it. Throws when it is not Opus in Ogg (RFC 7845),
 * as Telegram, WhatsApp and Discord record.
 */
export function* noteFrames(file: Uint8Array, opus: LibOpus, maxMs: number): Generator<Int16Array> {
  const packets = oggPackets(file);
  const { value: head } = packets.next();
  if (!head || !Buffer.from(head).toString('latin1').startsWith('OpusHead'))
    throw new Error('not Opus in Ogg');
  packets.next();
  const decoder = new OpusDecoder(opus, NOTE_RATE_HZ);
  try {
    yield* framesOf(packets, decoder, maxMs);
  } finally {
    decoder.free();
  }
}

function* framesOf(
  packets: Iterable<Uint8Array>,
  decoder: OpusDecoder,
  maxMs: number,
): Generator<Int16Array> {
  const decoded = new Int16Array(MAX_PACKET_SAMPLES);
  const frame = new Int16Array(frameSamples(NOTE_RATE_HZ));
  let filled = 0;
  let left = (NOTE_RATE_HZ * maxMs) / 1_000;
  for (const bytes of packets) {
    const payload = { bytes, payloadOffset: 0, payloadLength: bytes.length };
    const count = decoder.decode(payload, decoded, 0, MAX_PACKET_SAMPLES);
    for (let i = 0; i < count; i++) {
      frame[filled++] = decoded[i]!;
      if (filled < frame.length) continue;
      filled = 0;
      yield frame;
      left -= frame.length;
      if (left <= 0) return;
    }
  }
  yield frame.fill(0, filled);
}
