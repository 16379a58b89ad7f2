/** One of the kinds of payload that a platform sends. */
export interface PayloadKind {
  readonly payload: Readonly<Record<string, unknown>>;
  /** What agents read: the text, and a line `file: NAME` for each file. Null: it is counted as ignored. */
  readonly shows: RegExp | null;
}

/** A kind that agents see. */
export function seen(payload: PayloadKind['payload'], shows: RegExp): PayloadKind {
  return { payload, shows };
}

/** A kind that is counted as ignored. */
export function unseen(payload: PayloadKind['payload']): PayloadKind {
  return { payload, shows: null };
}
