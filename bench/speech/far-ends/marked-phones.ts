import { createSocket, type Socket } from 'node:dgram';
import { FRAME_MS } from '../../../src/base/frame.ts';
import { RTP_HEADER_BYTES, writeRtpHeader } from '../../../src/rtp/rtp-packet.ts';
import { nowUs } from '../../clock.ts';
import { markedAudio, markIn } from './marks.ts';

const FRAME_SAMPLES = 160;
const FRAME_US = FRAME_MS * 1_000;
const HOST = '127.0.0.1';
const SEQUENCES = 0x1_0000;

/** Telephones (PCMU) that all speak their own mark, and look for marks in what they hear. */
export class MarkedPhones {
  readonly #phones: MarkedPhone[] = [];
  readonly #heard: (mark: number, atUs: number) => void;
  #ticks = 0;

  constructor(heard: (mark: number, atUs: number) => void) {
    this.#heard = heard;
  }

  /** Opens more of them; returns their ports. The first has the number of those before. */
  open(count: number): Promise<number[]> {
    if (this.#phones.length === 0) this.#speak(performance.now());
    const opened = Array.from(
      { length: count },
      (_, i) => new MarkedPhone(this.#phones.length + i, this.#heard),
    );
    this.#phones.push(...opened);
    return Promise.all(opened.map((phone) => phone.listen()));
  }

  get count(): number {
    return this.#phones.length;
  }

  call(phone: number, host: string, port: number): void {
    this.#phones[phone]?.call(host, port);
  }

  begin(): void {
    for (const phone of this.#phones) phone.begin();
  }

  /** When packets came, by telephone: see PhoneSightings. */
  get ticksUs(): number[] {
    return this.#phones.map(({ tickUs }) => tickUs);
  }

  /** One millisecond after the other, so that the telephones do not speak all at once. */
  #speak(startMs: number): void {
    for (; startMs + this.#ticks <= performance.now(); this.#ticks++)
      for (let i = this.#ticks % FRAME_MS; i < this.#phones.length; i += FRAME_MS) this.#phones[i]?.speak();
    setTimeout(() => this.#speak(startMs), startMs + this.#ticks - performance.now());
  }
}

class MarkedPhone {
  readonly #socket: Socket = createSocket('udp4');
  readonly #packet: Uint8Array;
  readonly #header = { payloadType: 0, marker: false, sequenceNumber: 0, timestamp: 0, ssrc: 0 };
  #isCalling = false;
  #mark: number | null = null;
  #sequence: number | null = null;
  #tickUs = Number.NaN;

  constructor(number: number, heard: (mark: number, atUs: number) => void) {
    this.#packet = new Uint8Array(RTP_HEADER_BYTES + FRAME_SAMPLES);
    this.#packet.set(markedAudio(number, FRAME_SAMPLES), RTP_HEADER_BYTES);
    this.#header.ssrc = number + 1;
    this.#socket.on('error', () => {});
    this.#socket.on('message', (packet) => this.#hear(packet, heard));
  }

  get tickUs(): number {
    return this.#tickUs;
  }

  listen(): Promise<number> {
    return new Promise((resolve) => this.#socket.bind(0, HOST, () => resolve(this.#socket.address().port)));
  }

  call(host: string, port: number): void {
    this.#socket.connect(port, host, () => {
      this.#isCalling = true;
    });
  }

  begin(): void {
    this.#tickUs = Number.NaN;
  }

  speak(): void {
    if (!this.#isCalling) return;
    this.#header.sequenceNumber = (this.#header.sequenceNumber + 1) % SEQUENCES;
    this.#header.timestamp += FRAME_SAMPLES;
    writeRtpHeader(this.#packet, this.#header);
    this.#socket.send(this.#packet);
  }

  #hear(packet: Buffer, heard: (mark: number, atUs: number) => void): void {
    const atUs = nowUs();
    if (packet.length !== RTP_HEADER_BYTES + FRAME_SAMPLES) return;
    this.#follow(packet.readUInt16BE(2), atUs);
    const mark = markIn(packet.subarray(RTP_HEADER_BYTES));
    if (mark !== null && mark !== this.#mark) heard(mark, atUs);
    this.#mark = mark;
  }

  /** The packet that came the soonest after its tick tells when ticks are. */
  #follow(sequenceNumber: number, atUs: number): void {
    const last = this.#sequence ?? sequenceNumber;
    this.#sequence = last + ((sequenceNumber - (last % SEQUENCES) + SEQUENCES) % SEQUENCES);
    const originUs = atUs - this.#sequence * FRAME_US;
    if (!(originUs >= this.#tickUs)) this.#tickUs = originUs;
  }
}
