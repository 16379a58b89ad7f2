import { type Clock, pause, settledWithin } from '../../../base/time.ts';
import { type CallUser, type HpbMessage, type PeerMessage, peerMessage } from '../signaling/hpb-messages.ts';
import type { HpbSession, HpbSessionObserver, Reach } from '../signaling/hpb-session.ts';
import { type RoomEvent, roomEvent } from '../signaling/room-events.ts';
import { isLobby } from './entry-failure.ts';
import { openIceServers } from './open-ice-servers.ts';
import { enterRoom, signOn } from './sign-on.ts';
import { IN_CALL, maySpeak, type Room, type SignalingSettings, type TalkRoom } from './talk-room.ts';

export interface StayDeps {
  readonly clock: Clock;
  readonly reach: Reach;
  readonly room: TalkRoom;
  /** Secrets of signaling servers that are joined as an internal client, by host. */
  readonly internalSecrets: ReadonlyMap<string, string>;
  readonly observer: StayObserver;
}

/** Hears from a stay that has begun. Nothing follows `over`, and nothing follows `leave`. */
export interface StayObserver {
  /** What the Nextcloud says of the call, before it is signaled. */
  found(settings: SignalingSettings, room: Room, maySpeak: boolean): void;
  /** The bot has this session, of which nothing was said before. */
  signedOn(sessionId: string): void;
  /** The bot is in the lobby. */
  waiting(): void;
  /** The bot is in the call: now it may send and be sent audio. */
  admitted(): void;
  /** Somebody has taken the bot out of the call. */
  expelled(): void;
  /** Whether the bot may speak has changed. */
  maySpeak(may: boolean): void;
  event(event: RoomEvent): void;
  peer(message: PeerMessage): void;
  /** The server could not do what a message with this id has asked for. */
  refused(messageId: string, code: string): void;
  /** There is a connection to the signaling server again. */
  resumed(): void;
  over(reason: string, code: string): void;
}

const LOBBY_POLL_MS = 5_000;
/** For an answer that comes while the bot leaves. */
const LAST_ANSWER_MS = 3_000;

/** The bot in one call, from asking the Nextcloud to leaving it. Whoever comes again begins another stay. */
export class Stay {
  readonly #deps: StayDeps;
  readonly #over = new AbortController();
  #session: HpbSession | null = null;
  /**
   * What the bot does in the room; null: there is nothing to leave. It is never cut off: only its answer names the session that Talk has
   * begun, which would stay in the room without us.
   */
  #entering: Promise<unknown> | null = null;
  #isAdmitted = false;
  #maySpeak = true;
  /** Ends the pause before the lobby is looked at again. */
  #knock: () => void = () => undefined;

  constructor(deps: StayDeps) {
    this.#deps = deps;
  }

  /** The signaling session; '' while there is none. */
  get sessionId(): string {
    return this.#session?.id ?? '';
  }

  get isUp(): boolean {
    return this.#session?.isUp ?? false;
  }

  /** Enters the call, as far as the lobby; `admitted` follows. Rejects with whatever is in the way. */
  async enter(): Promise<void> {
    const { observer } = this.#deps;
    const { signal } = this.#over;
    const { settings, room, secret } = await this.#join(signal);
    this.#maySpeak = secret !== null || maySpeak(room.permissions);
    observer.found(settings, room, this.#maySpeak);
    if (settings.server !== null) {
      const { clock, reach } = this.#deps;
      const who = { room: this.#deps.room, server: settings.server, settings, secret };
      this.#session = await signOn({ clock, reach, ...who, observer: this.#listener() }, signal);
      observer.signedOn(this.#session.id);
      await enterRoom(this.#session, this.#deps.room.token, secret === null ? room.sessionId : undefined);
    }
    if (secret === null) await this.#enterCall(settings.server !== null, signal);
    // Nobody else tells.
    if (settings.server === null || secret !== null) this.#admit(true);
  }

  /** Sends something to a session, or to the server in its place. `id`: comes back with a refusal. */
  send(to: string, data: object, id?: string): void {
    this.#session?.sendTo(to, data, id);
  }

  /** Leaves. Nothing is reported any more. Never rejects; safe to call twice. */
  async leave(): Promise<void> {
    if (this.#over.signal.aborted) return;
    this.#over.abort();
    this.#session?.close();
    const { clock, room } = this.#deps;
    if (this.#entering === null) return;
    await settledWithin(clock, LAST_ANSWER_MS, [this.#entering]);
    await room.leaveCall().catch(() => undefined);
    await room.leave().catch(() => undefined);
  }

  /** Begins a session of the Nextcloud and asks for its settings, at the same time where both are needed. */
  async #join(signal: AbortSignal): Promise<Joined> {
    const { room, internalSecrets } = this.#deps;
    const join = async (): Promise<Room> => await this.#answerTo(room.join(), signal);
    if (internalSecrets.size === 0) {
      const [settings, joined] = await Promise.all([this.#settings(signal), join()]);
      return { settings, room: joined, secret: null };
    }
    const settings = await this.#settings(signal);
    const secret = internalSecrets.get(URL.parse(settings.server ?? '')?.host ?? '') ?? null;
    return { settings, room: await (secret === null ? join() : room.look(signal)), secret };
  }

  async #settings(signal: AbortSignal): Promise<SignalingSettings> {
    const { room, reach } = this.#deps;
    const settings = await room.settings(signal);
    const iceServers = await openIceServers(settings.iceServers, reach);
    signal.throwIfAborted();
    return { ...settings, iceServers };
  }

  /** Waits in the lobby as long as there is one. */
  async #enterCall(hasAudio: boolean, signal: AbortSignal): Promise<void> {
    const { clock, room, observer } = this.#deps;
    for (;;) {
      const asked = room.enterCall(callFlags(hasAudio && this.#maySpeak)).then(
        () => false,
        (error: unknown) => {
          if (!isLobby(error)) throw error;
          return true;
        },
      );
      const inLobby = await this.#answerTo(asked, signal);
      if (!inLobby) return;
      observer.waiting();
      const knocking = new AbortController();
      this.#knock = () => knocking.abort();
      await pause(clock, LOBBY_POLL_MS, AbortSignal.any([signal, knocking.signal]));
      signal.throwIfAborted();
    }
  }

  /** Returns what comes of entering, unless the bot has left meanwhile. */
  async #answerTo<T>(asked: Promise<T>, signal: AbortSignal): Promise<T> {
    this.#entering = asked;
    const answer = await asked;
    signal.throwIfAborted();
    return answer;
  }

  #listener(): HpbSessionObserver {
    const { observer } = this.#deps;
    return {
      message: (message) => this.#take(message),
      resumed: () => observer.resumed(),
      over: (reason, code) => observer.over(reason, code),
    };
  }

  #take(message: HpbMessage): void {
    const { observer, room } = this.#deps;
    if (message.error) return observer.refused(message.id ?? '', message.error.code);
    const event = roomEvent(message, room.token);
    if (event?.type === 'users') this.#seeOwn(event.users);
    if (event?.type === 'changed') this.#knock();
    if (event !== null) return observer.event(event);
    const peer = peerMessage(message);
    if (peer !== null) observer.peer(peer);
  }

  #seeOwn(users: readonly CallUser[]): void {
    const own = users.find(({ sessionId }) => sessionId === this.sessionId);
    if (own === undefined) return;
    const { inCall, participantPermissions } = own;
    if (inCall !== undefined) this.#admit((inCall & IN_CALL.joined) !== 0);
    const may = participantPermissions === undefined ? this.#maySpeak : maySpeak(participantPermissions);
    if (may === this.#maySpeak || !this.#isAdmitted) return;
    this.#maySpeak = may;
    this.#deps.room.changeFlags(callFlags(may), this.#over.signal).catch(() => undefined);
    this.#deps.observer.maySpeak(may);
  }

  #admit(isAdmitted: boolean): void {
    if (this.#isAdmitted === isAdmitted || this.#over.signal.aborted) return;
    this.#isAdmitted = isAdmitted;
    if (isAdmitted) this.#deps.observer.admitted();
    else this.#deps.observer.expelled();
  }
}

interface Joined {
  readonly settings: SignalingSettings;
  readonly room: Room;
  /** Of an internal client, which has no session of the Nextcloud; null: the bot is a participant. */
  readonly secret: string | null;
}

function callFlags(speaks: boolean): number {
  return IN_CALL.joined | (speaks ? IN_CALL.audio : 0);
}
