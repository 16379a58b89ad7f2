import { FRAME_MS } from '../../base/frame.ts';

/** Number of frames per ping. */
const PING_EVERY_FRAMES = 5;
/** Time that a client may take to answer a ping, in addition to the round trip. */
const WINDOW_MS = 200;
/** Frames sent before the first pong, which proves that the client reads at all: one second of audio. */
const FIRST_FRAMES = 1000 / FRAME_MS;
/** Number of pings whose send times are kept: 3.2 s of audio. With more unanswered pings the window is closed. */
const PINGS_KEPT = 32;

/**
 * Tracks how far the client has read. Socket buffers hide a slow reader for many seconds, but a WebSocket answers pings
 * in order (RFC 6455, section 5.5.2), so a pong proves that every frame before its ping was read. A client that never
 * sends a pong, which violates RFC 6455, gets one second of audio.
 */
export class InflightWindow {
  readonly #pingSentAtMs = new Float64Array(PINGS_KEPT);
  #framesSent = 0;
  #pingsSent = 0;
  #pingsAnswered = 0;
  #roundTripMs = Number.POSITIVE_INFINITY;

  /** Whether another frame may be sent. `readUpToMs`: time up to which this thread has read incoming data. */
  isOpen(readUpToMs: number): boolean {
    if (this.#pingsAnswered === 0) return this.#framesSent < FIRST_FRAMES;
    const unanswered = this.#pingsSent - this.#pingsAnswered;
    if (unanswered === 0) return true;
    if (unanswered >= PINGS_KEPT) return false;
    const oldestSentAtMs = this.#pingSentAtMs[(this.#pingsAnswered + 1) % PINGS_KEPT] as number;
    return readUpToMs - oldestSentAtMs < WINDOW_MS + this.#roundTripMs;
  }

  /** The number of the ping to send with the next message of so many frames; undefined if none is due. */
  nextPing(frames: number): number | undefined {
    const before = Math.floor(this.#framesSent / PING_EVERY_FRAMES);
    const after = Math.floor((this.#framesSent + frames) / PING_EVERY_FRAMES);
    return after > before ? this.#pingsSent + 1 : undefined;
  }

  sent(frames: number): void {
    this.#framesSent += frames;
  }

  pingSent(ping: number, nowMs: number): void {
    this.#pingsSent = ping;
    this.#pingSentAtMs[ping % PINGS_KEPT] = nowMs;
  }

  /** Processes a pong. Ignores it if it does not match an unanswered ping. */
  pong(ping: number, nowMs: number): void {
    if (ping <= this.#pingsAnswered || ping > this.#pingsSent) return;
    this.#pingsAnswered = ping;
    if (this.#pingsSent - ping >= PINGS_KEPT) return;
    const roundTripMs = nowMs - (this.#pingSentAtMs[ping % PINGS_KEPT] ?? nowMs);
    this.#roundTripMs = Math.min(this.#roundTripMs, roundTripMs);
  }
}
