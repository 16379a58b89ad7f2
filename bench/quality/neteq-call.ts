import {
  MediaStreamTrack,
  RTCRtpCodecParameters,
  RtpHeader,
  RtpPacket,
  RTCPeerConnection as Sender,
} from 'werift';
import { Resampler } from '../../src/audio/resampler.ts';
import type { NetworkCondition } from '../../test/support/audio-quality/network.ts';
import { rtpTiming } from '../../test/support/audio-quality/received-call.ts';
import {
  PAYLOAD_TYPES,
  type QualityCodec,
  ROOM_RATE_HZ,
} from '../../test/support/audio-quality/sent-packets.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import { type AudioData, nonstandard, RTCPeerConnection, type Track } from './libwebrtc.ts';

const SINK_MS = 10;
const SSRC = 0x5eed;
/** Moves the sequence numbers away from their wrap, near which packets that overtake each other cannot be encrypted. */
const SEQUENCE_OFFSET = 1_000;
const SEQUENCE_MODULO = 0x1_0000;

const FORMATS = {
  PCMU: { mimeType: 'audio/PCMU', clockRate: 8_000, channels: 1, payloadType: PAYLOAD_TYPES.PCMU },
  G722: { mimeType: 'audio/G722', clockRate: 8_000, channels: 1, payloadType: PAYLOAD_TYPES.G722 },
  opus: {
    mimeType: 'audio/opus',
    clockRate: 48_000,
    channels: 2,
    payloadType: PAYLOAD_TYPES.opus,
    parameters: 'minptime=10;useinbandfec=1',
  },
} as const satisfies Record<QualityCodec, ConstructorParameters<typeof RTCRtpCodecParameters>[0]>;

/** Ten milliseconds of what libwebrtc plays. */
interface SinkFrame {
  readonly atMs: number;
  readonly samples: Int16Array;
}

/**
 * A call that libwebrtc receives: NetEq plays it in real time. The packets come over a real peer connection on this
 * machine from werift, which sends them with whatever sequence numbers and timestamps it is given.
 */
export class NetEqCall {
  readonly #codec: QualityCodec;
  readonly #condition: NetworkCondition;
  readonly #sender: Sender;
  readonly #receiver = new RTCPeerConnection({ iceServers: [] });
  readonly #track = new MediaStreamTrack({ kind: 'audio' });
  readonly #frames: SinkFrame[] = [];
  #rateHz = 0;
  #toRoom: Resampler | null = null;
  #stop = (): void => {};

  private constructor(codec: QualityCodec, condition: NetworkCondition) {
    this.#codec = codec;
    this.#condition = condition;
    this.#sender = new Sender({
      codecs: { audio: [new RTCRtpCodecParameters(FORMATS[codec])], video: [] },
      headerExtensions: { audio: [], video: [] },
      iceServers: [],
    });
  }

  /** Resolves once both are connected. */
  static async open(codec: QualityCodec, condition: NetworkCondition): Promise<NetEqCall> {
    const call = new NetEqCall(codec, condition);
    await call.#connect();
    return call;
  }

  async #connect(): Promise<void> {
    const sender = this.#sender;
    const receiver = this.#receiver;
    sender.addTransceiver(this.#track, { direction: 'sendonly' });
    receiver.ontrack = ({ track }) => this.#listen(track);
    await sender.setLocalDescription(await sender.createOffer());
    await receiver.setRemoteDescription({ type: 'offer', sdp: sender.localDescription?.sdp ?? '' });
    await receiver.setLocalDescription(await receiver.createAnswer());
    await waitFor('ICE candidates of libwebrtc', () => receiver.iceGatheringState === 'complete');
    await sender.setRemoteDescription({ type: 'answer', sdp: receiver.localDescription?.sdp ?? '' });
    await waitFor('connection to libwebrtc', () => sender.connectionState === 'connected');
    await waitFor('first frame of libwebrtc', () => this.#frames.length > 0);
  }

  #listen(track: Track): void {
    const sink = new nonstandard.RTCAudioSink(track);
    sink.ondata = (data) => this.#keep(data);
    this.#stop = () => sink.stop();
  }

  /** libwebrtc plays at a rate of its choice, which changes: usually that of the codec, less at the beginning. */
  #keep({ samples, sampleRate, channelCount }: AudioData): void {
    const left = new Int16Array(samples.length / channelCount);
    for (let i = 0; i < left.length; i++) left[i] = samples[i * channelCount]!;
    this.#frames.push({ atMs: performance.now(), samples: this.#atRoomRate(left, sampleRate) });
  }

  #atRoomRate(samples: Int16Array, rateHz: number): Int16Array {
    const roomRateHz = ROOM_RATE_HZ[this.#codec];
    if (rateHz === roomRateHz) return samples;
    if (rateHz !== this.#rateHz) this.#toRoom = new Resampler(rateHz, roomRateHz, samples.length);
    this.#rateHz = rateHz;
    return this.#toRoom?.process(samples, samples.length).slice() ?? samples;
  }

  /** Packet `index` leaves now. */
  send(index: number, payload: Uint8Array): void {
    const { sequenceNumber, timestamp } = rtpTiming(this.#condition, this.#codec, index);
    const header = new RtpHeader({
      sequenceNumber: (sequenceNumber + SEQUENCE_OFFSET) % SEQUENCE_MODULO,
      timestamp,
      payloadType: PAYLOAD_TYPES[this.#codec],
      ssrc: SSRC,
    });
    this.#track.writeRtp(new RtpPacket(header, Buffer.from(payload)));
  }

  /**
   * What was played from `startMs` on, for `lengthMs`. libwebrtc plays 10 ms every 10 ms, and makes up for a late
   * timer; our process is told some time after. So the frame that was told soonest says when all of them were played.
   */
  heard(startMs: number, lengthMs: number): Int16Array {
    const perMs = ROOM_RATE_HZ[this.#codec] / 1000;
    const heard = new Int16Array(lengthMs * perMs);
    const firstMs = this.#frames.reduce(
      (least, { atMs }, i) => Math.min(least, atMs - i * SINK_MS),
      Number.POSITIVE_INFINITY,
    );
    const from = Math.round((firstMs - startMs) * perMs);
    for (const [i, { samples }] of this.#frames.entries()) {
      const at = from + i * SINK_MS * perMs;
      if (at >= 0 && at + samples.length <= heard.length) heard.set(samples, at);
    }
    return heard;
  }

  async close(): Promise<void> {
    this.#stop();
    this.#receiver.close();
    await this.#sender.close();
  }
}
