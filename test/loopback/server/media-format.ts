import { MAX_OPUS_PACKET_BYTES } from '../../../src/audio/libopus.ts';
import { OpusDecoder, OpusEncoder } from '../../../src/audio/opus.ts';
import { WasmOpus } from '../../../src/audio/opus-wasm.ts';

/** The vendor's two ways to carry audio in binary WebSocket messages. */
export interface MediaFormat {
  /** The message with the next 20 ms of a voice, at 48 kHz. */
  write(voice: number, frame: Int16Array): Uint8Array;
  /** What a message of the app says, at 48 kHz. Throws when the message is malformed. */
  read(message: Buffer): Int16Array;
}

const SAMPLE_RATE_HZ = 48_000;
const FRAME_SAMPLES = 960;
const FRAME_BYTES = FRAME_SAMPLES * Int16Array.BYTES_PER_ELEMENT;

/** The number of the voice (uint16) and 20 ms of PCM, little-endian. The app's own messages have no number. */
export class PcmFormat implements MediaFormat {
  write(voice: number, frame: Int16Array): Uint8Array {
    const message = Buffer.alloc(2 + FRAME_BYTES);
    message.writeUInt16LE(voice);
    for (let i = 0; i < frame.length; i++) message.writeInt16LE(frame[i]!, 2 + 2 * i);
    return message;
  }

  read(message: Buffer): Int16Array {
    if (message.length !== FRAME_BYTES) throw new Error(`${message.length} bytes are not 20 ms of PCM`);
    return Int16Array.from({ length: FRAME_SAMPLES }, (_, i) => message.readInt16LE(2 * i));
  }
}

const HEADER_BYTES = 12;
const VERSION = 0x80;
const PAYLOAD_TYPE = 111;
const TUNING = { bitrateBps: 48_000, complexity: 5, lossPercent: 0, signal: 'voice' } as const;

/** Opus in RTP packets (RFC 3550, RFC 7587), a synchronization source for each voice. */
export class OpusPackets implements MediaFormat {
  readonly #opus = new WasmOpus();
  readonly #decoder = new OpusDecoder(this.#opus, SAMPLE_RATE_HZ);
  /** By voice. */
  readonly #sources = new Map<number, PacketSource>();
  readonly #ssrcOf: (voice: number) => number;

  constructor(ssrcOf: (voice: number) => number) {
    this.#ssrcOf = ssrcOf;
  }

  write(voice: number, frame: Int16Array): Uint8Array {
    let source = this.#sources.get(voice);
    if (source === undefined) {
      source = new PacketSource(this.#opus, this.#ssrcOf(voice));
      this.#sources.set(voice, source);
    }
    return source.write(frame);
  }

  read(message: Buffer): Int16Array {
    const isOurs = message[0] === VERSION && (message[1]! & 0x7f) === PAYLOAD_TYPE;
    if (!isOurs || message.length <= HEADER_BYTES) throw new Error('not an RTP packet with Opus');
    const payload = {
      bytes: message,
      payloadOffset: HEADER_BYTES,
      payloadLength: message.length - HEADER_BYTES,
    };
    const frame = new Int16Array(FRAME_SAMPLES);
    if (this.#decoder.decode(payload, frame, 0, FRAME_SAMPLES) !== FRAME_SAMPLES)
      throw new Error('not 20 ms of Opus');
    return frame;
  }
}

/** One voice as a stream of RTP packets. */
class PacketSource {
  readonly #ssrc: number;
  readonly #encoder: OpusEncoder;
  readonly #payload = new Uint8Array(MAX_OPUS_PACKET_BYTES);
  #sequence = Math.floor(Math.random() * 65_536);
  #timestamp = Math.floor(Math.random() * 2 ** 32);

  constructor(opus: WasmOpus, ssrc: number) {
    this.#ssrc = ssrc;
    this.#encoder = new OpusEncoder(opus, SAMPLE_RATE_HZ, TUNING);
  }

  write(frame: Int16Array): Uint8Array {
    const length = this.#encoder.encode(frame, this.#payload, 0, MAX_OPUS_PACKET_BYTES);
    const packet = Buffer.alloc(HEADER_BYTES + length);
    packet[0] = VERSION;
    packet[1] = PAYLOAD_TYPE;
    packet.writeUInt16BE(this.#sequence, 2);
    packet.writeUInt32BE(this.#timestamp, 4);
    packet.writeUInt32BE(this.#ssrc, 8);
    packet.set(this.#payload.subarray(0, length), HEADER_BYTES);
    this.#sequence = (this.#sequence + 1) & 0xffff;
    this.#timestamp = (this.#timestamp + FRAME_SAMPLES) >>> 0;
    return packet;
  }
}
