/** Weight of a new report. After a bad report, two to five clean ones switch FEC off again. */
const WEIGHT = 0.5;
/** FEC takes bits from the voice, so isolated losses are left to the peer's concealment. */
const BEGINS_AT = 0.02;
const ENDS_BELOW = 0.01;
/** At 24 kbit/s, libopus sends no FEC for values up to 5 (`decide_fec` of libopus 1.3). Values above 25 add no more. */
const LEAST_PERCENT = 6;
const MOST_PERCENT = 25;

/** Packet loss that the encoder should expect, estimated from the peer's receiver reports (RFC 3550 section 6.4.1). */
export class ExpectedLoss {
  #share = 0;
  #percent = 0;

  /** Expected loss in percent for libopus; 0 disables FEC. */
  get percent(): number {
    return this.#percent;
  }

  /**
   * Adds a report: `lostShare` of our packets, 0 to 1, were lost since the previous one. Returns whether `percent`
   * changed.
   */
  report(lostShare: number): boolean {
    const former = this.#percent;
    this.#share += (lostShare - this.#share) * WEIGHT;
    const isOn = this.#share >= (former > 0 ? ENDS_BELOW : BEGINS_AT);
    const percent = Math.min(Math.max(Math.round(this.#share * 100), LEAST_PERCENT), MOST_PERCENT);
    this.#percent = isOn ? percent : 0;
    return this.#percent !== former;
  }
}
