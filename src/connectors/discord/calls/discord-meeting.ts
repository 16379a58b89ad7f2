import type { GatewayVoiceState } from 'discord-api-types/v10';
import { match } from '../../../base/match.ts';
import type { Termination } from '../../../base/termination.ts';
import type { MediaControl } from '../../../media/media-control.ts';
import type { PacketRings } from '../../../media/packet-media.ts';
import type { PacketConfig } from '../../../rtp/rtp-protocol.ts';
import type { LegObserver } from '../../contract/call-leg.ts';
import type { Meeting, MeetingLeg, MeetingRules } from '../../kit/meeting-leg.ts';
import { MeetingMedia, openPacketLeg } from '../../kit/meeting-media.ts';
import { MeetingVoices } from '../../kit/meeting-voices.ts';
import {
  OPUS_PAYLOAD_TYPE,
  VOICE_TRANSPORT,
  type VoiceOpen,
  type VoiceSignal,
} from '../voice/voice-protocol.ts';
import { NEWS_MS, sessionClosed } from './close-codes.ts';
import { type DiscordCall, type Entry, enterable, NO_ANSWER, PLACE_TAKEN } from './entry.ts';
import { memberName, People } from './people.ts';
import { type VoiceChat, voiceChat } from './voice-chat.ts';
import { VoiceMembership } from './voice-membership.ts';

export const SAMPLE_RATE_HZ = 48_000;
/** Beyond this an agent's voice sounds no better. */
const MAX_BITRATE_BPS = 64_000;
/** Discord's default for a channel. */
const BITRATE_BPS = 64_000;
const NAME_DEADLINE_MS = 5_000;
/** Discord reports the end of a channel, and that the bot is no longer in it, in any order. */
const REMOVED_AFTER_MS = 300;
/** A voice server that is gone is replaced in its own time. */
const NEW_SERVER_MS = 15_000;

/** Discord would make the bot wait for more entries, and people hear each of them. */
export const VOICE_RULES: MeetingRules = {
  joinMs: 10_000,
  answerMs: 2_500,
  // Voice servers take longer to be replaced than our threads.
  outageMs: 10_000,
  threadOutageMs: 5_000,
  pausesMs: [0, 500, 1_000, 2_000],
  maxEntries: 5,
  entriesWithinMs: 60_000,
  noAnswer: NO_ANSWER,
};

export interface DiscordMeetingDeps extends DiscordCall {
  readonly control: MediaControl;
  readonly observer: LegObserver;
  /** Hears what comes of it. */
  readonly leg: MeetingLeg;
}

/**
 * A bot in a voice channel, for one call. It follows to other channels and voice servers. The media leg and its rings last as
 * long as the call, voice sessions come and go.
 */
export class DiscordMeeting implements Meeting {
  readonly chat: VoiceChat;
  readonly typing: VoiceChat;
  readonly #deps: DiscordMeetingDeps;
  readonly #rings: PacketRings;
  readonly #media: MeetingMedia<VoiceOpen, Record<never, never>, VoiceSignal>;
  readonly #membership: VoiceMembership;
  readonly #voices: MeetingVoices;
  readonly #people: People;
  readonly #unfollow: () => void;
  /** The bot's channel: where it was sent, or somebody has moved it. */
  #channelId: string;
  #entry: Entry | null = null;

  constructor(deps: DiscordMeetingDeps) {
    const { signaling, bridges, address, chat, observer, leg } = deps;
    this.#deps = deps;
    this.#channelId = address.channelId;
    this.#voices = new MeetingVoices((voice, on) => observer.speaking(voice, on));
    this.#people = new People({
      nameOf: (userId) =>
        signaling.rest.memberName(address.guildId, userId, AbortSignal.timeout(NAME_DEADLINE_MS)),
      report: (list) => {
        observer.participants(list);
        this.#voices.participants(list);
      },
    });
    this.#rings = bridges.packetRings();
    this.#media = new MeetingMedia({
      bridges,
      protocol: VOICE_TRANSPORT,
      observer: { signal: (signal) => this.#take(signal), lost: (reason) => leg.threadLost(reason) },
    });
    this.#membership = this.#newMembership();
    this.chat = voiceChat(signaling, chat, () => this.#channelId);
    this.typing = this.chat;
    this.#unfollow = this.#follow();
  }

  async prepare(signal: AbortSignal): Promise<void> {
    const found = await enterable(this.#deps, signal);
    if ('refusal' in found) return this.#deps.leg.end('remote', { result: 'refused', reason: found.refusal });
    // Only now: nobody keeps others out of where they may not enter themselves.
    if (signal.aborted) return;
    if (!this.#deps.claim()) return this.#deps.leg.end('remote', { result: 'busy', reason: PLACE_TAKEN });
    this.#entry = found;
    this.#deps.observer.capabilities(found.capabilities);
    await openPacketLeg(this.#deps.control, {
      rings: this.#rings,
      sampleRateHz: SAMPLE_RATE_HZ,
      config: opusAt(Math.min(found.bitrateBps ?? BITRATE_BPS, MAX_BITRATE_BPS)),
      placed: (ssrc, voiceId) => this.#voices.placed(ssrc, voiceId),
    });
  }

  async enter(isAgain: boolean): Promise<void> {
    this.#membership.enter(this.#channelId, isAgain);
  }

  disconnect(): void {
    void this.#media.disconnect();
  }

  async leave(): Promise<void> {
    this.#membership.leave();
    this.#unfollow();
    await this.#media.disconnect();
  }

  explain(termination: Termination): Termination {
    return this.#entry?.explain(termination) ?? termination;
  }

  #newMembership(): VoiceMembership {
    const { signaling, clock, address } = this.#deps;
    const leg = this.#deps.leg;
    const observer = {
      placed: (access: VoiceOpen['access']) =>
        leg.connecting('the voice server did not answer', () => {
          this.#voices.clear();
          return this.#media.connect({ accountId: this.#deps.accountId, access, rings: this.#rings });
        }),
      unplaced: () => {
        this.disconnect();
        leg.expect(NEW_SERVER_MS, 'the voice server is gone, and no other one came');
      },
      moved: (channelId: string) => {
        this.#channelId = channelId;
        leg.expect(NEWS_MS, 'no voice server for the other channel');
      },
      removed: () =>
        void clock.after(REMOVED_AFTER_MS, () => leg.thrownOut('the bot was removed from the channel')),
      voiceState: (state: GatewayVoiceState) => this.#seeState(state),
    };
    return new VoiceMembership({ signaling, guildId: address.guildId, clock, observer });
  }

  #follow(): () => void {
    const { signaling, address } = this.#deps;
    return signaling.follow(address.guildId, {
      voiceState: (state) => this.#membership.voiceState(state),
      voiceServer: (update) => this.#membership.voiceServer(update),
      hasChat: (channelId) => this.#hasChat(channelId),
      message: (message) => {
        const read = this.#hasChat(message.channel_id) ? this.chat.read(message) : null;
        if (read !== null) this.#deps.observer.chat(read);
      },
      channelDeleted: (channelId) => {
        if (channelId === this.#channelId) this.#deps.leg.removed('the channel was deleted');
      },
    });
  }

  #hasChat(channelId: string): boolean {
    return this.#deps.leg.isActive && channelId === this.#channelId;
  }

  #take(signal: VoiceSignal): void {
    return match(signal, 'type', {
      opened: () => this.#deps.leg.connected(),
      people: (signal) => this.#people.set(signal.userIds),
      stream: (signal) => this.#voices.stream(signal.ssrc, signal.userId),
      speaking: (signal) => this.#voices.speaking(signal.userId, signal.on),
      closed: (signal) => sessionClosed(this.#deps.leg, signal.code, signal.reason),
    });
  }

  #seeState(state: GatewayVoiceState): void {
    const { user_id: userId, channel_id: channelId, member } = state;
    if (userId === this.#deps.signaling.botUserId) return this.#seeOwnState(state);
    const name = channelId === this.#channelId ? memberName(member) : null;
    if (name !== null) this.#people.named(userId, name);
  }

  /** People with the permission can mute and deafen the bot. */
  #seeOwnState({ mute, deaf, channel_id: channelId }: GatewayVoiceState): void {
    const offered = this.#entry?.capabilities ?? [];
    if (channelId === null || this.#entry === null) return;
    const without = (capability: string): boolean =>
      (mute && capability === 'audio_out') || (deaf && capability === 'audio_in');
    this.#deps.observer.capabilities(offered.filter((capability) => !without(capability)));
  }
}

function opusAt(bitrateBps: number): PacketConfig {
  return {
    codec: 'opus',
    payloadType: OPUS_PAYLOAD_TYPE,
    opus: { bitrateBps, maxBitrateBps: null, inbandFec: true },
    sending: true,
    receiving: true,
  };
}
