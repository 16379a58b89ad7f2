import { match } from '../../../base/match.ts';
import type { Capability } from '../../../base/platform.ts';
import type { Clock } from '../../../base/time.ts';
import type { MediaControl, OpenMedia } from '../../../media/media-control.ts';
import type { Bridges } from '../../../media/transport.ts';
import type { PacketConfig } from '../../../rtp/rtp-protocol.ts';
import type { LegObserver, SendsChat } from '../../contract/call-leg.ts';
import type { Meeting, MeetingLeg, MeetingRules } from '../../kit/meeting-leg.ts';
import { openPacketLeg } from '../../kit/meeting-media.ts';
import { PlatformFailure } from '../../kit/platform-failure.ts';
import type { PlatformHttp } from '../../kit/platform-http.ts';
import type { NextcloudUser } from '../ocs-client.ts';
import type { PeerMessage } from '../signaling/hpb-messages.ts';
import type { Reach } from '../signaling/hpb-session.ts';
import type { RoomEvent } from '../signaling/room-events.ts';
import { MAX_TOLD, typingMessage } from '../typing/typing-message.ts';
import { OPUS_PAYLOAD_TYPE } from '../voice/talk-protocol.ts';
import { CallAudio } from './call-audio.ts';
import { type EntryFailure, entryFailure } from './entry-failure.ts';
import { PolledCall } from './polled-call.ts';
import { RoomChat } from './room-chat.ts';
import { RoomPeople } from './room-people.ts';
import { Stay } from './stay.ts';
import { mayWrite, type Room, type SignalingSettings, TalkRoom } from './talk-room.ts';

export const SAMPLE_RATE_HZ = 48_000;
const BITRATE_BPS = 32_000;

const NO_ANSWER = 'Nextcloud did not let the bot into the call';
const NO_CALLS = 'The Nextcloud has no calls: Talk is not installed, or they are disabled';
const ROOM_DELETED = 'the conversation was deleted';
const BOT_REMOVED = 'the bot was removed from the conversation';
const ENCRYPTED = 'the Nextcloud uses end-to-end encrypted calls';
const LOBBY = 'in the lobby';
const NO_MEDIA = 'the media server of the Nextcloud could not be reached';

/** A Nextcloud answers in its own time, and people see each entry. */
export const TALK_RULES: MeetingRules = {
  joinMs: 30_000,
  answerMs: 15_000,
  outageMs: 10_000,
  threadOutageMs: 10_000,
  pausesMs: [0, 500, 1_000, 2_000, 4_000],
  maxEntries: 8,
  entriesWithinMs: 60_000,
  noAnswer: NO_ANSWER,
};

/** Whoever is removed from the conversation is taken out of its call first. */
const EXPELLED_AFTER_MS = 300;
/** Somebody else has the session now. */
const TAKEN_OVER: ReadonlySet<string> = new Set(['room_session_reconnected', 'session_resumed']);

/** What a call consists of before it begins. */
export interface TalkCall {
  readonly clock: Clock;
  readonly bridges: Bridges;
  readonly http: PlatformHttp;
  readonly reach: Reach;
  /** Secrets of signaling servers that are joined as an internal client, by host. */
  readonly internalSecrets: ReadonlyMap<string, string>;
  readonly checkText: SendsChat['checkText'];
  readonly user: NextcloudUser;
  readonly connectionId: string;
  readonly roomToken: string;
  /** Nextcloud has refused the bot, or cannot be asked. */
  failed(failure: PlatformFailure): void;
  /** Whether the Nextcloud has a signaling server. */
  learned(hasServer: boolean): void;
  /** The bot is in the call, for the first time or again. */
  entered(): void;
}

export interface TalkMeetingDeps extends TalkCall {
  readonly control: MediaControl;
  readonly observer: LegObserver;
  /** Hears what comes of it. */
  readonly leg: MeetingLeg;
}

/**
 * A bot in the call of a room. The media leg and its rings last as long as the call. Stays in the room come and go, and with them the
 * connections of the audio.
 */
export class TalkMeeting implements Meeting {
  readonly chat: RoomChat;
  readonly typing: RoomChat;
  readonly #deps: TalkMeetingDeps;
  readonly #audio: CallAudio;
  readonly #people: RoomPeople;
  #mediaLeg: OpenMedia<PacketConfig, Record<never, never>> | null = null;
  #stay: Stay | null = null;
  #polled: PolledCall | null = null;
  /** Stays that are being left. */
  #leaving: Promise<unknown> = Promise.resolve();
  /** Otherwise there is no audio. */
  #hasServer = true;
  #mayWrite = true;
  #maySpeak = true;
  /** By a moderator, until the end of the call. */
  #isMuted = false;
  #isAdmitted = false;

  constructor(deps: TalkMeetingDeps) {
    const { clock, bridges, observer, leg, user } = deps;
    this.#deps = deps;
    this.#audio = new CallAudio({
      clock,
      bridges,
      send: (sessionId, data, id) => this.#stay?.send(sessionId, data, id),
      ownSession: () => this.#stay?.sessionId ?? '',
      speaking: (voice, on) => observer.speaking(voice, on),
      connected: () => leg.connected(),
      lost: (reason) => leg.lost(reason),
      threadLost: (reason) => leg.threadLost(reason),
    });
    this.#people = new RoomPeople({
      ownUserId: user.userId,
      report: (list) => {
        observer.participants(list);
        this.#audio.participants(list);
      },
      changed: () => this.#hear(),
    });
    this.chat = new RoomChat({
      ...deps,
      take: (message) => {
        if (leg.isActive) observer.chat(message);
      },
      type: (on) => this.type(on),
    });
    this.typing = this.chat;
  }

  /** Tells the people in the room that the agent is typing, or no longer. Returns false when there is no way to. */
  type(on: boolean): boolean {
    const stay = this.#stay;
    if (!stay?.isUp) return false;
    for (const sessionId of this.#people.others.slice(0, MAX_TOLD)) stay.send(sessionId, typingMessage(on));
    return true;
  }

  async prepare(signal: AbortSignal): Promise<void> {
    const { http, user, roomToken, leg, control } = this.#deps;
    const rules = await new TalkRoom(http, user, roomToken).rules(signal).catch((error: unknown) => {
      const { kind, reason } = this.#read(error);
      if (kind !== 'refused') throw new Error(reason);
      leg.end('remote', { result: 'refused', reason });
      return null;
    });
    if (rules === null) return;
    if (!rules.hasCalls) return leg.end('remote', { result: 'refused', reason: NO_CALLS });
    if (rules.isEncrypted) return leg.end('remote', { result: 'failed', reason: ENCRYPTED });
    this.#mediaLeg = await openPacketLeg(control, {
      rings: this.#audio.rings,
      sampleRateHz: SAMPLE_RATE_HZ,
      config: opus(true),
      placed: (ssrc, voiceId) => this.#audio.placed(ssrc, voiceId),
    });
  }

  async enter(): Promise<void> {
    const stay = this.#newStay();
    this.#stay = stay;
    await stay.enter().catch((error: unknown) => {
      if (this.#stay === stay) this.#keptOut(error);
    });
  }

  disconnect(): void {
    this.#isAdmitted = false;
    this.#polled?.stop();
    this.#audio.end();
    const leaving = this.#stay?.leave();
    this.#stay = null;
    if (leaving) this.#leaving = Promise.all([this.#leaving, leaving]);
  }

  async leave(): Promise<void> {
    this.chat.close();
    this.disconnect();
    await Promise.all([this.#leaving, this.#audio.close()]);
  }

  #newStay(): Stay {
    const { clock, reach, internalSecrets, http, user, roomToken, leg } = this.#deps;
    const room = new TalkRoom(http, user, roomToken);
    return new Stay({
      clock,
      reach,
      room,
      internalSecrets,
      observer: {
        found: (...found) => this.#found(room, ...found),
        signedOn: (sessionId) => this.#people.reset(sessionId),
        waiting: () => leg.waiting(LOBBY),
        admitted: () => this.#admitted(),
        expelled: () =>
          void clock.after(EXPELLED_AFTER_MS, () => leg.removed('the bot was removed from the call')),
        maySpeak: (may) => {
          this.#maySpeak = may;
          this.#audio.maySpeak(may);
          this.#tellCapabilities();
        },
        event: (event) => this.#see(event),
        peer: (message) => this.#hearPeer(message),
        refused: (messageId, code) => this.#audio.refused(messageId, code),
        resumed: () => {
          this.#audio.askAgain();
          this.chat.look();
        },
        over: (reason, code) => (TAKEN_OVER.has(code) ? leg.lose(reason) : leg.lost(reason)),
      },
    });
  }

  #found(talkRoom: TalkRoom, settings: SignalingSettings, room: Room, speaks: boolean): void {
    const { clock, leg, learned } = this.#deps;
    this.#hasServer = settings.server !== null;
    this.#mayWrite = mayWrite(room);
    this.#maySpeak = speaks;
    this.chat.begin(room.lastMessage?.id ?? 0);
    learned(this.#hasServer);
    this.#tellCapabilities();
    if (this.#hasServer) return this.#audio.open(settings.iceServers);
    this.#people.reset(room.sessionId ?? '');
    this.#polled = new PolledCall({
      clock,
      room: talkRoom,
      ownId: room.sessionId ?? '',
      people: this.#people,
      look: () => this.chat.look(),
      over: (reason) => leg.removed(reason),
      lost: (reason) => leg.lost(reason),
    });
  }

  #admitted(): void {
    const { leg, entered } = this.#deps;
    this.#isAdmitted = true;
    entered();
    leg.connecting(NO_MEDIA, async () => {
      if (!this.#hasServer) {
        this.#polled?.start();
        return leg.connected();
      }
      await this.#audio.begin(this.#maySpeak);
      if (this.#isMuted) this.#audio.mute();
      this.#hear();
    });
  }

  /** Hears those who are in the call now. */
  #hear(): void {
    if (this.#isAdmitted) this.#audio.people(this.#people.inCall, this.#people.audible);
  }

  #see(event: RoomEvent): void {
    const { leg } = this.#deps;
    return match(event, 'type', {
      joined: (event) => this.#people.joined(event.sessions),
      left: (event) => this.#people.left(event.sessionIds),
      users: (event) => this.#people.users(event.users),
      call_ended: () => leg.removed('call ended'),
      removed: (event) => leg.removed(event.isDeleted ? ROOM_DELETED : BOT_REMOVED),
      chat: () => this.chat.look(),
      moved: () => {},
      changed: () => {},
    });
  }

  #hearPeer(message: PeerMessage): void {
    const { type, payload, from } = message;
    if (type === 'nickChanged') return this.#people.named(from, payload?.name ?? '');
    if (type !== 'control') return this.#audio.peer(message);
    // Only moderators may, which the server sees to.
    if (payload?.action === 'forceMute' && payload.peerId === this.#stay?.sessionId) this.#mute();
  }

  #mute(): void {
    this.#isMuted = true;
    this.#audio.mute();
    void this.#mediaLeg?.configure(opus(false)).catch(() => undefined);
    this.#tellCapabilities();
  }

  #tellCapabilities(): void {
    const offered: [Capability, boolean][] = [
      ['audio_in', this.#hasServer],
      ['audio_out', this.#hasServer && this.#maySpeak && !this.#isMuted],
      ['read', true],
      ['write', this.#mayWrite],
      ['typing', this.#mayWrite && this.#hasServer],
      ['files', this.#mayWrite],
    ];
    this.#deps.observer.capabilities(offered.filter(([, isOffered]) => isOffered).map(([each]) => each));
  }

  #keptOut(error: unknown): void {
    const { leg } = this.#deps;
    const { kind, reason } = this.#read(error);
    if (kind === 'again') leg.lost(reason);
    else if (kind === 'refused') leg.removed(reason);
    else leg.lose(reason);
  }

  #read(error: unknown): EntryFailure {
    const failure = entryFailure(error);
    if (error instanceof PlatformFailure) this.#deps.failed(error);
    return failure;
  }
}

function opus(sending: boolean): PacketConfig {
  return {
    codec: 'opus',
    payloadType: OPUS_PAYLOAD_TYPE,
    opus: { bitrateBps: BITRATE_BPS, maxBitrateBps: null, inbandFec: true },
    sending,
    receiving: true,
  };
}
