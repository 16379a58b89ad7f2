import { FRAME_MS } from '../../base/frame.ts';

/** A ping goes out with every so many frames. */
const PING_EVERY_FRAMES = 5;
/** Time that a client may take to answer a ping beyond the round trip. */
const WINDOW_MS = 200;
/** Audio that a client gets before its first pong, which says that it reads at all. */
const FIRST_FRAMES = 1000 / FRAME_MS;
/** Pings whose sending times are remembered, 3.2 s of audio; with more unanswered the window is closed. */
const PINGS_KEPT = 32;

/**
 * How far the client's reading has come. Socket buffers hide a slow reader for many seconds, but a WebSocket answers
 * pings in order (RFC 6455, section 5.5.2), so a pong says that every frame before its ping has been read. A client
 * that never answers one, which RFC 6455 does not allow, gets a second of audio.
 */
export class InflightWindow {
  readonly #pingSentAtMs = new Float64Array(PINGS_KEPT);
  #framesSent = 0;
  #pingsSent = 0;
  #pingsAnswered = 0;
  #roundTripMs = Number.POSITIVE_INFINITY;

  /** Whether another frame may go out now, where all that had arrived at `readUpToMs` has been read here. */
  isOpen(readUpToMs: number): boolean {
    if (this.#pingsAnswered === 0) return this.#framesSent < FIRST_FRAMES;
    const unanswered = this.#pingsSent - this.#pingsAnswered;
    if (unanswered === 0) return true;
    if (unanswered >= PINGS_KEPT) return false;
    const oldestSentAtMs = this.#pingSentAtMs[(this.#pingsAnswered + 1) % PINGS_KEPT] as number;
    return readUpToMs - oldestSentAtMs < WINDOW_MS + this.#roundTripMs;
  }

  /** The number of the ping that must go out with the next frame, if one must. */
  nextPing(): number | undefined {
    return (this.#framesSent + 1) % PING_EVERY_FRAMES === 0 ? this.#pingsSent + 1 : undefined;
  }

  frameSent(): void {
    this.#framesSent += 1;
  }

  pingSent(ping: number, nowMs: number): void {
    this.#pingsSent = ping;
    this.#pingSentAtMs[ping % PINGS_KEPT] = nowMs;
  }

  /** Takes a pong; one that answers no ping of ours is ignored. */
  pong(ping: number, nowMs: number): void {
    if (ping <= this.#pingsAnswered || ping > this.#pingsSent) return;
    this.#pingsAnswered = ping;
    if (this.#pingsSent - ping >= PINGS_KEPT) return;
    const roundTripMs = nowMs - (this.#pingSentAtMs[ping % PINGS_KEPT] ?? nowMs);
    this.#roundTripMs = Math.min(this.#roundTripMs, roundTripMs);
  }
}
