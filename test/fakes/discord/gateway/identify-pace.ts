import type { FakeBot } from '../fake-bot.ts';

/** How often bots may identify: `max_concurrency` times within a window. */
export class IdentifyPace {
  readonly #windowMs: number;
  readonly #nowMs: () => number;
  readonly #last = new Map<FakeBot, number[]>();

  constructor(windowMs: number, nowMs: () => number) {
    this.#windowMs = windowMs;
    this.#nowMs = nowMs;
  }

  /** Counts one; false: it comes too early. */
  admits(bot: FakeBot): boolean {
    const nowMs = this.#nowMs();
    const recent = (this.#last.get(bot) ?? []).filter((timeMs) => timeMs > nowMs - this.#windowMs);
    this.#last.set(bot, recent);
    if (recent.length >= bot.maxConcurrency) return false;
    recent.push(nowMs);
    return true;
  }
}
