const SEQUENCE_MODULO = 0x1_0000;
const MAX_DROPOUT = 3_000;
const MAX_MISORDER = 100;

/** Statistics of a received stream for receiver reports (RFC 3550 sections 6.4.1 and A.1, A.3, A.8). */
export class ReceptionStats {
  #samplesPerMs = 1;
  ssrc = 0;
  /** False until the first packet. */
  active = false;
  /** Highest sequence number; the bits above 16 count its wraps. */
  highestSequence = 0;
  received = 0;
  #baseSequence = 0;
  #expectedBefore = 0;
  #receivedBefore = 0;
  #transit = 0;
  #jitterSamples = 0;

  /** Sets the rate of the timestamps. A different rate restarts the statistics. */
  setClock(clockRateHz: number): void {
    if (clockRateHz === this.#samplesPerMs * 1000) return;
    this.#samplesPerMs = clockRateHz / 1000;
    this.active = false;
  }

  restart(ssrc: number): void {
    this.ssrc = ssrc;
    this.active = false;
  }

  note(sequenceNumber: number, timestamp: number, arrivalMs: number): void {
    const transit = (Math.round(arrivalMs * this.#samplesPerMs) - timestamp) | 0;
    const delta = ((sequenceNumber - this.highestSequence) << 16) >> 16;
    if (!this.active || delta > MAX_DROPOUT || delta < -MAX_MISORDER) this.#begin(sequenceNumber, transit);
    else if (delta > 0) this.highestSequence += delta;
    this.received++;
    const difference = Math.abs((transit - this.#transit) | 0);
    this.#transit = transit;
    this.#jitterSamples += (difference - this.#jitterSamples) / 16;
  }

  #begin(sequenceNumber: number, transit: number): void {
    this.active = true;
    this.highestSequence = sequenceNumber;
    this.received = 0;
    this.#baseSequence = sequenceNumber;
    this.#expectedBefore = 0;
    this.#receivedBefore = 0;
    this.#transit = transit;
    this.#jitterSamples = 0;
  }

  get jitterSamples(): number {
    return Math.floor(this.#jitterSamples);
  }

  get jitterMs(): number {
    return this.#jitterSamples / this.#samplesPerMs;
  }

  /** Packets lost since the stream started; negative when duplicates outnumber them. */
  get cumulativeLost(): number {
    return this.#expected() - this.received;
  }

  /** Share of packets lost since the previous call, in 256ths. */
  takeFractionLost(): number {
    const expected = this.#expected() - this.#expectedBefore;
    const lost = expected - (this.received - this.#receivedBefore);
    this.#expectedBefore += expected;
    this.#receivedBefore = this.received;
    if (expected <= 0 || lost <= 0) return 0;
    return Math.min(Math.floor((lost * 256) / expected), 255);
  }

  #expected(): number {
    return this.highestSequence - this.#baseSequence + 1;
  }

  /** Highest sequence number as sent in a report block: the low 32 bits of wraps and number. */
  get extendedHighest(): number {
    return this.highestSequence % (SEQUENCE_MODULO * SEQUENCE_MODULO);
  }
}
