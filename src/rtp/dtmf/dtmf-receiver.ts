import type { RtpPacket } from '../rtp-packet.ts';
import { DTMF_PAYLOAD_BYTES, dtmfDigit } from './dtmf-event.ts';

const END_FLAG = 0x80;
const RESERVED_FLAG = 0x40;
/** How long after the end of a packet's time the next one of the same event may start: two packets may be lost. */
const SLACK_MS = 40;
/** A pause after which the same key is pressed anew, whatever its timestamps say. */
const PAUSE_MS = 400;
/** Presses whose late packets are recognized. */
const REMEMBERED = 8;
/** Packets are not overtaken by so much. */
const MAX_LATE_MS = 2_000;
/** A sequence number further back than this means that the sender has restarted (RFC 3550 appendix A.1). */
const MAX_MISORDER = 100;

/** The clocks of one type of events. */
export interface EventClock {
  /** Of the timestamps. */
  readonly ticksPerMs: number;
  /** Ticks of the timestamps in one of the durations: senders beside Opus may count those at 8,000 Hz. */
  readonly perDuration: number;
}

/**
 * Turns the telephone-event packets of one stream into digits (RFC 4733). All packets of an event should carry the timestamp
 * of its start, so the first one that arrives reports the digit, and losing any of the others does no harm. Senders err with
 * timestamps, so a press is also known by its code, its end, its order and the time that it covers:
 *
 * - A packet that starts before the last one's end, or soon after it while none has said that the event is over, goes on
 *   with it; so do events that are too long for their duration field (section 2.5.1.3).
 * - An end after an end of the same event repeats it.
 * - A start after an end is a new press, even at its timestamp, when it has the marker or a shorter duration.
 */
export class DtmfReceiver {
  #isRunning = false;
  #last = new EventPacket();
  #next = new EventPacket();
  /** The last presses: event codes and timestamps. */
  readonly #events = new Int16Array(REMEMBERED).fill(-1);
  readonly #timestamps = new Uint32Array(REMEMBERED);
  #presses = 0;
  /** The last packet of a type that was not negotiated. */
  #unlistedEvent = -1;
  #unlistedTimestamp = 0;

  /** Prepares for another stream with its own clock. */
  restart(): void {
    this.#isRunning = false;
    this.#events.fill(-1);
    this.#unlistedEvent = -1;
  }

  /** Returns the digit that starts with this packet, or null. */
  accept(packet: RtpPacket, clock: EventClock, nowMs: number): string | null {
    if (packet.payloadLength < DTMF_PAYLOAD_BYTES) return null;
    const next = this.#next;
    next.read(packet, clock, nowMs);
    if (this.#isRunning && !next.isInOrderAfter(this.#last)) return null;
    const press = this.#pressOf(next);
    if (press === 'former') return null;
    this.#isRunning = true;
    this.#next = this.#last;
    this.#last = next;
    this.#remember(next);
    return press === 'new' ? dtmfDigit(next.event) : null;
  }

  /**
   * Reads a packet of a type that was not negotiated. Two packets that look like events with one start are an event: no
   * audio repeats its timestamp.
   */
  acceptUnlisted(packet: RtpPacket, clock: EventClock, nowMs: number): string | null {
    if (!isEventLike(packet)) return null;
    const event = packet.bytes[packet.payloadOffset]!;
    const isProven = event === this.#unlistedEvent && packet.timestamp === this.#unlistedTimestamp;
    this.#unlistedEvent = event;
    this.#unlistedTimestamp = packet.timestamp;
    return isProven ? this.accept(packet, clock, nowMs) : null;
  }

  /** Whether the packet begins a press, belongs to the last one, or to one before that. */
  #pressOf(next: EventPacket): 'new' | 'same' | 'former' {
    if (!this.#isRunning) return 'new';
    const last = this.#last;
    const isFresh = next.isFreshAfter(last);
    if (next.event === last.event && next.timestamp === last.timestamp) return isFresh ? 'new' : 'same';
    if (!isFresh && this.#remembers(next)) return 'former';
    return next.event === last.event && next.goesOnWith(last) ? 'same' : 'new';
  }

  #remembers({ event, timestamp }: EventPacket): boolean {
    for (let i = 0; i < REMEMBERED; i++)
      if (this.#events[i] === event && this.#timestamps[i] === timestamp) return true;
    return false;
  }

  #remember(packet: EventPacket): void {
    if (this.#remembers(packet)) return;
    const place = this.#presses % REMEMBERED;
    this.#events[place] = packet.event;
    this.#timestamps[place] = packet.timestamp;
    this.#presses++;
  }
}

/** What a packet says of its event. Objects are reused. */
class EventPacket {
  event = -1;
  timestamp = 0;
  #sequence = 0;
  #marker = false;
  #isEnd = false;
  #durationTicks = 0;
  #slackTicks = 0;
  #isFull = false;
  #atMs = 0;

  read(packet: RtpPacket, clock: EventClock, nowMs: number): void {
    const { bytes, payloadOffset: at } = packet;
    const duration = (bytes[at + 2]! << 8) | bytes[at + 3]!;
    this.event = bytes[at]!;
    this.timestamp = packet.timestamp;
    this.#sequence = packet.sequenceNumber;
    this.#marker = packet.marker;
    this.#isEnd = (bytes[at + 1]! & END_FLAG) !== 0;
    this.#durationTicks = duration * clock.perDuration;
    this.#slackTicks = SLACK_MS * clock.ticksPerMs;
    this.#isFull = duration === 0xffff;
    this.#atMs = nowMs;
  }

  /** Whether it is not a copy of an earlier packet, and none that others have overtaken. */
  isInOrderAfter(last: EventPacket): boolean {
    const step = ((this.#sequence - last.#sequence) << 16) >> 16;
    return step > 0 || step < -MAX_MISORDER || this.#atMs - last.#atMs > MAX_LATE_MS;
  }

  /** Whether it begins an event after the end of another, whatever its timestamp. */
  isFreshAfter(last: EventPacket): boolean {
    return !this.#isEnd && last.#isEnd && (this.#marker || this.#durationTicks < last.#durationTicks);
  }

  /** Whether it goes on with the same event, though its timestamp is another. */
  goesOnWith(last: EventPacket): boolean {
    const isAfterPause = this.#atMs - last.#atMs >= PAUSE_MS && !last.#isFull;
    if (isAfterPause || (last.#isEnd && !this.#isEnd)) return false;
    const durationTicks = last.#durationTicks;
    const slackTicks = last.#slackTicks;
    // Repeated ends come every 20 ms, whatever they say of their duration.
    const mostTicks = last.#isEnd ? Math.max(durationTicks, slackTicks) : durationTicks + slackTicks;
    const aheadTicks = (this.timestamp - last.timestamp) | 0;
    return aheadTicks > 0 && aheadTicks <= mostTicks;
  }
}

function isEventLike({ bytes, payloadOffset, payloadLength, payloadType }: RtpPacket): boolean {
  const isDynamic = payloadType >= 96;
  if (!isDynamic || payloadLength !== DTMF_PAYLOAD_BYTES) return false;
  return dtmfDigit(bytes[payloadOffset]!) !== null && (bytes[payloadOffset + 1]! & RESERVED_FLAG) === 0;
}
