import { MAX_OPUS_PACKET_BYTES } from '../../../audio/libopus.ts';
import { isOpusPause } from '../../../audio/opus-packet.ts';
import { RTP_HEADER_BYTES, readUint32 } from '../../../rtp/rtp-packet.ts';
import type { VoiceSession } from './voice-session.ts';

/** An Opus frame of silence. https://docs.discord.com/developers/topics/voice-connections#voice-data-interpolation */
const SILENCE = Buffer.from([0xf8, 0xff, 0xfe]);
/** Sent when speaking stops, so that receivers do not interpolate between two utterances. */
const SILENCE_FRAMES = 5;
const FRAME_TICKS = 960;
const TIMESTAMP_OFFSET = 4;

/** An RTP packet: `bytes` from `start` to `end`. */
interface WrittenPacket {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
}

/** What the agent says: Opus packets of the engine, which arrive every 20 ms also while it is silent. */
export class OutboundAudio {
  readonly #session: Pick<VoiceSession, 'send' | 'stopSpeaking'>;
  readonly #bytes = Buffer.alloc(MAX_OPUS_PACKET_BYTES);
  /** Views of `#bytes` by their length. */
  readonly #views: Buffer[] = [];
  #silenceToSend = 0;
  /** Timestamp of the last packet that was sent. The engine's clock goes on in pauses, the library's does not. */
  #lastTimestamp: number | null = null;

  constructor(session: Pick<VoiceSession, 'send' | 'stopSpeaking'>) {
    this.#session = session;
  }

  /** Sends an RTP packet of the engine, whose header is fixed. */
  readonly send = ({ bytes, start, end }: WrittenPacket): void => {
    const length = end - start - RTP_HEADER_BYTES;
    if (length < 1 || length > MAX_OPUS_PACKET_BYTES) return;
    const timestamp = readUint32(bytes, start + TIMESTAMP_OFFSET);
    if (isOpusPause(length)) return this.#pause(timestamp);
    for (let i = 0; i < length; i++) this.#bytes[i] = bytes[start + RTP_HEADER_BYTES + i]!;
    this.#views[length] ??= this.#bytes.subarray(0, length);
    if (this.#play(this.#views[length], timestamp)) this.#silenceToSend = SILENCE_FRAMES;
  };

  #pause(timestamp: number): void {
    if (this.#silenceToSend === 0) return;
    this.#play(SILENCE, timestamp);
    this.#silenceToSend--;
    if (this.#silenceToSend === 0) this.#session.stopSpeaking();
  }

  /** Returns false when nothing can be sent now. */
  #play(payload: Buffer, timestamp: number): boolean {
    const last = this.#lastTimestamp ?? timestamp - FRAME_TICKS;
    if (!this.#session.send(payload, timestamp - last - FRAME_TICKS)) return false;
    this.#lastTimestamp = timestamp;
    return true;
  }
}
