/** What follows when a voice server has closed a session. */
export type AfterClose =
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

/** What follows a close code; null: the connection was lost without one. */
export function afterClose(code: number | null): AfterClose {
  return CODES.get(code ?? 0)?.[0] ?? 'rejoin';
}

/** The reason for people. */
export function closeReason(code: number | null, fallback: string): string {
  const known = CODES.get(code ?? 0)?.[1];
  return known === undefined ? fallback : `the voice server closed the connection: ${known} (${code})`;
}
