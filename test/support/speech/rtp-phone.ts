import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { decodeUlaw, encodeUlaw } from '../../../src/audio/g711.ts';
import { rtpPacket } from '../packet-stream.ts';
import { amplified, framesOf, mixed } from '../speech-signal.ts';

const HOST = '127.0.0.1';
const RATE_HZ = 8_000;
const FRAME = 160;
const HEADER_BYTES = 12;
/** Louder than the smallest step of G.711. */
const SOUND = 16;
const VOICE = 500;

export interface PhoneLine {
  /** What is on the line all the time, again and again. */
  readonly noise?: Int16Array;
  /** What the phone hears comes back, weaker and later. */
  readonly echo?: { readonly db: number; readonly frames: number };
}

/** A phone of a test, PCMU over RTP. It sends a packet with every `tick`, 20 ms apart. Times are `performance.now()`. */
export class RtpPhone {
  readonly port: number;
  /** When packets with any sound in them have arrived. */
  heardAtMs: number[] = [];
  /** The sound of those packets, one after the other. */
  heard: Int16Array[] = [];
  /** When the first packet with the voice of the last `say` has left. */
  spokeAtMs: number | null = null;
  /** The voice since the last `say`, with the times at which its packets have left. */
  spoken: { readonly atMs: number; readonly frame: Int16Array }[] = [];
  readonly #socket: Socket;
  readonly #noise: readonly Int16Array[];
  readonly #echo: PhoneLine['echo'];
  readonly #echoes: Int16Array[] = [];
  #voice: Int16Array[] = [];
  #sent = 0;

  private constructor(socket: Socket, { noise, echo }: PhoneLine) {
    this.#socket = socket;
    this.port = socket.address().port;
    this.#noise = noise === undefined ? [new Int16Array(FRAME)] : framesOf(noise, RATE_HZ);
    this.#echo = echo;
    for (let i = 0; i < (echo?.frames ?? 0); i++) this.#echoes.push(new Int16Array(FRAME));
    socket.on('message', (packet) => this.#hear(packet));
  }

  static async start(line: PhoneLine = {}): Promise<RtpPhone> {
    const socket = createSocket('udp4');
    socket.bind(0, HOST);
    await once(socket, 'listening');
    return new RtpPhone(socket, line);
  }

  /** Speaks from the next packet on. */
  say(samples: Int16Array): void {
    this.spokeAtMs = null;
    this.spoken = [];
    this.#voice = framesOf(samples, RATE_HZ);
  }

  tick(toPort: number): void {
    const said = this.#voice.shift();
    const voice = said ?? new Int16Array(FRAME);
    const frame = mixed(mixed(voice, this.#nextEcho()), this.#noise[this.#sent % this.#noise.length]!);
    const payload = new Uint8Array(FRAME);
    encodeUlaw(frame, FRAME, payload, 0);
    const header = { payloadType: 0, sequence: this.#sent & 0xffff, timestamp: this.#sent * FRAME, ssrc: 7 };
    this.#socket.send(rtpPacket(header, [...payload]), toPort, HOST);
    this.#sent++;
    if (said !== undefined) this.spoken.push({ atMs: performance.now(), frame: said });
    if (voice.some((sample) => Math.abs(sample) > VOICE)) this.spokeAtMs ??= performance.now();
  }

  close(): void {
    this.#socket.close();
  }

  #hear(packet: Buffer): void {
    const frame = new Int16Array(FRAME);
    decodeUlaw(packet, HEADER_BYTES, FRAME, frame);
    if (frame.some((sample) => Math.abs(sample) > SOUND)) {
      this.heardAtMs.push(performance.now());
      this.heard.push(frame);
    }
    if (this.#echo !== undefined) this.#echoes.push(amplified(frame, this.#echo.db));
  }

  /** A packet that is late gives way to the next one, so the echo stays as far behind. */
  #nextEcho(): Int16Array {
    const most = this.#echo?.frames ?? 0;
    while (this.#echoes.length > most + 1) this.#echoes.shift();
    return (this.#echoes.length > most ? this.#echoes.shift() : null) ?? new Int16Array(FRAME);
  }
}
