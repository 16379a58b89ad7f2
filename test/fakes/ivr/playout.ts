/** What an RTP packet brings: audio, or no audio because an event took its place. */
export type Played = Int16Array | 'event';

/** More packets than that are a stream that started anew. */
const MAX_WAITING = 100;

/** Puts packets back in order, a fixed time after they came. */
export class Playout {
  readonly #packets = new Map<number, Played>();
  readonly #depth: number;
  #next = -1;
  #ticksToStart: number;

  /** `depth`: 20 ms each. */
  constructor(depth: number) {
    this.#depth = depth;
    this.#ticksToStart = depth;
  }

  insert(sequence: number, played: Played): void {
    if (this.#next < 0) this.#next = sequence;
    const late = (sequence - this.#next) << 16 < 0;
    if (late && this.#ticksToStart > 0) this.#next = sequence;
    else if (late) return;
    this.#packets.set(sequence, played);
    if (this.#packets.size > MAX_WAITING) this.#restart();
  }

  /** What is due now: null when its packet is lost, undefined when nothing is due. Call it every 20 ms. */
  next(): Played | null | undefined {
    if (this.#packets.size === 0) return undefined;
    if (this.#ticksToStart > 0) {
      this.#ticksToStart--;
      return undefined;
    }
    const played = this.#packets.get(this.#next) ?? null;
    this.#packets.delete(this.#next);
    this.#next = (this.#next + 1) & 0xffff;
    return played;
  }

  #restart(): void {
    this.#packets.clear();
    this.#next = -1;
    this.#ticksToStart = this.#depth;
  }
}
