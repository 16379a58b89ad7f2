import { decodeUlaw, encodeUlaw } from '../../../src/audio/g711.ts';
import { wallMsAt } from '../../../src/base/wall-ms.ts';
import type { Datagram, PacketPath, SocketIo } from '../../../src/rtp/paths/packet-path.ts';
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

/** What a phone records. Times are of `wallMs`. */
export type PhoneNote =
  /** A packet with sound has arrived, by the kernel's clock where it has one. */
  | { readonly type: 'heard'; readonly atMs: number; readonly frame: Int16Array }
  /** A packet of the voice has left. `dueMs`: on the phone's own clock of samples. `isLoud`: the voice is in it. */
  | {
      readonly type: 'spoke';
      readonly atMs: number;
      readonly dueMs: number;
      readonly frame: Int16Array;
      readonly isLoud: boolean;
    };

/** A line, its phone's port, and where it sends to. */
export interface PhonePlace extends PhoneLine {
  readonly port: number;
  readonly toPort: number;
}

type Recorder = (note: PhoneNote) => void;

/** A phone of a test, PCMU over RTP. It sends a packet with every `tick`, 20 ms apart. */
export class RtpPhone {
  readonly #path: PacketPath;
  readonly #toPort: number;
  readonly #record: Recorder;
  readonly #noise: readonly Int16Array[];
  readonly #echo: PhoneLine['echo'];
  readonly #echoes: Int16Array[] = [];
  #voice: Int16Array[] = [];
  #sent = 0;

  private constructor(path: PacketPath, { noise, echo, toPort }: PhonePlace, record: Recorder) {
    this.#path = path;
    this.#toPort = toPort;
    this.#record = record;
    this.#noise = noise === undefined ? [new Int16Array(FRAME)] : framesOf(noise, RATE_HZ);
    this.#echo = echo;
    for (let i = 0; i < (echo?.frames ?? 0); i++) this.#echoes.push(new Int16Array(FRAME));
    path.listen({
      onRtp: (datagram) => this.#hear(datagram),
      onRtcp: () => {},
      onBug: (error) => {
        throw error;
      },
    });
  }

  static async start(io: SocketIo, place: PhonePlace, record: Recorder): Promise<RtpPhone> {
    const path = await io.open({ bindHost: HOST, rtpPort: place.port, bound: null });
    return new RtpPhone(path, place, record);
  }

  /** Speaks from the next packet on. */
  say(samples: Int16Array): void {
    this.#voice = framesOf(samples, RATE_HZ);
  }

  tick(dueMs: number): void {
    const said = this.#voice.shift();
    const voice = said ?? new Int16Array(FRAME);
    const frame = mixed(mixed(voice, this.#nextEcho()), this.#noise[this.#sent % this.#noise.length]!);
    const payload = new Uint8Array(FRAME);
    encodeUlaw(frame, FRAME, payload, 0);
    const header = { payloadType: 0, sequence: this.#sent & 0xffff, timestamp: this.#sent * FRAME, ssrc: 7 };
    const packet = rtpPacket(header, [...payload]);
    this.#path.sendRtp(packet, packet.length, this.#toPort, HOST);
    this.#sent++;
    if (said === undefined) return;
    const isLoud = said.some((sample) => Math.abs(sample) > VOICE);
    const atMs = wallMsAt(performance.now());
    this.#record({ type: 'spoke', atMs, dueMs: wallMsAt(dueMs), frame: said, isLoud });
  }

  close(): void {
    this.#path.close();
  }

  #hear({ bytes, start, arrivalMs }: Datagram): void {
    const frame = new Int16Array(FRAME);
    decodeUlaw(bytes, start + HEADER_BYTES, FRAME, frame);
    if (frame.some((sample) => Math.abs(sample) > SOUND))
      this.#record({ type: 'heard', atMs: wallMsAt(arrivalMs), frame });
    if (this.#echo !== undefined) this.#echoes.push(amplified(frame, this.#echo.db));
  }

  /** A packet that is late gives way to the next one, so the echo stays as far behind. */
  #nextEcho(): Int16Array {
    const most = this.#echo?.frames ?? 0;
    while (this.#echoes.length > most + 1) this.#echoes.shift();
    return (this.#echoes.length > most ? this.#echoes.shift() : null) ?? new Int16Array(FRAME);
  }
}
