/** How long a provider may say nothing before the turn is given up. The deadline of the turn may come first. */
export interface Patience {
  /** From the request to the head of the answer. */
  readonly headMs: number;
  /** Then, from one byte to the next. */
  readonly idleMs: number;
}

/**
 * Vendors send the head as soon as they have taken a turn, in a second or two, and pings or progress while the model
 * thinks. Some send nothing during a long thought.
 */
export const VENDOR: Patience = { headMs: 20_000, idleMs: 40_000 };

/** A person's own server may load the model first, and read the whole prompt, before it sends the head. */
export const OWN_SERVER: Patience = { headMs: 40_000, idleMs: 40_000 };
