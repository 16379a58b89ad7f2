import { createHash } from 'node:crypto';
import { wallMs } from '../../../base/wall-ms.ts';
import type { RtpPacket } from '../../../rtp/rtp-packet.ts';
import { PersonStream } from './person-stream.ts';
import { SpeechMeter } from './speech-meter.ts';

/** People whose stream is remembered; whoever has been gone the longest is forgotten. */
const MAX_REMEMBERED = 256;
const MAX_PACKET_BYTES = 1_500;
const LOOK_EVERY_MS = 100;

interface Person {
  readonly stream: PersonStream;
  readonly meter: SpeechMeter;
}

interface PeopleDeps {
  /** Takes an RTP packet: the first `length` bytes, valid during the call. */
  readonly deliver: (packet: Uint8Array, length: number, arrivalMs: number) => void;
  readonly onStream: (ssrc: number, personId: string) => void;
  readonly onSpeaking: (personId: string, on: boolean) => void;
}

/** Those who are heard: each has an RTP stream of their own for the whole call. */
export class People {
  readonly #deps: PeopleDeps;
  readonly #people = new Map<string, Person>();
  readonly #packet = new Uint8Array(MAX_PACKET_BYTES);
  readonly #timer: NodeJS.Timeout;

  constructor(deps: PeopleDeps) {
    this.#deps = deps;
    this.#timer = setInterval(() => this.#look(wallMs()), LOOK_EVERY_MS);
  }

  /** A connection of the person begins. Returns what takes its packets. */
  begin(personId: string): (packet: RtpPacket, levelDb: number, arrivalMs: number) => void {
    const { stream, meter } = this.#remember(personId);
    stream.restart();
    this.#deps.onStream(stream.ssrc, personId);
    return (packet, levelDb, arrivalMs) => {
      const length = stream.rewrite(packet, arrivalMs, this.#packet);
      if (length === 0) return;
      if (meter.hear(packet, levelDb, arrivalMs)) this.#deps.onSpeaking(personId, meter.isSpeaking);
      this.#deps.deliver(this.#packet, length, arrivalMs);
    };
  }

  close(): void {
    clearInterval(this.#timer);
    this.#people.clear();
  }

  #remember(personId: string): Person {
    const person = this.#people.get(personId) ?? {
      stream: new PersonStream(this.#freeSsrc(personId)),
      meter: new SpeechMeter(),
    };
    // Last in the order of the map, which is that of the latest beginnings.
    this.#people.delete(personId);
    this.#people.set(personId, person);
    const [oldest] = this.#people.keys();
    if (this.#people.size > MAX_REMEMBERED) this.#people.delete(oldest!);
    return person;
  }

  /** The same for a person in each transport of a call, so that the leg gives them the voice that they had. */
  #freeSsrc(personId: string): number {
    const taken = new Set(Array.from(this.#people.values(), ({ stream }) => stream.ssrc));
    let ssrc = createHash('sha256').update(personId).digest().readUInt32BE(0);
    while (taken.has(ssrc)) ssrc = (ssrc + 1) >>> 0;
    return ssrc;
  }

  #look(nowMs: number): void {
    for (const [personId, { meter }] of this.#people)
      if (meter.look(nowMs)) this.#deps.onSpeaking(personId, false);
  }
}
