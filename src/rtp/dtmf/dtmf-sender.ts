import { GatewayError } from '../../base/errors.ts';
import { FRAME_MS } from '../../base/frame.ts';
import { dtmfEvent } from './dtmf-event.ts';

/** Length of a tone and of the pause after it, in 20 ms ticks: 100 ms each. */
const TONE_TICKS = 5;
const PAUSE_TICKS = 5;
/** RFC 4733 section 2.5.1.4: the end of an event is sent three times. */
const END_PACKETS = 3;
/** Marks the end of an event (RFC 4733 section 2.3). */
const END_FLAG = 0x80;
/** Tone power in dB below 0 dBm0, the usual value of phones. */
const VOLUME = 10;
/** Maximum number of queued digits. Requests beyond it are rejected. */
const MAX_DIGITS = 64;

interface DtmfRequest {
  readonly events: readonly number[];
  position: number;
  resolve(): void;
  reject(error: Error): void;
}

/** Queues digits and sends them one after another, tick by tick: as events (RFC 4733 section 2.5.1) or as tones. */
export class DtmfSender {
  /** Ticks since the start of the digit. */
  ticks = -1;
  startTimestamp = 0;
  #samplesPerTick = 0;
  readonly #requests: DtmfRequest[] = [];

  /** Sets the clock rate of event durations. */
  setClock(clockRateHz: number): void {
    this.#samplesPerTick = (clockRateHz * FRAME_MS) / 1000;
  }

  /** Queues digits. Resolves when the pause after the last one is over. Rejects invalid digits and a full queue. */
  send(digits: string): Promise<void> {
    const events = Array.from(digits, dtmfEvent);
    if (events.length === 0 || events.includes(-1))
      return Promise.reject(new Error('DTMF digits must be 0-9, *, # or A-D'));
    const waiting = this.#requests.reduce(
      (sum, request) => sum + request.events.length - request.position,
      0,
    );
    if (waiting + events.length > MAX_DIGITS)
      return Promise.reject(new Error(`too many DTMF digits are queued, the maximum is ${MAX_DIGITS}`));
    return new Promise((resolve, reject) => {
      this.#requests.push({ events, position: 0, resolve, reject });
    });
  }

  /**
   * Ends the queue with the call. Far ends act on the first packet of a digit, and many hang up on the last digit, so a
   * request whose last digit is being sent succeeds. All others are rejected.
   */
  close(): void {
    const request = this.#requests[0];
    if (request !== undefined && this.#isAtLastDigit(request)) {
      this.#requests.shift();
      request.resolve();
    }
    this.cancel('The call is over');
  }

  #isAtLastDigit({ events, position }: DtmfRequest): boolean {
    return this.ticks >= 0 && position === events.length - 1;
  }

  /** Rejects all pending requests with `call_not_active`. */
  cancel(detail: string): void {
    this.ticks = -1;
    for (const request of this.#requests.splice(0))
      request.reject(new GatewayError('call_not_active', detail));
  }

  /** Advances by one tick that starts at `timestamp`. The getters below tell what it sends. */
  tick(timestamp: number): void {
    const request = this.#requests[0];
    if (request === undefined) return;
    this.ticks++;
    if (this.ticks === 0) this.startTimestamp = timestamp;
    if (this.ticks >= TONE_TICKS + PAUSE_TICKS - 1) this.#finishDigit(request);
  }

  /** Whether a packet of the event replaces the audio of this tick. */
  get isEvent(): boolean {
    return this.ticks >= 0 && this.ticks < TONE_TICKS + END_PACKETS - 1;
  }

  /** Whether the digit sounds in this tick. */
  get isTone(): boolean {
    return this.ticks >= 0 && this.ticks < TONE_TICKS;
  }

  /** Event code of the digit. */
  get event(): number {
    const request = this.#requests[0];
    return request?.events[request.position] ?? 0;
  }

  #finishDigit(request: DtmfRequest): void {
    this.ticks = -1;
    request.position++;
    if (request.position < request.events.length) return;
    this.#requests.shift();
    request.resolve();
  }

  /** Writes the payload of this tick's event packet. */
  writePayload(out: Uint8Array, at: number): void {
    const isEnd = this.ticks >= TONE_TICKS - 1;
    const durationSamples = Math.min(this.ticks + 1, TONE_TICKS) * this.#samplesPerTick;
    out[at] = this.event;
    out[at + 1] = (isEnd ? END_FLAG : 0) | VOLUME;
    out[at + 2] = durationSamples >> 8;
    out[at + 3] = durationSamples;
  }

  get isFirst(): boolean {
    return this.ticks === 0;
  }
}
