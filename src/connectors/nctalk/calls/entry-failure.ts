import { GatewayError } from '../../../base/errors.ts';
import { PlatformFailure } from '../../kit/platform-failure.ts';
import { HpbError } from '../signaling/hpb-connection.ts';

/** What follows from what keeps the bot out of a call. */
export interface EntryFailure {
  /** `again`: it may get better soon. */
  readonly kind: 'refused' | 'failed' | 'again';
  readonly reason: string;
}

const LOBBY_STATUS = 412;
const CONSENT = 'consent';

const NO_ROOM = 'There is no such conversation, or the bot is not in it';
const LOGGED_OUT = 'Nextcloud no longer accepts the login of the bot';
const NOT_ALLOWED = 'The bot may not start or join calls in this conversation';
const NO_CONSENT = 'The Nextcloud wants consent to being recorded, and did not take it from the bot';
const READ_ONLY = 'The conversation is locked, or calls are disabled';

/** https://github.com/strukturag/nextcloud-spreed-signaling, and `SignalingController` of Talk. */
const CODES: ReadonlyMap<string, EntryFailure> = new Map([
  ['no_such_room', { kind: 'refused', reason: NO_ROOM }],
  ['duplicate_session', { kind: 'failed', reason: 'The bot is in this call with another session' }],
  [
    'too_many_requests',
    { kind: 'failed', reason: 'The signaling server takes no more requests of the gateway' },
  ],
  ['invalid_backend', { kind: 'failed', reason: 'The signaling server does not know this Nextcloud' }],
  [
    'session_limit_exceeded',
    { kind: 'refused', reason: 'The signaling server has no room for more sessions' },
  ],
] as const);
/** The signaling server does not accept what the Nextcloud vouches for, also not the second time. */
const NOT_VOUCHED: ReadonlySet<string> = new Set([
  'token_expired',
  'invalid_token',
  'auth_failed',
  'invalid_ticket',
]);

export function isLobby(error: unknown): boolean {
  return error instanceof PlatformFailure && error.status === LOBBY_STATUS;
}

/** Reads what Nextcloud or its signaling server have said. */
export function entryFailure(error: unknown): EntryFailure {
  if (error instanceof HpbError) return ofServer(error);
  if (error instanceof GatewayError) return { kind: 'failed', reason: error.message };
  return error instanceof PlatformFailure
    ? ofNextcloud(error)
    : { kind: 'again', reason: (error as Error).message };
}

function ofServer({ code, message }: HpbError): EntryFailure {
  const reason = `The signaling server did not let the bot in: ${message} (${code})`;
  if (NOT_VOUCHED.has(code)) return { kind: 'failed', reason };
  return CODES.get(code) ?? { kind: 'again', reason };
}

function ofNextcloud({ kind, status, code, message, isLoggedOut }: PlatformFailure): EntryFailure {
  if (kind !== 'refused') return { kind: 'again', reason: message };
  if (isLoggedOut) return { kind: 'refused', reason: LOGGED_OUT };
  if (code === CONSENT) return { kind: 'refused', reason: NO_CONSENT };
  if (status === 404) return { kind: 'refused', reason: NO_ROOM };
  if (status === 403) return { kind: 'refused', reason: code === 'read-only' ? READ_ONLY : NOT_ALLOWED };
  return { kind: 'refused', reason: message };
}
