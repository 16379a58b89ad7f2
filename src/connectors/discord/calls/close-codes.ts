import { unreachable } from '../../../base/assert.ts';
import type { MeetingLeg } from '../../kit/meeting-leg.ts';

/** For the gateway to say what a voice server's end means, or where the new server is. */
export const NEWS_MS = 3_000;

/** What follows when a voice server has closed a session. */
type AfterClose =
  /** The call is over: Discord would refuse the bot again. */
  | 'end'
  /** The call is over for everybody. */
  | 'over'
  /** The gateway says what has happened: removed, moved to another channel or server. */
  | 'wait'
  /** The bot enters the channel again. */
  | 'rejoin';

/** https://docs.discord.com/developers/topics/opcodes-and-status-codes#voice-voice-close-event-codes */
const CODES: ReadonlyMap<number, readonly [AfterClose, string]> = new Map([
  [4001, ['end', 'unknown operation']],
  [4002, ['end', 'payload could not be decoded']],
  [4003, ['rejoin', 'not authenticated']],
  [4004, ['end', 'authentication failed']],
  [4005, ['end', 'already authenticated']],
  [4006, ['rejoin', 'the session is no longer valid']],
  [4009, ['rejoin', 'the session timed out']],
  [4011, ['end', 'the server was not found']],
  [4012, ['end', 'unknown protocol']],
  [4014, ['wait', 'disconnected']],
  [4015, ['rejoin', 'the voice server crashed']],
  [4016, ['end', 'unknown encryption mode']],
  [4017, ['end', 'end-to-end encryption is required']],
  [4020, ['end', 'bad request']],
  [4021, ['end', 'disconnected because of a rate limit']],
  [4022, ['over', 'the call was ended for everybody']],
]);

/** A voice server has closed the session, or could not be reached. `code` null: the connection was lost without one. */
export function sessionClosed(leg: MeetingLeg, code: number | null, words: string): void {
  if (leg.isExpecting) return;
  const [next, meaning] = CODES.get(code ?? 0) ?? ['rejoin', null];
  const reason = meaning === null ? words : `the voice server closed the connection: ${meaning} (${code})`;
  switch (next) {
    case 'end':
      return leg.lose(reason);
    case 'over':
      return leg.removed(reason);
    case 'wait':
      return leg.expect(NEWS_MS, reason);
    case 'rejoin':
      return leg.lost(reason);
    default:
      return unreachable(next);
  }
}
