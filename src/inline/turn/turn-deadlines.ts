/**
 * A person who writes gets the gateway's own text after 60 s, so the model's reply must be there before. Milliseconds
 * from the start of the turn.
 */
const CHAT_MS = 55_000;
/** A call rings for about as long. */
const INVITE_MS = 15_000;
/** To the first sentence. */
const SPOKEN_MS = 20_000;
/** From the first sentence to the end of the reply. */
export const SPEECH_MS = 120_000;

/** How long a turn may wait for others to end. */
export const SLOT_WAIT_MS = 50_000;

/** Returns how long a turn may take: until its reply is complete, or until the first sentence of a spoken one. */
export function deadlineOf(eventType: string, isSpoken: boolean): number {
  if (eventType === 'call_invite') return INVITE_MS;
  return isSpoken ? SPOKEN_MS : CHAT_MS;
}
