/**
 * How long a model may take, in milliseconds, from the start of its turn.
 */
const CHAT_MS = 55_000;
/** A call rings for about as long. */
const INVITE_MS = 15_000;
/** To the first sentence. */
const SPOKEN_MS = 20_000;

/**
 * Returns how long a turn may take until its first visible part. A person who writes gets the gateway's own text after
 * 60 s, so the model's reply must come before.
 */
export function deadlineOf(eventType: string): number {
  if (eventType === 'call_invite') return INVITE_MS;
  return eventType === 'call_transcript' ? SPOKEN_MS : CHAT_MS;
}

/** How long a turn may wait for others to end. */
export const SLOT_WAIT_MS = 50_000;
