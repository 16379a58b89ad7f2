import { type CancelTimer, type Clock, pause } from '../../../base/time.ts';
import { entryFailure } from './entry-failure.ts';
import type { RoomPeople } from './room-people.ts';
import { IN_CALL, type TalkRoom } from './talk-room.ts';

export interface PolledCallDeps {
  readonly clock: Clock;
  readonly room: TalkRoom;
  /** The bot's session of the Nextcloud. */
  readonly ownId: string;
  readonly people: RoomPeople;
  /** Looks for new messages. */
  look(): void;
  /** The call is over for the bot. */
  over(reason: string): void;
  lost(reason: string): void;
}

const CHAT_POLL_MS = 3_000;
const AGAIN_MS = 2_000;

/** A call without a signaling server: the Nextcloud itself is asked, again and again, and so takes the bot for present. */
export class PolledCall {
  readonly #deps: PolledCallDeps;
  readonly #over = new AbortController();
  #cancelLook: CancelTimer = () => undefined;

  constructor(deps: PolledCallDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#lookLater();
    void this.#pullAll(this.#over.signal);
  }

  stop(): void {
    this.#over.abort();
    this.#cancelLook();
  }

  #lookLater(): void {
    this.#cancelLook = this.#deps.clock.after(CHAT_POLL_MS, () => {
      this.#deps.look();
      this.#lookLater();
    });
  }

  async #pullAll(signal: AbortSignal): Promise<void> {
    const { clock, over, lost } = this.#deps;
    while (!signal.aborted) {
      try {
        const startMs = clock.monotonicMs();
        if (!(await this.#pull(signal))) return over('call ended');
        // A server that does not wait is not asked at once again.
        await pause(clock, Math.max(0, startMs + AGAIN_MS - clock.monotonicMs()), signal);
      } catch (error) {
        if (signal.aborted) return;
        const { kind, reason } = entryFailure(error);
        return kind === 'refused' ? over(reason) : lost(reason);
      }
    }
  }

  /** Returns whether the bot is still in the call. */
  async #pull(signal: AbortSignal): Promise<boolean> {
    const { room, people, ownId } = this.#deps;
    const users = await room.pull(signal);
    const present = new Set(users.map(({ sessionId }) => sessionId));
    people.left(people.others.filter((id) => !present.has(id)));
    people.users(users);
    const own = users.find(({ sessionId }) => sessionId === ownId);
    return ((own?.inCall ?? 0) & IN_CALL.joined) !== 0;
  }
}
