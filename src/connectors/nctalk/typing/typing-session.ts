import { type CancelTimer, type Clock, withDeadline } from '../../../base/time.ts';
import { enterRoom, signOn } from '../calls/sign-on.ts';
import type { TalkRoom } from '../calls/talk-room.ts';
import type { HpbMessage } from '../signaling/hpb-messages.ts';
import type { HpbSession, Reach } from '../signaling/hpb-session.ts';
import { roomEvent } from '../signaling/room-events.ts';
import { MAX_TOLD, TYPING_SHOWN_MS, typingMessage } from './typing-message.ts';

export interface TypingSessionDeps {
  readonly clock: Clock;
  readonly reach: Reach;
  readonly room: TalkRoom;
  /** The Nextcloud has no signaling server, or the session could not be opened or was lost. */
  failed(error: unknown): void;
  /** It was not used for a while. */
  idle(): void;
}

/** The Nextcloud has no signaling server, and so no typing indicators. */
export class NoSignalingServer extends Error {
  override readonly name = 'NoSignalingServer';
}

const OPEN_MS = 10_000;
const IDLE_MS = 20_000;

/** The bot in a room, where there is no call, so that people see when the agent is typing. Closed by whoever has made it. */
export class TypingSession {
  readonly #deps: TypingSessionDeps;
  readonly #over = new AbortController();
  readonly #opening: Promise<void>;
  /** The other sessions in the room. */
  readonly #others = new Set<string>();
  #session: HpbSession | null = null;
  /** Whether there is anything to leave at the Nextcloud. */
  #hasJoined = false;
  #typingUntilMs = 0;
  #cancelIdle: CancelTimer = () => undefined;

  constructor(deps: TypingSessionDeps) {
    this.#deps = deps;
    this.#opening = withDeadline(deps.clock, OPEN_MS, this.#over.signal, (signal) =>
      this.#open(signal),
    ).catch((error: unknown) => this.#fail(error));
  }

  /** The agent is typing, or no longer. Those who come meanwhile are told as well. */
  type(on: boolean): void {
    const { clock, idle } = this.#deps;
    const nowMs = clock.monotonicMs();
    this.#cancelIdle();
    this.#cancelIdle = clock.after(IDLE_MS, idle);
    if (!on && nowMs >= this.#typingUntilMs) return;
    this.#typingUntilMs = on ? nowMs + TYPING_SHOWN_MS : 0;
    this.#tell(this.#others, on);
  }

  /** Leaves the room. Nothing is reported any more. Never rejects. */
  async close(): Promise<void> {
    this.#over.abort();
    this.#cancelIdle();
    await this.#opening;
    this.#session?.close();
    if (this.#hasJoined) await this.#deps.room.leave().catch(() => undefined);
  }

  async #open(signal: AbortSignal): Promise<void> {
    const { clock, reach, room } = this.#deps;
    const settings = await room.settings(signal);
    const { server } = settings;
    if (server === null) throw new NoSignalingServer('The Nextcloud has no signaling server');
    this.#hasJoined = true;
    // Never cut off: only its answer names the session that is to be left.
    const { sessionId } = await room.join();
    signal.throwIfAborted();
    const observer = {
      message: (message: HpbMessage) => this.#take(message),
      resumed: () => undefined,
      over: (reason: string) => this.#fail(new Error(reason)),
    };
    this.#session = await signOn({ clock, reach, room, server, settings, secret: null, observer }, signal);
    await enterRoom(this.#session, room.token, sessionId);
    signal.throwIfAborted();
  }

  #take(message: HpbMessage): void {
    const event = roomEvent(message, this.#deps.room.token);
    if (event?.type === 'removed') return this.#fail(new Error('the bot was removed from the conversation'));
    if (event?.type === 'left') for (const sessionId of event.sessionIds) this.#others.delete(sessionId);
    if (event?.type === 'joined') this.#joined(event.sessions.map(({ sessionid }) => sessionid));
  }

  #joined(sessionIds: readonly string[]): void {
    const others = sessionIds.filter((id) => id !== this.#session?.id && !this.#others.has(id));
    const told = others.slice(0, MAX_TOLD - this.#others.size);
    for (const sessionId of told) this.#others.add(sessionId);
    if (this.#deps.clock.monotonicMs() < this.#typingUntilMs) this.#tell(told, true);
  }

  #tell(sessionIds: Iterable<string>, on: boolean): void {
    for (const to of sessionIds) this.#session?.sendTo(to, typingMessage(on));
  }

  #fail(error: unknown): void {
    if (!this.#over.signal.aborted) this.#deps.failed(error);
  }
}
