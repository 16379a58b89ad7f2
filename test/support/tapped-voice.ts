import { FrameRingConsumer, frameRingMemory } from '../../src/rings/frame-ring.ts';
import type { EngineCall } from '../../src/threads/call-link.ts';
import { waitFor } from './wait-for.ts';

/** The next frames of one voice of a call alone. */
export async function tappedVoice(
  call: EngineCall,
  voice: number,
  sampleRateHz: number,
  count: number,
): Promise<Int16Array> {
  const memory = frameRingMemory(sampleRateHz);
  call.tap(voice, { sampleRateHz, memory });
  const ring = new FrameRingConsumer(memory, sampleRateHz);
  const frames: Uint8Array[] = [];
  await waitFor('frames of the tap', () => {
    for (let waiting = ring.waiting(); waiting > 0; waiting--) {
      frames.push(Uint8Array.from(ring.oldest()));
      ring.release();
    }
    return frames.length >= count;
  });
  call.tap(voice, null);
  const bytes = Buffer.concat(frames.slice(0, count));
  return new Int16Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 2);
}
