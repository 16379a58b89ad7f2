import type { PersonUnderTest } from '../messenger-under-test.ts';

/** One of the kinds of payload that a platform sends. */
export interface PayloadKind {
  readonly payload: Readonly<Record<string, unknown>>;
  /** What agents read: the text, and a line `file: NAME` for each file. Null: it is counted as ignored. */
  readonly shows: RegExp | null;
}

/** What a platform sends of a person in their conversation with the account. */
export interface PayloadsUnderTest {
  readonly kinds: Readonly<Record<string, PayloadKind>>;
  /** Delivers payloads of a person as the platform does, in this order. */
  deliver(person: PersonUnderTest, payload: PayloadKind['payload']): void;
  /** Absent where people cannot edit, or where the platform is asked for messages, which come as they are by then. */
  readonly overtakes?: OvertakesUnderTest;
}

/** What happens to a message while it is on its way. */
export interface OvertakesUnderTest {
  readonly tellsDeletions: boolean;
  /** Delivers the edit of a message, or its deletion (null), and then the message. Returns what delivers the message again. */
  deliver(person: PersonUnderTest, text: string, change: string | null): () => void;
}

/** A kind that agents see. */
export function seen(payload: PayloadKind['payload'], shows: RegExp): PayloadKind {
  return { payload, shows };
}

/** A kind that is counted as ignored. */
export function unseen(payload: PayloadKind['payload']): PayloadKind {
  return { payload, shows: null };
}
