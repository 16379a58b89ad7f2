import { unreachable } from '../../../src/base/assert.ts';
import { GatewayError } from '../../../src/base/errors.ts';
import type { LegObserver, SendsChat, ShowsCallTyping } from '../../../src/connectors/contract/call-leg.ts';
import type { Meeting, MeetingLeg, MeetingRules } from '../../../src/connectors/kit/meeting-leg.ts';
import { MeetingMedia, openPacketLeg } from '../../../src/connectors/kit/meeting-media.ts';
import { MeetingVoices } from '../../../src/connectors/kit/meeting-voices.ts';
import type { MediaControl } from '../../../src/media/media-control.ts';
import { MAX_VOICES } from '../../../src/media/media-leg.ts';
import { PCM_MEDIA } from '../../../src/media/pcm-media.ts';
import type { Bridges } from '../../../src/media/transport.ts';
import type { PacketConfig } from '../../../src/rtp/rtp-protocol.ts';
import { LOOPBACK_TRANSPORT, type LoopbackOpen, type LoopbackSignal } from '../media/loopback-protocol.ts';
import type { LoopbackApi } from '../messages/loopback-api.ts';
import { inboundFile, readMessage } from '../messages/vendor-messages.ts';
import { MeetingChat } from './meeting-chat.ts';
import { MeetingSession, type SessionEvent } from './meeting-session.ts';
import type { MeetingAddress } from './meeting-url.ts';
import { MediaMessage } from './session-messages.ts';

export const SAMPLE_RATE_HZ = 48_000;
const JOIN_DEADLINE_MS = 10_000;
const LEAVE_DEADLINE_MS = 5_000;

/** A lost session is joined again once. Another loss within a minute ends the call. */
export const LOOPBACK_RULES: MeetingRules = {
  joinMs: JOIN_DEADLINE_MS,
  answerMs: JOIN_DEADLINE_MS,
  outageMs: 10_000,
  threadOutageMs: 10_000,
  pausesMs: [0],
  maxEntries: 2,
  entriesWithinMs: 60_000,
  noAnswer: 'The vendor did not answer',
};

/** Opus as the vendor sends and takes it. */
const OPUS: PacketConfig = {
  codec: 'opus',
  payloadType: 111,
  opus: { maxBitrateBps: null, inbandFec: true },
  sending: true,
  receiving: true,
};

type MediaEvent = NonNullable<ReturnType<typeof MediaMessage.parse>>;
type VendorVoice = Extract<MediaEvent, { type: 'voices' }>['voices'][number];
type ChatEvent = Extract<SessionEvent, { type: 'chat' }>['message'];

export interface LoopbackCall {
  readonly api: LoopbackApi;
  readonly bridges: Bridges;
  readonly meeting: MeetingAddress;
  /** Name shown to the others. */
  readonly name: string;
}

/** One call: the agent in a meeting of the vendor. Each session has its own connection to the media. */
export class LoopbackMeeting implements Meeting {
  readonly chat: SendsChat;
  readonly typing: ShowsCallTyping = { showTyping: async () => this.#present().showTyping() };
  readonly #call: LoopbackCall;
  readonly #control: MediaControl;
  readonly #observer: LegObserver;
  readonly #leg: MeetingLeg;
  readonly #audio: LoopbackOpen['media'];
  readonly #media: MeetingMedia<LoopbackOpen, Record<never, never>, LoopbackSignal>;
  readonly #voices: MeetingVoices;
  #list: readonly VendorVoice[] = [];
  #session: MeetingSession | null = null;
  /** Settles when the current attempt to join is over. */
  #joining: Promise<void> = Promise.resolve();

  constructor(call: LoopbackCall, control: MediaControl, observer: LegObserver, leg: MeetingLeg) {
    const { api, bridges, meeting } = call;
    this.#call = call;
    this.#control = control;
    this.#observer = observer;
    this.#leg = leg;
    this.#voices = new MeetingVoices((voice, on) => observer.speaking(voice, on));
    this.chat = new MeetingChat(api, () => this.#present().id);
    this.#audio =
      meeting.media === 'pcm'
        ? { kind: 'pcm', rings: bridges.pcmRings(MAX_VOICES, SAMPLE_RATE_HZ) }
        : { kind: 'packets', rings: bridges.packetRings() };
    this.#media = new MeetingMedia({
      bridges,
      protocol: LOOPBACK_TRANSPORT,
      observer: { signal: (text) => this.#hear(text), lost: (reason) => leg.lost(reason) },
    });
  }

  async prepare(): Promise<void> {
    const control = this.#control;
    const { kind, rings } = this.#audio;
    if (kind === 'pcm') await control.open(PCM_MEDIA, rings, () => {});
    else
      await openPacketLeg(control, {
        rings,
        sampleRateHz: SAMPLE_RATE_HZ,
        config: OPUS,
        placed: (ssrc, voiceId) => this.#voices.placed(ssrc, voiceId),
      });
  }

  async enter(): Promise<void> {
    this.#joining = this.#join();
    await this.#joining;
  }

  disconnect(): void {
    void this.#media.disconnect();
  }

  /** A session that is still being joined is left, too. */
  async leave(): Promise<void> {
    await this.#joining.catch(() => undefined);
    await Promise.all([this.#media.disconnect(), this.#leaveSession()]);
  }

  async #join(): Promise<void> {
    const { api, meeting, name } = this.#call;
    await this.#leaveSession();
    const session = await MeetingSession.join(api, meeting, name, AbortSignal.timeout(JOIN_DEADLINE_MS));
    this.#session = session;
    const ifCurrent = <Args extends unknown[]>(run: (...args: Args) => void) => {
      return (...args: Args): void => (session === this.#session ? run(...args) : undefined);
    };
    session.observe({
      message: ifCurrent((event) => this.#take(event)),
      lost: ifCurrent((reason) => this.#leg.lost(reason)),
    });
  }

  async #leaveSession(): Promise<void> {
    const session = this.#session;
    this.#session = null;
    await session?.leave(AbortSignal.timeout(LEAVE_DEADLINE_MS));
  }

  #take(event: SessionEvent): void {
    const leg = this.#leg;
    switch (event.type) {
      case 'waiting':
        return leg.waiting(event.reason);
      case 'joined':
        return this.#connect(event.media_url);
      case 'participants':
        this.#observer.participants(event.participants);
        return this.#voices.participants(event.participants);
      case 'chat':
        return this.#wrote(event.message);
      case 'ended':
        return leg.removed(event.reason);
      default:
        return unreachable(event);
    }
  }

  #connect(url: string): void {
    this.#leg.connecting('the vendor carries no media', async () => {
      await this.#media.connect({ url, media: this.#audio });
      this.#leg.connected();
    });
  }

  #hear(text: LoopbackSignal): void {
    const message = readMessage(MediaMessage, text);
    if (message?.type === 'voices') this.#know(message.voices);
    if (message?.type !== 'speaking') return;
    const speaker = this.#list.find(({ voice }) => voice === message.voice);
    if (speaker) this.#voices.speaking(speaker.participant, message.on);
  }

  /** With PCM, the vendor's number of a voice is its place in the leg. With packets, the leg gives the places. */
  #know(list: readonly VendorVoice[]): void {
    for (const { participant } of this.#list)
      if (!list.some((each) => each.participant === participant)) this.#voices.speaking(participant, false);
    this.#list = list;
    const isPcm = this.#audio.kind === 'pcm';
    for (const { voice, ssrc, participant } of list) {
      this.#voices.stream(isPcm ? voice : ssrc, participant);
      if (isPcm) this.#voices.placed(voice, voice);
    }
  }

  /** Somebody wrote in the chat, perhaps the agent itself. */
  #wrote({ session, sent_at: sentAt, files, ...message }: ChatEvent): void {
    if (session === this.#session?.id) return;
    this.#observer.chat({ ...message, sentAt, files: files.map(inboundFile) });
  }

  #present(): MeetingSession {
    if (this.#leg.isConnected && this.#session?.isConnected) return this.#session;
    throw new GatewayError('platform_not_connected');
  }
}
