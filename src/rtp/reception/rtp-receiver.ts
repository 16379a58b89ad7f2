import type { MediaEvent } from '../../media/media-leg.ts';
import type { VoiceCodecs } from '../codecs/voice-codecs.ts';
import { ToneReceiver } from '../dtmf/tone-receiver.ts';
import type { Datagram, SourceAddress } from '../paths/packet-path.ts';
import type { RtpCounters } from '../rtp-counters.ts';
import { RtpPacket } from '../rtp-packet.ts';
import type { RtpConfig } from '../rtp-protocol.ts';
import type { RtpState } from '../rtp-state.ts';
import type { SrtpSession } from '../srtp/srtp.ts';
import { type PeerStream, PeerStreams } from './peer-streams.ts';
import { type PacketKind, ReceivedFormats } from './received-formats.ts';
import { ReceptionStats } from './reception-stats.ts';
import { SourceLatch } from './source-latch.ts';
import { VoiceStream } from './voice-stream.ts';

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
  readonly #streams = new PeerStreams();
  readonly #packet = new RtpPacket();
  /** Both null before the first configuration. */
  #formats: ReceivedFormats | null = null;
  #voice: VoiceStream | null = null;
  /** Null while the peer may send events. */
  #tones: ToneReceiver | null = null;
  #config: RtpConfig | null = null;
  #toldFlowing = false;
  #toldStalled = false;
  #heardAtMs = 0;
  /** No packet of the voice has come on this thread yet. */
  #isResuming = true;

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
      this.#streams.clear();
      this.#resumeSource(isFirst, nowMs);
    }
    // A hold suspends the media timeout. It restarts when the peer may send again.
    if (isFirst || !this.#config?.receiving) this.#heardAtMs = nowMs;
    this.#agree(config);
    if (config.dtmfPayloadType !== null) this.#tones = null;
    else this.#tones ??= new ToneReceiver(this.#roomRateHz);
    if (!config.receiving) this.#voice?.restart();
    this.#config = config;
  }

  /** Goes on with the voice's decoders if they know all codecs of the new agreement. */
  #agree(config: RtpConfig): void {
    const former = this.#formats;
    const formats = new ReceivedFormats(config, this.#voice?.clockRateHz ?? 0);
    this.#formats = formats;
    if (this.#voice !== null && formats.isWithin(former)) return;
    this.#voice?.close();
    this.#voice = new VoiceStream(this.#codecs, this.#roomRateHz, formats.codecs, this.#counters);
    this.#formats = new ReceivedFormats(config, this.#voice.clockRateHz);
    this.stats.setClock(this.#voice.clockRateHz);
  }

  /** Releases the decoders. */
  close(): void {
    this.#voice?.close();
    this.#voice = null;
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
    if (!this.#read(packet, datagram, srtp !== null)) this.#receiveForeign(datagram, srtp === null);
    else if (srtp !== null && !srtp.unprotectRtp(packet)) this.#counters.unauthentic++;
    else if (!packet.trimPadding()) this.#counters.malformed++;
    else this.#receiveValid(packet, from, arrivalMs);
  }

  /** Reads the packet. `apart` puts it at the start of its own array, as decryption requires. */
  #read(packet: RtpPacket, { bytes, start, end }: Datagram, apart: boolean): boolean {
    return apart ? packet.read(bytes.subarray(start, end), 0, end - start) : packet.read(bytes, start, end);
  }

  /** Fills the next frame. Returns false when there was no audio. */
  pull(frame: Int16Array, nowMs: number): boolean {
    const config = this.#config;
    const voice = this.#voice;
    if (voice === null || config === null || !config.receiving) {
      frame.fill(0);
      return false;
    }
    this.#streams.tick();
    const heard = voice.audio.pull(frame);
    if (heard && this.#tones !== null) this.#press(this.#tones.take(frame));
    if (nowMs - this.#heardAtMs >= config.mediaTimeoutMs) this.#stall(nowMs);
    return heard;
  }

  /** When the last frame that was pulled was due, see `InboundAudio`. */
  get frameDueMs(): number | null {
    return this.#voice?.audio.frameDueMs ?? null;
  }

  /** Any packet of the peer shows that it is there, RTP of whatever type and RTCP (RFC 6263 section 4). */
  noteLife(nowMs: number): void {
    this.#heardAtMs = nowMs;
    this.#toldStalled = false;
  }

  #kindOf(packet: RtpPacket): PacketKind {
    const kind = this.#formats?.kindOf(packet.payloadType) ?? 'unknown';
    return kind === 'audio' && this.#voice?.audio.knows(packet) !== true ? 'unknown' : kind;
  }

  #receiveValid(packet: RtpPacket, from: SourceAddress, nowMs: number): void {
    const kind = this.#kindOf(packet);
    if (kind === 'unknown') return this.#receiveUnknown(packet, from, nowMs);
    const isAudio = kind === 'audio' && packet.payloadLength > 0;
    const judgement = this.source.judge(packet, isAudio, from, nowMs);
    if (judgement === 'stranger') {
      this.#counters.strangers++;
      return;
    }
    if (judgement === 'new') this.#begin();
    const stream = this.#streams.of(packet.ssrc, nowMs);
    this.#counters.packetsReceived++;
    this.#noteFlow(nowMs);
    if (isAudio && this.#streams.noteAudio(stream, nowMs)) this.#speak(stream);
    if (kind === 'events') this.#takeEvent(packet, stream, nowMs);
    if (stream === this.#streams.voice) this.#takeVoice(packet, isAudio, nowMs);
  }

  /** What is no RTP: also empty datagrams and STUN keep a path open (RFC 6263 section 4), if no key proves who sends. */
  #receiveForeign({ from, arrivalMs }: Datagram, isOpen: boolean): void {
    this.#counters.malformed++;
    if (isOpen && this.source.isPeersAddress(from)) this.noteLife(arrivalMs);
  }

  /** Packets of a type or length that was not agreed. */
  #receiveUnknown(packet: RtpPacket, from: SourceAddress, nowMs: number): void {
    this.#counters.malformed++;
    if (!this.source.isPeersAddress(from)) return;
    this.noteLife(nowMs);
    const { dtmf } = this.#streams.of(packet.ssrc, nowMs);
    const clock = this.#formats?.clockOf(packet.payloadType);
    const digit = clock === undefined ? null : dtmf.acceptUnlisted(packet, clock, nowMs);
    this.#pressByEvent(digit);
  }

  /** Packets now come from another address. */
  #begin(): void {
    this.#streams.clear();
    this.#memory.noteRemote(this.source.heardHost, this.source.heardPort);
  }

  /** Another stream is played from now on. */
  #speak({ ssrc }: PeerStream): void {
    this.#voice?.restart();
    this.stats.restart(ssrc);
  }

  #noteFlow(nowMs: number): void {
    this.noteLife(nowMs);
    if (this.#toldFlowing) return;
    this.#toldFlowing = true;
    this.#emit({ type: 'flowing' });
  }

  #takeEvent(packet: RtpPacket, { dtmf }: PeerStream, nowMs: number): void {
    this.#pressByEvent(dtmf.accept(packet, this.#formats!.clockOf(packet.payloadType), nowMs));
  }

  /** A peer that sends events after all may let the tones sound as well. */
  #pressByEvent(digit: string | null): void {
    if (digit !== null) this.#tones = null;
    this.#press(digit);
  }

  #press(digit: string | null): void {
    if (digit !== null && this.#config?.receiving) this.#emit({ type: 'dtmf', digit });
  }

  #takeVoice(packet: RtpPacket, isAudio: boolean, nowMs: number): void {
    const voice = this.#voice!;
    voice.correct(packet, isAudio);
    if (!this.stats.active) this.stats.restart(packet.ssrc);
    if (this.#isResuming) this.#countMissed(packet);
    this.#memory.noteHeard(packet.ssrc, packet.sequenceNumber);
    this.stats.note(packet.sequenceNumber, packet.timestamp, nowMs);
    if (!this.#config?.receiving) return;
    if (isAudio) voice.audio.insertAudio(packet, nowMs);
    else voice.audio.insertMarker(packet, nowMs);
  }

  /** What came while the thread was replaced. */
  #countMissed({ ssrc, sequenceNumber }: RtpPacket): void {
    this.#isResuming = false;
    this.#counters.lost += this.#memory.missedBefore(ssrc, sequenceNumber);
  }

  #stall(nowMs: number): void {
    if (this.#toldStalled) return;
    this.#toldStalled = true;
    this.#emit({ type: 'stalled', silentMs: Math.round(nowMs - this.#heardAtMs) });
  }

  /** Updates the counters that are maintained elsewhere. */
  count(): void {
    const counters = this.#counters;
    counters.delayMs = this.#voice?.audio.jitter.delayMs ?? 0;
    counters.depthMs = this.#voice?.audio.jitter.depthMs ?? 0;
    counters.targetMs = this.#voice?.audio.jitter.targetMs ?? 0;
    counters.jitterMs = this.stats.jitterMs;
  }
}
