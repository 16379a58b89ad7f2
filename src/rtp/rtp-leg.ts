import { isIP } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import { GatewayError } from '../base/errors.ts';
import { wallMs, wallMsAt } from '../base/wall-ms.ts';
import type { MediaLeg, MediaLegHost } from '../media/media-leg.ts';
import type { VoiceCodecs } from './codecs/voice-codecs.ts';
import type { Datagram, DatagramListener, PacketPath } from './paths/packet-path.ts';
import { RtpReceiver } from './reception/rtp-receiver.ts';
import { SilenceWait } from './reception/silence-wait.ts';
import { RtcpSession } from './rtcp/rtcp-session.ts';
import { newRtpCounters, type RtpCounters } from './rtp-counters.ts';
import { isRtcp } from './rtp-packet.ts';
import type { RtpCommands, RtpConfig } from './rtp-protocol.ts';
import { RtpState } from './rtp-state.ts';
import { RtpSender } from './sending/rtp-sender.ts';
import { SrtpSession } from './srtp/srtp.ts';

interface RtpLegDeps {
  readonly codecs: VoiceCodecs;
  readonly roomRateHz: number;
  readonly memory: SharedArrayBuffer;
}

/** Media of one call over RTP. Connects the engine's frames to the packets of its path. */
export class RtpLeg implements MediaLeg<RtpConfig, RtpCommands>, DatagramListener {
  readonly sampleRateHz: number;
  readonly voices = [this];
  readonly commands = {
    dtmf: (digits: string) => this.#sendDtmf(digits),
    press: (digits: string) => this.#press(digits),
    silence: (mostMs: number) => this.#silence.start(mostMs),
  };
  readonly #counters = newRtpCounters();
  readonly #host: MediaLegHost;
  readonly #sockets: PacketPath;
  readonly #memory: RtpState;
  readonly #receiver: RtpReceiver;
  readonly #sender: RtpSender;
  readonly #rtcp: RtcpSession;
  readonly #silence = new SilenceWait();
  #config: RtpConfig | null = null;
  #srtp: SrtpSession | null = null;
  #packetsQueued = 0;
  /** Wall-clock time at which this tick's frame was pulled. The pull comes before the push. */
  #tickMs = wallMs();
  #closed = false;

  constructor(sockets: PacketPath, { codecs, roomRateHz, memory }: RtpLegDeps, host: MediaLegHost) {
    const nowMs = wallMs();
    this.sampleRateHz = roomRateHz;
    this.#host = host;
    this.#sockets = sockets;
    this.#memory = new RtpState(memory);
    this.#receiver = new RtpReceiver(codecs, roomRateHz, {
      memory: this.#memory,
      counters: this.#counters,
      emit: (event) => host.emit(event),
    });
    this.#sender = new RtpSender(codecs, roomRateHz, {
      memory: this.#memory,
      nowMs,
      send: (bytes, length) => this.#sendRtp(bytes, length),
    });
    this.#rtcp = new RtcpSession(
      {
        memory: this.#memory,
        sender: this.#sender,
        stats: this.#receiver.stats,
        counters: this.#counters,
        send: (bytes, length) => this.#sendRtcp(bytes, length),
      },
      nowMs,
    );
    sockets.listen(this);
  }

  get resting(): boolean {
    return this.#config !== null && !this.#config.sending && !this.#config.receiving;
  }

  get onHold(): boolean {
    return this.#config !== null && !this.#config.sending;
  }

  /** Always the same object, updated on each access. */
  get counters(): Readonly<RtpCounters> {
    const { unsent, overflowed } = this.#sockets;
    this.#counters.unsent = unsent;
    this.#counters.overflowed = overflowed;
    this.#counters.packetsSent = Math.max(this.#packetsQueued - unsent, 0);
    this.#receiver.count();
    return this.#counters;
  }

  /** Throws when the configuration contains a host name instead of an IP address. */
  configure(next: RtpConfig): void {
    if (next.remoteHost !== null && isIP(next.remoteHost) === 0)
      throw new Error('remoteHost must be an IP address');
    if (!isDeepStrictEqual(this.#config?.srtp, next.srtp))
      this.#srtp = next.srtp && new SrtpSession(next.srtp, this.#memory);
    if (!next.sending) this.#sender.dtmf.cancel('The call is on hold');
    this.#sender.configure(next, this.#srtp, wallMs());
    this.#receiver.configure(next);
    this.#config = next;
  }

  #sendDtmf(digits: string): Promise<void> {
    if (this.#config !== null && this.#config.dtmfPayloadType === null)
      return Promise.reject(new GatewayError('capability_missing', 'The far end does not support DTMF'));
    return this.#press(digits);
  }

  #press(digits: string): Promise<void> {
    if (this.#closed || this.#config === null) return Promise.reject(new GatewayError('call_not_active'));
    if (!this.#config.sending)
      return Promise.reject(new GatewayError('call_not_active', 'The call is on hold'));
    return this.#sender.dtmf.send(digits);
  }

  onRtp(datagram: Datagram): void {
    if (this.#config === null) return;
    // A peer may multiplex RTP and RTCP without having agreed to. The second byte tells them apart (RFC 5761).
    const { bytes, start, end } = datagram;
    if (end - start > 1 && isRtcp(bytes[start + 1]!)) this.onRtcp(datagram);
    else this.#receiver.receive(datagram, this.#srtp);
  }

  onRtcp({ bytes, start, end, from }: Datagram): void {
    if (this.#config === null) return;
    // With SRTCP, authentication identifies the peer.
    if (this.#srtp === null && !this.#receiver.source.isPeer(from.address)) {
      this.#counters.strangers++;
      return;
    }
    const packet = bytes.subarray(start, end);
    const length = this.#srtp === null ? packet.length : this.#srtp.unprotectRtcp(packet);
    if (length < 0) this.#counters.unauthentic++;
    else if (this.#rtcp.receive(packet, length, wallMs())) this.#receiver.noteLife(performance.now());
    else this.#counters.malformed++;
  }

  onBug(error: unknown): void {
    this.#host.fail(error);
  }

  pull(frame: Int16Array): boolean {
    const nowMs = performance.now();
    this.#tickMs = wallMsAt(nowMs);
    if (this.#config !== null) this.#rtcp.tick(this.#srtp, this.#tickMs);
    const heard = this.#receiver.pull(frame, nowMs);
    this.#silence.tick(heard ? frame : null);
    return heard;
  }

  get arrivedAtMs(): number | null {
    const dueMs = this.#receiver.frameDueMs;
    return dueMs === null ? null : wallMsAt(dueMs);
  }

  push(frame: Int16Array, voiced: boolean): void {
    const config = this.#config;
    if (config?.sending && !this.#closed) this.#sender.push(frame, voiced, this.#tickMs);
  }

  close(): void {
    if (this.#closed) return;
    if (this.#config !== null) this.#rtcp.goodbye(this.#srtp, wallMs());
    this.#closed = true;
    this.#silence.end();
    this.#sender.dtmf.close();
    this.#sender.close();
    this.#receiver.close();
    this.#sockets.close();
  }

  #sendRtp(bytes: Uint8Array, length: number): void {
    const { host, port } = this.#receiver.source;
    // The peer's address is not known yet.
    if (port === 0) return;
    this.#sockets.sendRtp(bytes, length, port, host);
    this.#packetsQueued++;
  }

  #sendRtcp(bytes: Uint8Array, length: number): void {
    const config = this.#config;
    if (config === null) return;
    const { host, port } = this.#receiver.source;
    if (port === 0) return;
    if (config.remoteRtcpPort === config.remotePort) this.#sockets.sendRtp(bytes, length, port, host);
    else this.#sockets.sendRtcp(bytes, length, this.#remoteRtcpPort(config, port), host);
  }

  /** Returns the peer's RTCP port. Behind a NAT it is assumed to follow the RTP port from which packets arrive. */
  #remoteRtcpPort(config: RtpConfig, seenPort: number): number {
    return seenPort === config.remotePort ? config.remoteRtcpPort : Math.min(seenPort + 1, 65_535);
  }
}
