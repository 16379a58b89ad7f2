/** How much a new report changes what was expected: two to five clean ones end what a bad one began. */
const WEIGHT = 0.5;
/** FEC takes its bits from the voice, so single packets are left to the peer's concealment. */
const BEGINS_AT = 0.02;
const ENDS_BELOW = 0.01;
/** Up to 5 libopus sends no FEC at all where 24 kbit/s are left for it (`decide_fec` of libopus 1.3); from 25 on no more. */
const LEAST_PERCENT = 6;
const MOST_PERCENT = 25;

/** What loss our encoder is to reckon with, from what the peer's receiver reports say (RFC 3550 section 6.4.1). */
export class ExpectedLoss {
  #share = 0;
  #percent = 0;

  /** For libopus; 0: no FEC. */
  get percent(): number {
    return this.#percent;
  }

  /** `lostShare` of our packets, 0 to 1, did not come since the report before. True: `percent` has changed. */
  report(lostShare: number): boolean {
    const former = this.#percent;
    this.#share += (lostShare - this.#share) * WEIGHT;
    const isOn = this.#share >= (former > 0 ? ENDS_BELOW : BEGINS_AT);
    const percent = Math.min(Math.max(Math.round(this.#share * 100), LEAST_PERCENT), MOST_PERCENT);
    this.#percent = isOn ? percent : 0;
    return this.#percent !== former;
  }
}
