import type { SocketClose } from '../../kit/platform-socket.ts';

/** What a close means for the session. */
export type AfterClose =
  /** Connect again and resume. */
  | 'resume'
  /** The session is over; identify anew. */
  | 'identify'
  /** Only the bot's owner can help. */
  | 'stop';

/** https://docs.discord.com/developers/topics/opcodes-and-status-codes#gateway-gateway-close-event-codes */
const MEANINGS: Readonly<Record<number, { readonly words: string; readonly after: AfterClose }>> = {
  4003: { words: 'Not authenticated', after: 'identify' },
  4004: { words: 'Authentication failed', after: 'stop' },
  4005: { words: 'Already authenticated', after: 'identify' },
  4007: { words: 'Invalid seq', after: 'identify' },
  4009: { words: 'Session timed out', after: 'identify' },
  4010: { words: 'Invalid shard', after: 'stop' },
  4011: { words: 'Sharding required', after: 'stop' },
  4012: { words: 'Invalid API version', after: 'stop' },
  4013: { words: 'Invalid intents', after: 'stop' },
  4014: { words: 'Disallowed intents', after: 'stop' },
};

export function afterClose(code: number): AfterClose {
  return MEANINGS[code]?.after ?? 'resume';
}

/** Returns a close for people to read, such as `Disallowed intents (4014)`. */
export function closeWords({ code, words }: SocketClose): string {
  const said = words || MEANINGS[code]?.words || 'The connection was closed';
  return `${said.replace(/\.$/, '')} (${code})`;
}
