import { GatewayError } from '../../../../base/errors.ts';
import { FRAME_MS } from '../../../../base/frame.ts';
import { dtmfEvent } from './dtmf-event.ts';

/** Length of one tone and of the pause after it, in 20 ms ticks: 100 ms each. */
const TONE_TICKS = 5;
const PAUSE_TICKS = 5;
/** RFC 4733 section 2.5.1.4: the end is told three times. */
const END_PACKETS = 3;
/** Digits waiting; a caller that wants more has to wait itself. */
const MAX_DIGITS = 64;

interface DtmfRequest {
  readonly events: readonly number[];
  position: number;
  resolve(): void;
  reject(error: Error): void;
}

/** Queues digits and plays them one after another, tick by tick (RFC 4733 section 2.5.1). */
export class DtmfSender {
  #samplesPerTick = 0;
  readonly #requests: DtmfRequest[] = [];
  #ticks = -1;
  #startTimestamp = 0;

  /** What durations count. */
  setClock(clockRateHz: number): void {
    this.#samplesPerTick = (clockRateHz * FRAME_MS) / 1000;
  }

  /** Resolves when the pause after the last digit is over. */
  send(digits: string): Promise<void> {
    const events = Array.from(digits, dtmfEvent);
    if (events.length === 0 || events.includes(-1))
      return Promise.reject(new Error('digits are 0-9, *, #, A-D'));
    const waiting = this.#requests.reduce(
      (sum, request) => sum + request.events.length - request.position,
      0,
    );
    if (waiting + events.length > MAX_DIGITS)
      return Promise.reject(new Error(`more than ${MAX_DIGITS} digits wait`));
    return new Promise((resolve, reject) => {
      this.#requests.push({ events, position: 0, resolve, reject });
    });
  }

  /**
   * The call is over. Far ends act on the first packet of a digit, and many hang up on the last one: a request whose
   * last digit is on its way has done what it was asked for. All others are given up.
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
    return this.#ticks >= 0 && position === events.length - 1;
  }

  /** Gives all waiting requests up. */
  cancel(detail: string): void {
    this.#ticks = -1;
    for (const request of this.#requests.splice(0))
      request.reject(new GatewayError('call_not_active', detail));
  }

  /** Moves on by one tick, which begins at `timestamp`. True: an event packet takes the place of the audio. */
  tick(timestamp: number): boolean {
    const request = this.#requests[0];
    if (request === undefined) return false;
    this.#ticks++;
    if (this.#ticks === 0) this.#startTimestamp = timestamp;
    if (this.#ticks < TONE_TICKS + END_PACKETS - 1) return true;
    if (this.#ticks >= TONE_TICKS + PAUSE_TICKS - 1) this.#finishDigit(request);
    return false;
  }

  #finishDigit(request: DtmfRequest): void {
    this.#ticks = -1;
    request.position++;
    if (request.position < request.events.length) return;
    this.#requests.shift();
    request.resolve();
  }

  /** The packet of this tick, valid after `tick` said true. */
  get event(): number {
    const request = this.#requests[0];
    return request?.events[request.position] ?? 0;
  }

  get startTimestamp(): number {
    return this.#startTimestamp;
  }

  get isFirst(): boolean {
    return this.#ticks === 0;
  }

  get isEnd(): boolean {
    return this.#ticks >= TONE_TICKS - 1;
  }

  get durationSamples(): number {
    return Math.min(this.#ticks + 1, TONE_TICKS) * this.#samplesPerTick;
  }
}
