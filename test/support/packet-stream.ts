import { encodeUlaw } from '../../src/audio/g711.ts';
import { OpusEncoder } from '../../src/audio/opus.ts';
import { WasmOpus } from '../../src/audio/opus-wasm.ts';
import type { RtpCodec } from '../../src/rtp/rtp-protocol.ts';
import { Tone } from './tone.ts';

const FRAME_MS = 20;
const HEADER_BYTES = 12;
const MAX_PAYLOAD_BYTES = 400;
/** The WebAssembly one, for all streams of a thread. */
let opus: WasmOpus | null = null;

/** The codecs of a stream: the RTP clock and the payload type that the tests use. */
export const STREAM_CODECS = {
  PCMU: { clockRateHz: 8_000, payloadType: 0 },
  PCMA: { clockRateHz: 8_000, payloadType: 8 },
  G722: { clockRateHz: 8_000, payloadType: 9 },
  opus: { clockRateHz: 48_000, payloadType: 120 },
} as const satisfies Record<RtpCodec, unknown>;

interface StreamOptions {
  readonly ssrc: number;
  readonly toneHz: number;
  readonly codec?: 'PCMU' | 'opus';
  readonly amplitude?: number;
}

/** One RTP stream of a steady tone, in packets of 20 ms. */
export class PacketStream {
  readonly ssrc: number;
  sequence = 65_530;
  timestamp = 0xffff_f000;
  readonly #codec: 'PCMU' | 'opus';
  readonly #tone: Tone;
  readonly #frame: Int16Array;
  readonly #encoder: OpusEncoder | null;
  readonly #payload = new Uint8Array(MAX_PAYLOAD_BYTES);

  constructor({ ssrc, toneHz, codec = 'PCMU', amplitude = 0.2 }: StreamOptions) {
    const { clockRateHz } = STREAM_CODECS[codec];
    this.ssrc = ssrc;
    this.#codec = codec;
    this.#tone = new Tone(toneHz, clockRateHz, amplitude);
    this.#frame = new Int16Array((clockRateHz * FRAME_MS) / 1000);
    if (codec === 'opus') opus ??= new WasmOpus();
    const tuning = { bitrateBps: 64_000, complexity: 5, lossPercent: 0, signal: 'voice' } as const;
    this.#encoder = codec === 'opus' ? new OpusEncoder(opus!, 48_000, tuning) : null;
  }

  /** The next 20 ms. `csrcs` are listed in the header, in this order. */
  next(csrcs: readonly number[] = []): Uint8Array {
    this.#tone.fill(this.#frame);
    const length = this.#encode();
    const packet = rtpPacket({ ...this, payloadType: STREAM_CODECS[this.#codec].payloadType, csrcs }, [
      ...this.#payload.subarray(0, length),
    ]);
    this.sequence = (this.sequence + 1) & 0xffff;
    this.timestamp = (this.timestamp + this.#frame.length) >>> 0;
    return packet;
  }

  #encode(): number {
    if (this.#encoder !== null) return this.#encoder.encode(this.#frame, this.#payload, 0, MAX_PAYLOAD_BYTES);
    encodeUlaw(this.#frame, this.#frame.length, this.#payload, 0);
    return this.#frame.length;
  }
}

interface PacketHeader {
  readonly payloadType: number;
  readonly sequence: number;
  readonly timestamp: number;
  readonly ssrc: number;
  readonly csrcs?: readonly number[];
}

export function rtpPacket(header: PacketHeader, payload: readonly number[]): Uint8Array {
  const { payloadType, sequence, timestamp, ssrc, csrcs = [] } = header;
  const packet = Buffer.alloc(HEADER_BYTES + 4 * csrcs.length + payload.length);
  packet[0] = 0x80 | csrcs.length;
  packet[1] = payloadType;
  packet.writeUInt16BE(sequence, 2);
  packet.writeUInt32BE(timestamp, 4);
  packet.writeUInt32BE(ssrc, 8);
  for (const [i, csrc] of csrcs.entries()) packet.writeUInt32BE(csrc, HEADER_BYTES + 4 * i);
  packet.set(payload, HEADER_BYTES + 4 * csrcs.length);
  return packet;
}
