import type { HelloAuth } from '../signaling/hello.ts';
import { HpbError } from '../signaling/hpb-connection.ts';
import { HpbSession, type HpbSessionDeps } from '../signaling/hpb-session.ts';
import type { SignalingSettings, TalkRoom } from './talk-room.ts';

export interface SignOnDeps extends Pick<HpbSessionDeps, 'clock' | 'reach' | 'server' | 'observer'> {
  readonly room: TalkRoom;
  readonly settings: SignalingSettings;
  /** Of an internal client; null: the bot is a user. */
  readonly secret: string | null;
}

/** The token lives for a minute. The server asks for another one. */
const STALE: ReadonlySet<string> = new Set(['token_expired', 'invalid_token', 'auth_failed']);
/** The Nextcloud's clock is ahead, and so will be its next token. The ticket has no such time. */
const TOO_EARLY = 'token_not_valid_yet';
const ALREADY_JOINED = 'already_joined';

/** Opens a session with the signaling server of a Nextcloud. Rejects as `HpbSession.open` and with a PlatformFailure. */
export async function signOn(deps: SignOnDeps, signal: AbortSignal): Promise<HpbSession> {
  const { room, settings, secret } = deps;
  const open = async ({ token, userId, ticket }: SignalingSettings): Promise<HpbSession> => {
    const auth: HelloAuth =
      secret === null ? { kind: 'user', token, userId, ticket } : { kind: 'internal', secret };
    return await HpbSession.open({ ...deps, nextcloud: room.user.server, auth }, signal);
  };
  try {
    return await open(settings);
  } catch (error) {
    if (secret !== null || !(error instanceof HpbError)) throw error;
    if (error.code === TOO_EARLY) return await open({ ...settings, token: null });
    if (!STALE.has(error.code)) throw error;
    return await open(await room.settings(signal));
  }
}

/** Enters a room. `sessionId`: the Nextcloud's session, which an internal client has not. */
export async function enterRoom(session: HpbSession, token: string, sessionId: string | undefined) {
  const room = { roomid: token, ...(sessionId && { sessionid: sessionId }) };
  try {
    await session.request({ type: 'room', room });
  } catch (error) {
    if (!(error instanceof HpbError) || error.code !== ALREADY_JOINED) throw error;
  }
}
