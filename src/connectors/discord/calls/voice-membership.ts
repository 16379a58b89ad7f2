import type { GatewayVoiceServerUpdateDispatchData, GatewayVoiceState } from 'discord-api-types/v10';
import type { CancelTimer, Clock } from '../../../base/time.ts';
import type { VoiceSignaling } from '../gateway/voice-signaling.ts';
import type { VoiceAccess } from '../voice/voice-protocol.ts';

/** How long Discord may take to confirm that the bot has left. */
const LEAVE_MS = 700;

interface MembershipObserver {
  /** There is a voice server for the channel: at first, and whenever it changes. */
  placed(access: VoiceAccess): void;
  /** The voice server is gone. Another one may follow. */
  unplaced(): void;
  /** Somebody has moved the bot to another channel. Another voice server follows. */
  moved(channelId: string): void;
  /** Somebody has removed the bot, or the channel is gone. */
  removed(): void;
  /** Others, or the bot itself, have changed their voice state. */
  voiceState(state: GatewayVoiceState): void;
}

interface MembershipDeps {
  readonly signaling: VoiceSignaling;
  readonly guildId: string;
  readonly clock: Clock;
  readonly observer: MembershipObserver;
}

/** The bot's place in the voice channels of one server, as the gateway knows it. */
export class VoiceMembership {
  readonly #deps: MembershipDeps;
  /** The voice channel that the bot should be in; null: none. */
  #target: string | null = null;
  #state: GatewayVoiceState | null = null;
  #server: GatewayVoiceServerUpdateDispatchData | null = null;
  #isLeaving = false;
  #cancelLeaving: CancelTimer = () => undefined;

  constructor(deps: MembershipDeps) {
    this.#deps = deps;
  }

  /** Asks to enter a channel; `placed` follows. `afresh`: with a new session, even if the bot is there already. */
  enter(channelId: string, afresh: boolean): void {
    this.#target = channelId;
    this.#state = null;
    this.#server = null;
    this.#endLeaving();
    if (!afresh) return this.#ask(channelId);
    this.#isLeaving = true;
    this.#ask(null);
    this.#cancelLeaving = this.#deps.clock.after(LEAVE_MS, () => this.#hasLeft());
  }

  /** Leaves, if the bot has entered at all. Nothing is reported any more. */
  leave(): void {
    if (this.#target === null) return;
    this.#target = null;
    this.#endLeaving();
    this.#ask(null);
  }

  voiceState(state: GatewayVoiceState): void {
    if (state.user_id === this.#deps.signaling.botUserId && this.#target !== null) this.#own(state);
    this.#deps.observer.voiceState(state);
  }

  voiceServer(update: GatewayVoiceServerUpdateDispatchData): void {
    if (this.#target === null || this.#isLeaving) return;
    this.#server = update;
    if (update.endpoint) this.#place();
    else this.#deps.observer.unplaced();
  }

  #own(state: GatewayVoiceState): void {
    const { channel_id: channelId } = state;
    if (this.#isLeaving) {
      if (channelId === null) this.#hasLeft();
      return;
    }
    const before = this.#state;
    this.#state = channelId === null ? null : state;
    if (channelId === null) {
      // Before the bot is there, this is about an earlier visit.
      if (before === null) return;
      this.#target = null;
      return this.#deps.observer.removed();
    }
    if (channelId !== this.#target) {
      this.#target = channelId;
      this.#server = null;
      this.#deps.observer.moved(channelId);
    } else if (before?.session_id !== state.session_id) this.#place();
  }

  #place(): void {
    const { token, endpoint } = this.#server ?? {};
    if (this.#state === null || this.#target === null || token === undefined || !endpoint) return;
    const { session_id: sessionId, user_id: userId } = this.#state;
    const guildId = this.#deps.guildId;
    this.#deps.observer.placed({ endpoint, token, guildId, channelId: this.#target, sessionId, userId });
  }

  #hasLeft(): void {
    this.#endLeaving();
    if (this.#target !== null) this.#ask(this.#target);
  }

  #endLeaving(): void {
    this.#isLeaving = false;
    this.#cancelLeaving();
  }

  #ask(channelId: string | null): void {
    this.#deps.signaling.setVoiceState({
      guildId: this.#deps.guildId,
      channelId,
      selfMute: false,
      selfDeaf: false,
    });
  }
}
