/** The first second of 2015, from which snowflakes count. */
const DISCORD_EPOCH_MS = 1_420_070_400_000;
const INCREMENTS_PER_MS = 4_096;

/**
 * Ids in the order in which they were made: milliseconds since 2015, and a counter
 * (https://docs.discord.com/developers/reference#snowflakes).
 */
export class Snowflakes {
  #lastMs = 0;
  #increment = 0;

  next(nowMs: number): string {
    if (nowMs > this.#lastMs) {
      this.#lastMs = Math.floor(nowMs);
      this.#increment = 0;
    } else {
      this.#increment += 1;
      if (this.#increment === INCREMENTS_PER_MS) {
        this.#lastMs += 1;
        this.#increment = 0;
      }
    }
    return String((BigInt(this.#lastMs - DISCORD_EPOCH_MS) << 22n) | BigInt(this.#increment));
  }
}

/** When an id was made, in milliseconds. */
export function madeAtMs(snowflake: string): number {
  return Number(BigInt(snowflake) >> 22n) + DISCORD_EPOCH_MS;
}

export function isSnowflake(value: string): boolean {
  return /^\d{15,20}$/.test(value);
}

/** Whether the first id is older than the second one. */
export function isBefore(first: string, second: string): boolean {
  return BigInt(first) < BigInt(second);
}
