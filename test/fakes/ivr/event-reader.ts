/** A telephone-event packet. */
export interface EventPacket {
  /** When it was sent. */
  readonly atMs: number;
  readonly sequence: number;
  readonly timestamp: number;
  readonly marker: boolean;
  readonly payload: Buffer;
}

/** A digit, as its packets describe it. */
export interface ReadDigit {
  readonly digit: string;
  readonly startMs: number;
  readonly endMs: number;
}

const DIGITS = '0123456789*#ABCD';
const PAYLOAD_BYTES = 4;
const TICKS_PER_MS = 8;
const PACKET_MS = 20;
/** ITU-T Q.24: shorter signals and pauses are not told apart by every receiver. */
const LEAST_MS = 40;
/** RFC 4733 section 2.3: valid from 0 to −36 dBm0. */
const MOST_VOLUME = 36;

interface Event extends ReadDigit {
  readonly code: number;
  readonly timestamp: number;
  readonly first: number;
  endMs: number;
  durationMs: number;
  newest: number;
  hasEnded: boolean;
}

/** Reads digits from telephone-event packets (RFC 4733), in any order, and notes what breaks its rules. */
export class EventReader {
  readonly digits: ReadDigit[] = [];
  readonly faults: string[] = [];
  readonly #onDigit: (digit: string) => void;
  #event: Event | null = null;

  constructor(onDigit: (digit: string) => void) {
    this.#onDigit = onDigit;
  }

  take(packet: EventPacket): void {
    const { payload, timestamp } = packet;
    if (payload.length !== PAYLOAD_BYTES) {
      this.#fault(`an event of ${payload.length} bytes (2.3)`);
      return;
    }
    const code = payload[0]!;
    const volume = payload[1]! & 0x3f;
    if (code >= DIGITS.length) this.#fault(`event ${code}, which is no key (3.2)`);
    else if (volume > MOST_VOLUME) this.#fault(`volume ${volume} (2.3)`);
    else if ((payload[1]! & 0x40) !== 0) this.#fault('the reserved bit is set (2.3)');
    else if (this.#event === null || ahead(timestamp, this.#event.timestamp) > 0) this.#begin(code, packet);
    else if (timestamp === this.#event.timestamp) this.#continue(this.#event, code, packet);
  }

  #begin(code: number, packet: EventPacket): void {
    const { sequence, timestamp, atMs } = packet;
    this.#checkPause(timestamp);
    const durationMs = durationOf(packet);
    const startMs = atMs - (durationMs - PACKET_MS);
    const event: Event = {
      digit: DIGITS[code]!,
      code,
      timestamp,
      startMs,
      endMs: startMs + durationMs,
      durationMs,
      first: sequence,
      newest: sequence,
      hasEnded: isEnd(packet),
    };
    this.#event = event;
    this.digits.push(event);
    this.#onDigit(event.digit);
  }

  /** A pause that is shorter than receivers need, by the clock of the sender. */
  #checkPause(timestamp: number): void {
    const former = this.#event;
    if (former === null) return;
    if (former.durationMs < LEAST_MS) this.#fault(`${former.digit} lasted ${former.durationMs} ms`);
    const pauseMs = ahead(timestamp, former.timestamp) / TICKS_PER_MS - former.durationMs;
    if (pauseMs < LEAST_MS) this.#fault(`${pauseMs} ms after ${former.digit}`);
  }

  #continue(event: Event, code: number, packet: EventPacket): void {
    const durationMs = durationOf(packet);
    const isLater = (packet.sequence - event.newest) << 16 > 0;
    if (code !== event.code) this.#fault(`${DIGITS[code]} within ${event.digit} (2.5.1.2)`);
    if (packet.marker && packet.sequence !== event.first && isLater)
      this.#fault(`a marker in the middle of ${event.digit} (2.5.1.1)`);
    if (isLater ? durationMs < event.durationMs : durationMs > event.durationMs)
      this.#fault(`${event.digit} became shorter (2.5.1.2)`);
    if (isLater && event.hasEnded && (!isEnd(packet) || durationMs !== event.durationMs))
      this.#fault(`${event.digit} went on after its end (2.5.1.4)`);
    if (!isLater) return;
    event.newest = packet.sequence;
    event.durationMs = durationMs;
    event.endMs = event.startMs + durationMs;
    event.hasEnded ||= isEnd(packet);
  }

  #fault(what: string): void {
    this.faults.push(what);
  }
}

function durationOf({ payload }: EventPacket): number {
  return payload.readUInt16BE(2) / TICKS_PER_MS;
}

function isEnd({ payload }: EventPacket): boolean {
  return (payload[1]! & 0x80) !== 0;
}

function ahead(timestamp: number, of: number): number {
  return (timestamp - of) | 0;
}
