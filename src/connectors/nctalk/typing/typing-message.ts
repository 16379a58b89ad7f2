import { ROOM_TYPE } from '../calls/descriptions.ts';

/** Talk's clients show the indicator for 15 s, and repeat theirs after 10. */
export const TYPING_SHOWN_MS = 15_000;
export const TYPING_REPEAT_MS = 10_000;
/** Sessions of a room that are told: more people hardly look at an indicator. */
export const MAX_TOLD = 100;

/**
 * What each session in the room is told: there is no message to all of them. Without a room type, which means nothing here, it
 * does not arrive (seen with 1.2.4 and a media server).
 */
export function typingMessage(on: boolean): object {
  return { type: on ? 'startedTyping' : 'stoppedTyping', roomType: ROOM_TYPE };
}
