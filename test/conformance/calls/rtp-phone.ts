import { createSocket, type Socket } from 'node:dgram';
import { decodeUlaw, encodeUlaw } from '../../../src/audio/g711.ts';
import { FRAME_MS } from '../../../src/base/frame.ts';
import { startMediaClock } from '../../support/media-clock.ts';
import { tone } from '../../support/tone.ts';
import { waitFor } from '../../support/wait-for.ts';

const HOST = '127.0.0.1';
const FRAME_SAMPLES = 160;
const HEADER_BYTES = 12;
const PCMU = 0;
const EVENTS = 101;
const DIGITS = '0123456789*#ABCD';
const END = 0x80;

/** The media of a phone: G.711 and RFC 4733 over two sockets. */
export class RtpPhone {
  readonly port: number;
  readonly #rtp: Socket;
  readonly #rtcp: Socket;
  readonly #heard: Buffer[] = [];
  readonly #digits = new Map<number, string>();
  readonly #ssrc = Math.floor(Math.random() * 2 ** 32);
  readonly #speeches: { stop(): void }[] = [];
  #sequence = 1;
  #timestamp = 8_000;
  #peerPort = 0;

  private constructor(rtp: Socket, rtcp: Socket, onClosed: () => void) {
    this.#rtp = rtp;
    this.#rtcp = rtcp;
    this.port = rtp.address().port;
    rtp.once('close', onClosed);
    rtp.on('message', (packet) => this.#take(packet));
  }

  /** RTP on `port`, RTCP on the next one. */
  static async open(port: number, onClosed: () => void): Promise<RtpPhone> {
    return new RtpPhone(await bound(port), await bound(port + 1), onClosed);
  }

  facing(port: number): void {
    this.#peerPort = port;
  }

  /** Until stopped or closed. */
  speak(toneHz: number): { stop(): void } {
    const speech = startMediaClock((index) => {
      const samples = tone(toneHz, 8_000, FRAME_SAMPLES, { fromSample: index * FRAME_SAMPLES });
      const payload = Buffer.alloc(FRAME_SAMPLES);
      encodeUlaw(samples, FRAME_SAMPLES, payload, 0);
      this.#send(PCMU, payload, this.#timestamp);
      this.#timestamp += FRAME_SAMPLES;
    });
    this.#speeches.push(speech);
    return speech;
  }

  /** The next audio, in the order of its arrival. */
  async hears(lengthMs: number, deadlineMs: number): Promise<Int16Array> {
    const from = this.#heard.length;
    const count = Math.ceil(lengthMs / FRAME_MS);
    await waitFor(`${lengthMs} ms of audio`, () => this.#heard.length >= from + count, deadlineMs);
    const bytes = Buffer.concat(this.#heard.slice(from, from + count));
    const samples = new Int16Array(bytes.length);
    decodeUlaw(bytes, 0, bytes.length, samples);
    return samples;
  }

  press(digits: string): void {
    for (const digit of digits) {
      for (const [flag, duration] of [
        [0, 160],
        [0, 480],
        [END, 800],
        [END, 800],
      ] as const) {
        const event = Buffer.from([DIGITS.indexOf(digit), flag | 10, duration >> 8, duration & 0xff]);
        this.#send(EVENTS, event, this.#timestamp);
      }
      this.#timestamp += 1_600;
    }
  }

  pressed(): string {
    return [...this.#digits.values()].join('');
  }

  close(): void {
    for (const speech of this.#speeches) speech.stop();
    this.#rtcp.close();
    this.#rtp.close();
  }

  #take(packet: Buffer): void {
    const payloadType = packet[1]! & 0x7f;
    const payload = packet.subarray(HEADER_BYTES);
    if (payloadType === PCMU) this.#heard.push(Buffer.from(payload));
    // All packets of an event have the timestamp of its start.
    if (payloadType === EVENTS) this.#digits.set(packet.readUInt32BE(4), DIGITS[payload[0]!]!);
  }

  #send(payloadType: number, payload: Buffer, timestamp: number): void {
    const header = Buffer.alloc(HEADER_BYTES);
    header[0] = 0x80;
    header[1] = payloadType;
    header.writeUInt16BE(this.#sequence++ & 0xffff, 2);
    header.writeUInt32BE(timestamp, 4);
    header.writeUInt32BE(this.#ssrc, 8);
    this.#rtp.send(Buffer.concat([header, payload]), this.#peerPort, HOST);
  }
}

function bound(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = createSocket('udp4');
    socket.once('error', reject);
    socket.bind(port, HOST, () => resolve(socket));
  });
}
