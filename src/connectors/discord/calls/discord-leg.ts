import type { GatewayVoiceState } from 'discord-api-types/v10';
import { unreachable } from '../../../base/assert.ts';
import type { Termination } from '../../../base/termination.ts';
import type { CancelTimer } from '../../../base/time.ts';
import type { MediaControl } from '../../../media/media-control.ts';
import type { LegObserver, PlatformLeg } from '../../contract/call-leg.ts';
import type { VoiceSignal } from '../voice/voice-protocol.ts';
import { CallMedia } from './call-media.ts';
import { type DiscordCall, PLACE_TAKEN } from './discord-call.ts';
import { type Entry, enterable } from './entry.ts';
import { memberName } from './member-name.ts';
import { People } from './people.ts';
import { VoiceChat } from './voice-chat.ts';
import { VoiceLink } from './voice-link.ts';
import { VoiceMembership } from './voice-membership.ts';
import { Voices } from './voices.ts';

const JOIN_DEADLINE_MS = 10_000;
const NAME_DEADLINE_MS = 5_000;
/** Discord reports the end of a channel, and that the bot is no longer in it, in any order. */
const REMOVED_AFTER_MS = 300;

/** One call: the bot in a voice channel. */
export class DiscordLeg implements PlatformLeg {
  readonly released: Promise<void>;
  readonly chat: VoiceChat;
  readonly typing: VoiceChat;
  readonly #call: DiscordCall;
  readonly #observer: LegObserver;
  readonly #media: CallMedia;
  readonly #membership: VoiceMembership;
  readonly #link: VoiceLink;
  readonly #voices: Voices;
  readonly #people: People;
  readonly #over = Promise.withResolvers<void>();
  readonly #ending = new AbortController();
  readonly #cancelDeadline: CancelTimer;
  readonly #starting: Promise<void>;
  #entry: Entry | null = null;
  #state: 'joining' | 'active' | 'over' = 'joining';

  constructor(call: DiscordCall, control: MediaControl, observer: LegObserver) {
    const { signaling, bridges, clock, address } = call;
    this.#call = call;
    this.#observer = observer;
    this.#voices = new Voices((voice, on) => observer.speaking(voice, on));
    this.#people = new People({
      nameOf: (userId) =>
        signaling.rest.memberName(address.guildId, userId, AbortSignal.timeout(NAME_DEADLINE_MS)),
      report: (list) => {
        observer.participants(list);
        this.#voices.participants(list);
      },
    });
    this.#media = new CallMedia(bridges, {
      voice: (ssrc, voiceId) => this.#voices.placed(ssrc, voiceId),
      signal: (signal) => this.#take(signal),
      lost: (reason) => this.#link.lost(reason),
    });
    this.#membership = new VoiceMembership(signaling, address.guildId, {
      clock,
      observer: {
        placed: (access) => this.#link.placed(access),
        unplaced: () => this.#link.unplaced(),
        moved: (channelId) => this.#link.moved(channelId),
        removed: () => this.#removed(),
        voiceState: (state) => this.#seeState(state),
      },
    });
    this.#link = new VoiceLink(address.channelId, {
      clock,
      enter: (channelId, afresh) => this.#membership.enter(channelId, afresh),
      connect: (access) => {
        this.#voices.clear();
        return this.#media.connect(access);
      },
      disconnect: () => void this.#media.disconnect(),
      onConnected: () => this.#connected(),
      onEnded: (by, termination) => this.#end(by, this.#entry?.explain(termination) ?? termination),
    });
    this.chat = new VoiceChat(signaling, call.chat, () => this.#link.channelId);
    this.typing = this.chat;
    const unfollow = signaling.follow(address.guildId, {
      voiceState: (state) => this.#membership.voiceState(state),
      voiceServer: (update) => this.#membership.voiceServer(update),
      hasChat: (channelId) => this.#hasChat(channelId),
      message: (message) => {
        const read = this.#hasChat(message.channel_id) ? this.chat.read(message) : null;
        if (read !== null) observer.chat(read);
      },
      channelDeleted: (channelId) => {
        if (channelId === this.#link.channelId) this.#link.removed('the channel was deleted');
      },
      // The voice session does not depend on the gateway's, which is resumed.
      down: () => undefined,
    });
    this.#cancelDeadline = clock.after(JOIN_DEADLINE_MS, () => this.#link.giveUp());
    this.#starting = this.#start(control);
    this.#starting.catch(({ message: reason }: Error) => this.#end('remote', { result: 'failed', reason }));
    this.released = this.#over.promise.then(() => this.#release(unfollow));
  }

  /** Nothing to do: bots are not called. */
  accept(): void {}

  refuse(): void {
    this.hangUp();
  }

  hangUp(): void {
    const unanswered: Termination = { result: 'no_answer', reason: 'cancelled before it was answered' };
    this.#end('local', this.#state === 'joining' ? unanswered : { result: 'completed', reason: 'hung up' });
  }

  async #start(control: MediaControl): Promise<void> {
    const found = await enterable(this.#call, this.#ending.signal);
    if ('refusal' in found) return this.#end('remote', { result: 'refused', reason: found.refusal });
    // Only now: nobody keeps others out of where they may not enter themselves.
    if (this.#isOver()) return;
    if (!this.#call.claim()) return this.#end('remote', { result: 'busy', reason: PLACE_TAKEN });
    this.#entry = found;
    this.#observer.capabilities(found.capabilities);
    await this.#media.openLeg(control, found.bitrateBps);
    if (!this.#isOver()) this.#link.begin();
  }

  #isOver(): boolean {
    return this.#state === 'over';
  }

  #hasChat(channelId: string): boolean {
    return this.#state === 'active' && channelId === this.#link.channelId;
  }

  #take(signal: VoiceSignal): void {
    switch (signal.type) {
      case 'opened':
        return this.#link.opened();
      case 'people':
        return this.#people.set(signal.userIds);
      case 'stream':
        return this.#voices.stream(signal.ssrc, signal.userId);
      case 'speaking':
        return this.#voices.speaking(signal.userId, signal.on);
      case 'closed':
        return this.#link.closed(signal.code, signal.reason);
      default:
        return unreachable(signal);
    }
  }

  #connected(): void {
    this.#cancelDeadline();
    if (this.#state !== 'joining') return;
    this.#state = 'active';
    this.#observer.answered();
  }

  #removed(): void {
    this.#call.clock.after(REMOVED_AFTER_MS, () =>
      this.#link.removed('the bot was removed from the channel'),
    );
  }

  #seeState(state: GatewayVoiceState): void {
    const { user_id: userId, channel_id: channelId, member } = state;
    if (userId === this.#call.signaling.botUserId) return this.#seeOwnState(state);
    const name = channelId === this.#link.channelId ? memberName(member) : null;
    if (name !== null) this.#people.named(userId, name);
  }

  /** People with the permission can mute and deafen the bot. */
  #seeOwnState({ mute, deaf, channel_id: channelId }: GatewayVoiceState): void {
    const offered = this.#entry?.capabilities ?? [];
    if (channelId === null || this.#entry === null) return;
    const without = (capability: string): boolean =>
      (mute && capability === 'audio_out') || (deaf && capability === 'audio_in');
    this.#observer.capabilities(offered.filter((capability) => !without(capability)));
  }

  #end(by: 'local' | 'remote' | 'lost', termination: Termination): void {
    if (this.#state === 'over') return;
    this.#state = 'over';
    this.#cancelDeadline();
    this.#link.stop();
    this.#ending.abort();
    this.#observer.ended(by, termination);
    this.#over.resolve();
  }

  /** Never rejects. */
  async #release(unfollow: () => void): Promise<void> {
    await this.#starting.catch(() => undefined);
    this.#membership.leave();
    unfollow();
    await this.#media.disconnect();
  }
}
