import { MEDIA_MEMORY_BYTES } from '../../../src/media/media-leg.ts';
import { RtpReceiver } from '../../../src/rtp/reception/rtp-receiver.ts';
import { newRtpCounters, type RtpCounters } from '../../../src/rtp/rtp-counters.ts';
import { RTP_HEADER_BYTES, writeRtpHeader } from '../../../src/rtp/rtp-packet.ts';
import type { RtpConfig } from '../../../src/rtp/rtp-protocol.ts';
import { RtpState } from '../../../src/rtp/rtp-state.ts';
import { type NetworkCondition, PACKET_MS, timestampOffsetMs } from './network.ts';
import {
  CLOCK_RATE_HZ,
  PAYLOAD_TYPES,
  type QualityCodec,
  ROOM_RATE_HZ,
  voiceCodecs,
} from './sent-packets.ts';

const PEER = { address: '192.0.2.1', port: 4_000 };
const SSRC = 0x5eed;
/** Near the end of their ranges, so that both wrap. */
const FIRST_SEQUENCE = 65_400;
const FIRST_TIMESTAMP = 0xffff_8000;
const SEQUENCE_MODULO = 0x1_0000;
const MAX_PACKET_BYTES = 512;

/** Sequence number and timestamp of a packet of the stream. */
export function rtpTiming(condition: NetworkCondition, codec: QualityCodec, index: number) {
  const soundMs = index * PACKET_MS + timestampOffsetMs(condition, index);
  return {
    sequenceNumber: (FIRST_SEQUENCE + index) % SEQUENCE_MODULO,
    timestamp: (FIRST_TIMESTAMP + (soundMs * CLOCK_RATE_HZ[codec]) / 1000) >>> 0,
  };
}

/** The gateway's reception of one call, fed with packets and pulled by the caller, at times of the caller's clock. */
export class ReceivedCall {
  readonly counters: RtpCounters = newRtpCounters();
  readonly #codec: QualityCodec;
  readonly #condition: NetworkCondition;
  readonly #receiver: RtpReceiver;
  readonly #bytes = new Uint8Array(MAX_PACKET_BYTES);

  constructor(codec: QualityCodec, condition: NetworkCondition) {
    this.#codec = codec;
    this.#condition = condition;
    this.#receiver = new RtpReceiver(voiceCodecs, ROOM_RATE_HZ[codec], {
      memory: new RtpState(new SharedArrayBuffer(MEDIA_MEMORY_BYTES)),
      counters: this.counters,
      emit() {},
    });
    this.#receiver.configure(configOf(codec));
  }

  /** Packet `index` of the stream arrives. */
  receive(index: number, payload: Uint8Array, arrivalMs: number): void {
    const bytes = this.#bytes;
    const timing = rtpTiming(this.#condition, this.#codec, index);
    writeRtpHeader(bytes, {
      payloadType: PAYLOAD_TYPES[this.#codec],
      marker: false,
      ssrc: SSRC,
      ...timing,
    });
    bytes.set(payload, RTP_HEADER_BYTES);
    const end = RTP_HEADER_BYTES + payload.length;
    this.#receiver.receive({ bytes, start: 0, end, from: PEER, arrivalMs }, null);
  }

  pull(frame: Int16Array, nowMs: number): void {
    this.#receiver.pull(frame, nowMs);
    this.#receiver.count();
  }

  close(): void {
    this.#receiver.close();
  }
}

function configOf(codec: QualityCodec): RtpConfig {
  return {
    remoteHost: PEER.address,
    remotePort: PEER.port,
    remoteRtcpPort: PEER.port + 1,
    remotePlausible: true,
    signalingHost: PEER.address,
    behindNat: false,
    codec,
    payloadType: PAYLOAD_TYPES[codec],
    dtmfPayloadType: null,
    dtmfClockRateHz: 8_000,
    received: { codecs: [], events: [] },
    opus: null,
    sending: true,
    receiving: true,
    srtp: null,
    mediaTimeoutMs: 60_000,
  };
}
