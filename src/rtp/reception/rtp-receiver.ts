import type { MediaEvent } from '../../media/media-leg.ts';
import type { VoiceCodecs } from '../codecs/voice-codecs.ts';
import { DtmfReceiver } from '../dtmf/dtmf-receiver.ts';
import type { Datagram, SourceAddress } from '../paths/packet-path.ts';
import type { RtpCounters } from '../rtp-counters.ts';
import { RtpPacket } from '../rtp-packet.ts';
import type { RtpCodec, RtpConfig } from '../rtp-protocol.ts';
import type { RtpState } from '../rtp-state.ts';
import type { SrtpSession } from '../srtp/srtp.ts';
import { InboundAudio } from './inbound-audio.ts';
import { ReceptionStats } from './reception-stats.ts';
import { SourceLatch } from './source-latch.ts';

/** Comfort noise (RFC 3389): the sender is silent. */
const COMFORT_NOISE_PAYLOAD_TYPE = 13;

/** Packets in a row that prove a doubled clock. Fewer may come from a sender that leaves out silence. */
const PROVING_PACKETS = 5;

interface RtpReceiverDeps {
  readonly memory: RtpState;
  readonly counters: RtpCounters;
  readonly emit: (event: MediaEvent) => void;
}

/** The receiving half of a leg, from datagrams to frames. Times are monotonic. */
export class RtpReceiver {
  readonly source = new SourceLatch();
  readonly stats = new ReceptionStats();
  readonly #memory: RtpState;
  readonly #counters: RtpCounters;
  readonly #emit: (event: MediaEvent) => void;
  readonly #codecs: VoiceCodecs;
  readonly #roomRateHz: number;
  readonly #dtmf = new DtmfReceiver();
  readonly #packet = new RtpPacket();
  /** Null before the first configuration. */
  #audio: InboundAudio | null = null;
  /** Null unless the codec is G.722. */
  #g722Clock: G722Clock | null = null;
  #config: RtpConfig | null = null;
  #toldFlowing = false;
  #toldStalled = false;
  #heardAtMs = 0;

  constructor(codecs: VoiceCodecs, roomRateHz: number, { memory, counters, emit }: RtpReceiverDeps) {
    this.#codecs = codecs;
    this.#roomRateHz = roomRateHz;
    this.#memory = memory;
    this.#counters = counters;
    this.#emit = emit;
  }

  configure(config: RtpConfig): void {
    const nowMs = performance.now();
    const isFirst = this.#config === null;
    const isMoved = this.source.signal(config, nowMs);
    if (isMoved || isFirst) {
      this.#toldFlowing = false;
      this.#resumeSource(isFirst, nowMs);
    }
    // A hold suspends the media timeout. It restarts when the peer may send again.
    if (isFirst || !this.#config?.receiving) this.#heardAtMs = nowMs;
    if (config.codec !== this.#config?.codec) this.#change(config.codec);
    else if (!config.receiving) this.#audio?.restart();
    this.#config = config;
  }

  /** Replaces the decoder and drops all audio of the previous codec. */
  #change(codec: RtpCodec): void {
    const decoder = this.#codecs.decoder(codec, this.#roomRateHz);
    this.#audio?.close();
    this.#audio = new InboundAudio(decoder, this.#roomRateHz, this.#counters, this.#codecs.maxJitterDelayMs);
    this.#g722Clock = codec === 'G722' ? new G722Clock() : null;
    this.stats.setClock(decoder.clockRateHz);
  }

  /** Releases the decoder. */
  close(): void {
    this.#audio?.close();
    this.#audio = null;
  }

  /** The first configuration restores the source that a previous worker had latched to; later ones invalidate it. */
  #resumeSource(isFirst: boolean, nowMs: number): void {
    const { remoteHost, remotePort } = this.#memory;
    if (!isFirst) this.#memory.noteRemote('', 0);
    else if (remotePort !== 0) this.source.resume(remoteHost, remotePort, nowMs);
  }

  receive(datagram: Datagram, srtp: SrtpSession | null): void {
    const packet = this.#packet;
    const { from, arrivalMs } = datagram;
    if (!this.#read(packet, datagram, srtp !== null)) this.#counters.malformed++;
    else if (srtp !== null && !srtp.unprotectRtp(packet)) this.#counters.unauthentic++;
    else if (!packet.trimPadding() || !this.#isAgreed(packet)) this.#counters.malformed++;
    else this.#receiveValid(packet, from, arrivalMs);
  }

  /** Reads the packet. `apart` puts it at the start of its own array, as decryption requires. */
  #read(packet: RtpPacket, { bytes, start, end }: Datagram, apart: boolean): boolean {
    return apart ? packet.read(bytes.subarray(start, end), 0, end - start) : packet.read(bytes, start, end);
  }

  /** Fills the next frame. Returns false when there was no audio. */
  pull(frame: Int16Array, nowMs: number): boolean {
    const config = this.#config;
    const audio = this.#audio;
    if (audio === null || config === null || !config.receiving) {
      frame.fill(0);
      return false;
    }
    const heard = audio.pull(frame);
    if (nowMs - this.#heardAtMs >= config.mediaTimeoutMs) this.#stall(nowMs);
    return heard;
  }

  #isAgreed(packet: RtpPacket): boolean {
    const type = packet.payloadType;
    if (type === COMFORT_NOISE_PAYLOAD_TYPE || type === this.#config?.dtmfPayloadType) return true;
    return type === this.#config?.payloadType && this.#audio?.knows(packet) === true;
  }

  #receiveValid(packet: RtpPacket, from: SourceAddress, nowMs: number): void {
    const isAudio = packet.payloadType === this.#config?.payloadType && packet.payloadLength > 0;
    const judgement = this.source.judge(packet, isAudio, from, nowMs);
    if (judgement === 'stranger') {
      this.#counters.strangers++;
      return;
    }
    if (judgement === 'new') this.#restart(packet.ssrc);
    this.#g722Clock?.correct(packet, isAudio);
    if (!this.stats.active) this.stats.restart(packet.ssrc);
    this.stats.note(packet.sequenceNumber, packet.timestamp, nowMs);
    this.#counters.packetsReceived++;
    this.#noteFlow(nowMs);
    if (this.#config?.receiving) this.#take(packet, nowMs);
  }

  #restart(ssrc: number): void {
    this.#audio?.restart();
    this.#g722Clock?.restart();
    this.#dtmf.restart();
    this.stats.restart(ssrc);
    this.#memory.noteRemote(this.source.heardHost, this.source.heardPort);
  }

  #noteFlow(nowMs: number): void {
    this.#heardAtMs = nowMs;
    this.#toldStalled = false;
    if (this.#toldFlowing) return;
    this.#toldFlowing = true;
    this.#emit({ type: 'flowing' });
  }

  #take(packet: RtpPacket, nowMs: number): void {
    if (packet.payloadType === this.#config?.payloadType && packet.payloadLength > 0) {
      this.#audio?.insertAudio(packet, nowMs);
      return;
    }
    this.#audio?.insertMarker(packet, nowMs);
    if (packet.payloadType !== this.#config?.dtmfPayloadType) return;
    const digit = this.#dtmf.accept(packet);
    if (digit !== null) this.#emit({ type: 'dtmf', digit });
  }

  #stall(nowMs: number): void {
    if (this.#toldStalled) return;
    this.#toldStalled = true;
    this.#emit({ type: 'stalled', silentMs: Math.round(nowMs - this.#heardAtMs) });
  }

  /** Updates the counters that are maintained elsewhere. */
  count(): void {
    const counters = this.#counters;
    counters.delayMs = this.#audio?.jitter.delayMs ?? 0;
    counters.depthMs = this.#audio?.jitter.depthMs ?? 0;
    counters.targetMs = this.#audio?.jitter.targetMs ?? 0;
    counters.jitterMs = this.stats.jitterMs;
  }
}

/**
 * Corrects the timestamps of peers that count the samples of G.722, two a byte, instead of the ticks of its clock, one a
 * byte (RFC 3551 section 4.5.2). Some do so only while a stream begins.
 */
export class G722Clock {
  #isRunning = false;
  #isDoubled = false;
  #proofs = 0;
  /** Timestamp of the latest packet, as it came and as it was corrected. */
  #timestamp = 0;
  #corrected = 0;
  /** Length of the last packet with audio, and the sequence number after it. */
  #bytes = 0;
  #nextSequence = -1;

  /** Prepares for another stream. */
  restart(): void {
    this.#isRunning = false;
  }

  /** Corrects the packet's timestamp. `isAudio`: it has a payload of the codec. */
  correct(packet: RtpPacket, isAudio: boolean): void {
    if (!this.#isRunning) this.#begin(packet);
    const ticks = (packet.timestamp - this.#timestamp) | 0;
    if (isAudio) this.#judge(packet, ticks);
    const corrected = (this.#corrected + (this.#isDoubled ? ticks >> 1 : ticks)) >>> 0;
    if (ticks > 0) {
      this.#timestamp = packet.timestamp;
      this.#corrected = corrected;
    }
    packet.timestamp = corrected;
  }

  #begin({ timestamp }: RtpPacket): void {
    this.#isRunning = true;
    this.#isDoubled = false;
    this.#proofs = 0;
    this.#timestamp = timestamp;
    this.#corrected = timestamp;
    this.#nextSequence = -1;
  }

  #judge({ sequenceNumber, payloadLength }: RtpPacket, ticks: number): void {
    if (sequenceNumber === this.#nextSequence) {
      this.#proofs = ticks === 2 * this.#bytes ? this.#proofs + 1 : 0;
      if (this.#proofs >= PROVING_PACKETS) this.#isDoubled = true;
      else if (ticks === this.#bytes) this.#isDoubled = false;
    }
    this.#bytes = payloadLength;
    this.#nextSequence = (sequenceNumber + 1) & 0xffff;
  }
}
