import type { StreamEvent } from '../schema/stream.ts';
import { type MessageShape, messageBytes } from './frame-packer.ts';

/** The format of a client's audio on a call. */
export function audioConfigWire(shape: MessageShape, nativeSampleRateHz: number): StreamEvent {
  const { sampleRateHz, format, messageMs } = shape;
  return {
    type: 'audio_config',
    sample_rate: sampleRateHz,
    native_sample_rate: nativeSampleRateHz,
    resampling: sampleRateHz !== nativeSampleRateHz,
    format,
    channels: 1,
    frame_duration_ms: messageMs,
    frame_bytes: messageBytes(shape),
    ready: true,
  };
}
