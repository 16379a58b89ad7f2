import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { decodeAlaw, decodeUlaw, encodeAlaw, encodeUlaw } from '../../../src/audio/g711.ts';
import { MEDIA_MEMORY_BYTES, type MediaEvent } from '../../../src/media/media-leg.ts';
import { mediaIo, rtpLegsOver, voiceCodecsFor } from '../../../src/rtp/open-rtp-leg.ts';
import type { RtpLeg } from '../../../src/rtp/rtp-leg.ts';
import type { G711Name, RtpConfig } from '../../../src/rtp/rtp-protocol.ts';
import { claimRtpPorts, type PortClaim } from '../../support/free-ports.ts';
import type { Tone } from '../../support/tone.ts';

const HOST = '127.0.0.1';
/** More than the ports open at one time. */
const CLAIMED_PORTS = 64;
/** The media I/O of this thread; this folder runs with the native build and, as project `portable`, with dgram. */
export const io = mediaIo((process.env.SVC_MEDIA_IO ?? 'auto') as 'auto' | 'portable');
let claim: Promise<PortClaim> | null = null;
let given = 0;
/** A thread has one libopus. */
export const codecs = voiceCodecsFor(io.kind);
const openRtpLeg = rtpLegsOver(io, codecs);
const LAWS = {
  PCMU: { decode: decodeUlaw, encode: encodeUlaw },
  PCMA: { decode: decodeAlaw, encode: encodeAlaw },
};

export interface SeenPacket {
  readonly marker: boolean;
  readonly payloadType: number;
  readonly sequence: number;
  readonly timestamp: number;
  readonly ssrc: number;
  readonly payload: Buffer;
  readonly raw: Buffer;
}

/** A phone reduced to two sockets: it records what it receives and sends what the test wants. */
export class RtpPeer {
  readonly packets: SeenPacket[] = [];
  readonly reports: Buffer[] = [];
  readonly port: number;
  sequence = 1_000;
  timestamp = 50_000;
  ssrc = 0xabcd_0001;
  /** Transforms a datagram before sending or after receiving; SRTP in some tests. */
  seal = (packet: Buffer): Buffer => packet;
  open = (packet: Buffer): Buffer => packet;
  readonly #rtp: Socket;
  readonly #rtcp: Socket;

  private constructor(rtp: Socket, rtcp: Socket) {
    this.#rtp = rtp;
    this.#rtcp = rtcp;
    this.port = rtp.address().port;
    rtp.on('message', (bytes) => this.#note(bytes));
    rtcp.on('message', (bytes) => this.reports.push(bytes));
  }

  static async start(): Promise<RtpPeer> {
    const [rtp, rtcp] = await bindPair();
    return new RtpPeer(rtp, rtcp);
  }

  #note(bytes: Buffer): void {
    if (bytes[1]! >= 192 && bytes[1]! <= 223) {
      this.reports.push(bytes);
      return;
    }
    const raw = this.open(bytes);
    this.packets.push({
      marker: (raw[1]! & 0x80) !== 0,
      payloadType: raw[1]! & 0x7f,
      sequence: raw.readUInt16BE(2),
      timestamp: raw.readUInt32BE(4),
      ssrc: raw.readUInt32BE(8),
      payload: raw.subarray(12),
      raw,
    });
  }

  /** All received audio, decoded, in order of arrival. */
  audio(codec: G711Name, payloadType: number): Int16Array {
    const heard = this.packets.filter((packet) => packet.payloadType === payloadType);
    const samples = new Int16Array(heard.reduce((sum, packet) => sum + packet.payload.length, 0));
    let at = 0;
    for (const { payload } of heard) {
      LAWS[codec].decode(payload, 0, payload.length, samples.subarray(at));
      at += payload.length;
    }
    return samples;
  }

  /** Sends an audio packet; its sequence number and timestamp advance by themselves. */
  build(codec: G711Name, payloadType: number, samples: Int16Array): Buffer {
    const payload = Buffer.alloc(samples.length);
    LAWS[codec].encode(samples, samples.length, payload, 0);
    const packet = this.buildRaw(payloadType, payload, this.timestamp);
    this.timestamp = (this.timestamp + samples.length) >>> 0;
    return packet;
  }

  buildRaw(payloadType: number, payload: Buffer, timestamp: number, marker = false): Buffer {
    const header = Buffer.alloc(12);
    header[0] = 0x80;
    header[1] = (marker ? 0x80 : 0) | payloadType;
    header.writeUInt16BE(this.sequence, 2);
    header.writeUInt32BE(timestamp, 4);
    header.writeUInt32BE(this.ssrc, 8);
    this.sequence = (this.sequence + 1) & 0xffff;
    return this.seal(Buffer.concat([header, payload]));
  }

  async send(packet: Buffer, toPort: number): Promise<void> {
    await new Promise((done) => this.#rtp.send(packet, toPort, HOST, done));
  }

  async sendReport(packet: Buffer, toPort: number): Promise<void> {
    await new Promise((done) => this.#rtcp.send(packet, toPort, HOST, done));
  }

  close(): void {
    this.#rtp.close();
    this.#rtcp.close();
  }
}

async function bindPair(): Promise<[Socket, Socket]> {
  for (;;) {
    const rtp = createSocket('udp4');
    rtp.bind(0, HOST);
    await once(rtp, 'listening');
    const rtcp = createSocket('udp4');
    rtcp.bind(rtp.address().port + 1, HOST);
    try {
      await once(rtcp, 'listening');
      return [rtp, rtcp];
    } catch {
      rtp.close();
    }
  }
}

/** A leg on free ports, and everything that it reported to its host. */
export class TestLeg {
  readonly leg: RtpLeg;
  readonly port: number;
  readonly memory: SharedArrayBuffer;
  readonly events: MediaEvent[] = [];
  readonly failures: unknown[] = [];
  readonly frame: Int16Array;

  private constructor(leg: RtpLeg, port: number, memory: SharedArrayBuffer) {
    this.frame = new Int16Array(leg.sampleRateHz / 50);
    this.leg = leg;
    this.port = port;
    this.memory = memory;
  }

  static async open(
    memory = new SharedArrayBuffer(MEDIA_MEMORY_BYTES),
    port: number | null = null,
    sampleRateHz = 8_000,
  ): Promise<TestLeg> {
    const rtpPort = port ?? (await freePortPair());
    let test: TestLeg | null = null;
    const leg = await openRtpLeg({ bindHost: HOST, rtpPort, sampleRateHz, bound: null }, memory, {
      emit: (event) => test?.events.push(event),
      fail: (error) => test?.failures.push(error),
    });
    test = new TestLeg(leg as RtpLeg, rtpPort, memory);
    return test;
  }

  configure(peer: RtpPeer, changes: Partial<RtpConfig> = {}): void {
    this.leg.configure({ ...baseConfig(peer.port), ...changes });
  }

  /** Pulls one frame; returns a copy if something was audible. */
  pull(): Int16Array | null {
    return this.leg.pull(this.frame) ? this.frame.slice() : null;
  }

  pushTone(tone: Tone): void {
    tone.fill(this.frame);
    this.leg.push(this.frame, true);
  }
}

export function baseConfig(remotePort: number): RtpConfig {
  return {
    remoteHost: HOST,
    remotePort,
    remoteRtcpPort: remotePort + 1,
    remotePlausible: true,
    signalingHost: HOST,
    behindNat: false,
    codec: 'PCMU',
    payloadType: 0,
    dtmfPayloadType: 101,
    dtmfClockRateHz: 8_000,
    received: { codecs: [], events: [] },
    opus: null,
    sending: true,
    receiving: true,
    srtp: null,
    mediaTimeoutMs: 30_000,
  };
}

/** The first of two adjacent ports that no other process is given. */
export async function freePortPair(): Promise<number> {
  claim ??= claimRtpPorts(CLAIMED_PORTS);
  const { first } = await claim;
  const port = first + (given % CLAIMED_PORTS);
  given += 2;
  return port;
}

/** Resolves when `condition` holds; checks each time the event loop has read what arrived. */
export async function until(condition: () => boolean, what: string, each = turn): Promise<void> {
  const deadline = performance.now() + 30_000;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`never happened: ${what}`);
    await each();
  }
}

/** Sends queued packets and reads those that arrived. */
export async function turn(): Promise<void> {
  io.send();
  await new Promise((resume) => setImmediate(resume));
  io.receive();
}
