import { isIP } from 'node:net';
import { GatewayError } from '../../../base/errors.ts';
import type { MediaLeg, MediaLegHost } from '../../contract/media-leg.ts';
import type { SipMediaCommand, SipMediaConfig } from '../media-protocol.ts';
import type { VoiceCodecs } from './codecs/voice-codecs.ts';
import { newSipMediaCounters, type SipMediaCounters } from './media-counters.ts';
import { RtcpSession } from './rtp/rtcp-session.ts';
import { RtpMemory } from './rtp/rtp-memory.ts';
import { isRtcp } from './rtp/rtp-packet.ts';
import { RtpReceiver } from './rtp/rtp-receiver.ts';
import { RtpSender } from './rtp/rtp-sender.ts';
import type { Datagram, DatagramListener, MediaSockets } from './sockets/media-sockets.ts';
import { SrtpSession } from './srtp/srtp.ts';

/** On what `performance.now()` counts; a getter that takes as long as the clock. */
const ORIGIN_MS = performance.timeOrigin;

interface SipMediaLegDeps {
  readonly codecs: VoiceCodecs;
  readonly roomRateHz: number;
  readonly memory: SharedArrayBuffer;
}

/** One call's media over RTP: what the engine pulls and pushes, and what the sockets bring. */
export class SipMediaLeg implements MediaLeg, DatagramListener {
  readonly sampleRateHz: number;
  readonly #counters = newSipMediaCounters();
  readonly #host: MediaLegHost;
  readonly #sockets: MediaSockets;
  readonly #memory: RtpMemory;
  readonly #receiver: RtpReceiver;
  readonly #sender: RtpSender;
  readonly #rtcp: RtcpSession;
  #config: SipMediaConfig | null = null;
  #srtp: SrtpSession | null = null;
  #packetsQueued = 0;
  /** When the frame of this tick was pulled, which comes before the push; wall-clock time. */
  #tickMs = wallMs();
  #closed = false;

  constructor(sockets: MediaSockets, { codecs, roomRateHz, memory }: SipMediaLegDeps, host: MediaLegHost) {
    const nowMs = wallMs();
    this.sampleRateHz = roomRateHz;
    this.#host = host;
    this.#sockets = sockets;
    this.#memory = new RtpMemory(memory);
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

  /** The same object each time, put right when it is asked for. */
  get counters(): Readonly<SipMediaCounters> {
    const { unsent, overflowed } = this.#sockets;
    this.#counters.unsent = unsent;
    this.#counters.overflowed = overflowed;
    this.#counters.packetsSent = Math.max(this.#packetsQueued - unsent, 0);
    this.#receiver.count();
    return this.#counters;
  }

  /** `config` is a SipMediaConfig; throws when an address in it is a name. */
  configure(config: unknown): void {
    const next = config as SipMediaConfig;
    if (next.remoteHost !== null && isIP(next.remoteHost) === 0)
      throw new Error('remoteHost must be an IP address');
    if (!sameKeys(this.#config, next)) this.#srtp = next.srtp && new SrtpSession(next.srtp, this.#memory);
    if (next.dtmfPayloadType === null || !next.sending) this.#sender.dtmf.cancel('The call is on hold');
    this.#sender.configure(next, this.#srtp, wallMs());
    this.#receiver.configure(next);
    this.#config = next;
  }

  /** `command` is a SipMediaCommand. */
  command(command: unknown): Promise<void> {
    const { digits } = command as SipMediaCommand;
    const config = this.#config;
    if (this.#closed || config === null) return Promise.reject(new GatewayError('call_not_active'));
    if (config.dtmfPayloadType === null) {
      return Promise.reject(new GatewayError('capability_missing', 'The peer does not take DTMF'));
    }
    if (!config.sending) return Promise.reject(new GatewayError('call_not_active', 'The call is on hold'));
    return this.#sender.dtmf.send(digits);
  }

  onRtp(datagram: Datagram): void {
    if (this.#config === null) return;
    // A peer may multiplex although it was not agreed; the second byte leaves no doubt (RFC 5761).
    const { bytes, start, end } = datagram;
    if (end - start > 1 && isRtcp(bytes[start + 1]!)) this.onRtcp(datagram);
    else this.#receiver.receive(datagram, this.#srtp);
  }

  onRtcp({ bytes, start, end, from }: Datagram): void {
    if (this.#config === null) return;
    // SRTCP shows by itself whose it is.
    if (this.#srtp === null && !this.#receiver.source.isPeer(from.address)) {
      this.#counters.strangers++;
      return;
    }
    const packet = bytes.subarray(start, end);
    const length = this.#srtp === null ? packet.length : this.#srtp.unprotectRtcp(packet);
    if (length < 0) this.#counters.unauthentic++;
    else if (!this.#rtcp.receive(packet, length, wallMs())) this.#counters.malformed++;
  }

  onBug(error: unknown): void {
    this.#host.fail(error);
  }

  pull(frame: Int16Array): boolean {
    const nowMs = performance.now();
    this.#tickMs = ORIGIN_MS + nowMs;
    if (this.#config !== null) this.#rtcp.tick(this.#srtp, this.#tickMs);
    return this.#receiver.pull(frame, nowMs);
  }

  push(frame: Int16Array, voiced: boolean): void {
    const config = this.#config;
    if (config?.sending && !this.#closed) this.#sender.push(frame, voiced, this.#tickMs);
  }

  close(): void {
    if (this.#closed) return;
    if (this.#config !== null) this.#rtcp.goodbye(this.#srtp, wallMs());
    this.#closed = true;
    this.#sender.dtmf.close();
    this.#sender.close();
    this.#receiver.close();
    this.#sockets.close();
  }

  #sendRtp(bytes: Uint8Array, length: number): void {
    const { host, port } = this.#receiver.source;
    // Nobody knows yet where the peer is.
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

  /** Behind a NAT the peer's RTCP port is next to the RTP port that was seen, as far as anyone can tell. */
  #remoteRtcpPort(config: SipMediaConfig, seenPort: number): number {
    return seenPort === config.remotePort ? config.remoteRtcpPort : Math.min(seenPort + 1, 65_535);
  }
}

function sameKeys(former: SipMediaConfig | null, next: SipMediaConfig): boolean {
  const a = former?.srtp ?? null;
  const b = next.srtp;
  if (former === null || a === null || b === null) return former !== null && a === b;
  return a.suite === b.suite && sameBytes(a.localKey, b.localKey) && sameBytes(a.remoteKey, b.remoteKey);
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

/** Wall-clock time that does not jump while the process runs and that two threads read alike. */
function wallMs(): number {
  return ORIGIN_MS + performance.now();
}
