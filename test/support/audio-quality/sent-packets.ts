import { WasmOpus } from '../../../src/audio/opus-wasm.ts';
import type { VoiceEncoder } from '../../../src/rtp/codecs/voice-codec.ts';
import { VoiceCodecs } from '../../../src/rtp/codecs/voice-codecs.ts';
import { framesOf } from '../speech-signal.ts';
import { type SoundName, sound } from './sounds.ts';

export type QualityCodec = 'PCMU' | 'G722' | 'opus';

type OfEachCodec = Record<QualityCodec, number>;

/** The rate of the room for each codec, at which it is encoded and decoded. */
export const ROOM_RATE_HZ = { PCMU: 8_000, G722: 16_000, opus: 48_000 } as const satisfies OfEachCodec;
export const CLOCK_RATE_HZ = { PCMU: 8_000, G722: 8_000, opus: 48_000 } as const satisfies OfEachCodec;
export const PAYLOAD_TYPES = { PCMU: 0, G722: 9, opus: 111 } as const satisfies OfEachCodec;
/** The sender's Opus carries FEC for so much loss, as browsers' does after their first receiver reports. */
const EXPECTED_LOSS_PERCENT = 10;
const MAX_PAYLOAD_BYTES = 400;

export const voiceCodecs = new VoiceCodecs(() => new WasmOpus());

const encoded = new Map<string, readonly Uint8Array[]>();

/** The payloads of a sound in packets of 20 ms, encoded once per process. */
export function sentPackets(name: SoundName, codec: QualityCodec, seconds: number): readonly Uint8Array[] {
  const key = `${name} ${codec} ${seconds}`;
  const known = encoded.get(key);
  if (known !== undefined) return known;
  const encoder = voiceCodecs.encoder(codec, ROOM_RATE_HZ[codec]);
  encoder.expectLoss(EXPECTED_LOSS_PERCENT);
  const rateHz = ROOM_RATE_HZ[codec];
  const payloads = framesOf(sound(name, rateHz, seconds), rateHz).map((frame) => payloadOf(encoder, frame));
  encoder.close();
  encoded.set(key, payloads);
  return payloads;
}

function payloadOf(encoder: VoiceEncoder, frame: Int16Array): Uint8Array {
  const payload = new Uint8Array(MAX_PAYLOAD_BYTES);
  return payload.slice(0, encoder.encode(frame, true, payload, 0));
}

const decoded = new Map<string, Int16Array>();

/** The sound as a path without any trouble delivers it. */
export function undisturbed(name: SoundName, codec: QualityCodec, seconds: number): Int16Array {
  const key = `${name} ${codec} ${seconds}`;
  const known = decoded.get(key);
  if (known !== undefined) return known;
  const rateHz = ROOM_RATE_HZ[codec];
  const decoder = voiceCodecs.decoder(codec, rateHz);
  const frame = new Int16Array(rateHz / 50);
  const heard = new Int16Array(seconds * rateHz);
  for (const [i, bytes] of sentPackets(name, codec, seconds).entries()) {
    decoder.decode({ bytes, payloadOffset: 0, payloadLength: bytes.length }, frame, 0, frame.length);
    heard.set(frame, i * frame.length);
  }
  decoder.close();
  decoded.set(key, heard);
  return heard;
}
