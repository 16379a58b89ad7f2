import { match } from '../../../base/match.ts';
import type { Clock } from '../../../base/time.ts';
import type { PacketRings } from '../../../media/packet-media.ts';
import type { Bridges } from '../../../media/transport.ts';
import type { LegObserver, Participant } from '../../contract/call-leg.ts';
import { MeetingMedia } from '../../kit/meeting-media.ts';
import { MeetingVoices } from '../../kit/meeting-voices.ts';
import type { PeerMessage } from '../signaling/hpb-messages.ts';
import {
  type IceServer,
  OWN,
  TALK_TRANSPORT,
  type TalkCommands,
  type TalkOpen,
  type TalkSignal,
} from '../voice/talk-protocol.ts';
import { Announcements } from './announcements.ts';
import { Publication } from './publication.ts';
import { Subscriptions } from './subscriptions.ts';

export interface CallAudioDeps {
  readonly clock: Clock;
  readonly bridges: Bridges;
  /** Sends something to a session, or to the server in its place. `id`: comes back with a refusal. */
  send(sessionId: string, data: object, id?: string): void;
  /** The bot's own signaling session. */
  ownSession(): string;
  readonly speaking: LegObserver['speaking'];
  /** The agent can be heard. */
  connected(): void;
  /** The agent's connection is lost, and does not come back. */
  lost(reason: string): void;
  /** The bridge thread is lost, or could not be used. */
  threadLost(reason: string): void;
}

/** Names requests about the agent's own stream, in refusals. */
const OWN_REQUEST = 'publish';

/** The audio of a call: what the agent says, on one connection, and what each of the others says, on one of theirs. */
export class CallAudio {
  readonly rings: PacketRings;
  readonly #deps: CallAudioDeps;
  readonly #media: MeetingMedia<TalkOpen, TalkCommands, TalkSignal>;
  readonly #voices: MeetingVoices;
  readonly #publication: Publication;
  readonly #subscriptions: Subscriptions;
  readonly #announcements: Announcements;
  #opening: Promise<void> = Promise.resolve();
  #isOn = false;

  constructor(deps: CallAudioDeps) {
    const { clock, bridges } = deps;
    this.#deps = deps;
    this.rings = bridges.packetRings();
    const media: MeetingMedia<TalkOpen, TalkCommands, TalkSignal> = new MeetingMedia({
      bridges,
      protocol: TALK_TRANSPORT,
      observer: { signal: (signal) => this.#take(signal), lost: (reason) => deps.threadLost(reason) },
    });
    this.#media = media;
    this.#voices = new MeetingVoices(deps.speaking);
    this.#publication = new Publication({
      clock,
      media,
      send: (data) => deps.send(deps.ownSession(), data, OWN_REQUEST),
      failed: (reason) => deps.lost(reason),
    });
    this.#subscriptions = new Subscriptions({ clock, media, send: (...sent) => deps.send(...sent) });
    this.#announcements = new Announcements({ clock, send: (to, data) => deps.send(to, data) });
  }

  /** Opens the way to the media, for the first time or again. `begin` waits for it. */
  open(iceServers: readonly IceServer[]): void {
    this.#opening = this.#media.connect({ rings: this.rings, iceServers });
    this.#opening.catch(() => undefined);
  }

  /** The bot is in the call. Rejects when there is no way to the media. */
  async begin(maySpeak: boolean): Promise<void> {
    const opening = this.#opening;
    await opening;
    if (opening !== this.#opening) return;
    this.#isOn = true;
    if (maySpeak) this.#publication.start();
    else this.#deps.connected();
  }

  /** Ends the connections. The media leg stays. */
  end(): void {
    this.#isOn = false;
    this.#publication.stop();
    this.#subscriptions.clear();
    this.#announcements.clear();
    this.#voices.clear();
    void this.#media.disconnect();
  }

  /** Resolves when everything is released. */
  async close(): Promise<void> {
    this.end();
    await this.#media.disconnect();
  }

  /** Whether the agent may speak has changed. */
  maySpeak(may: boolean): void {
    if (!this.#isOn) return;
    if (may) return this.#publication.start();
    this.#publication.stop();
    this.#announcements.speaks(false);
  }

  /** Somebody has muted the agent. */
  mute(): void {
    this.#announcements.speaks(false);
  }

  participants(list: readonly Participant[]): void {
    this.#voices.participants(list);
  }

  /** Who is in the call, and who of them sends audio. */
  people(inCall: readonly string[], audible: readonly string[]): void {
    if (!this.#isOn) return;
    this.#subscriptions.set(audible);
    this.#announcements.set(inCall);
  }

  /** The media leg has given a voice to a stream. */
  placed(ssrc: number, voiceId: number): void {
    this.#voices.placed(ssrc, voiceId);
  }

  /** Takes what a session says, or the server in its place. */
  peer(message: PeerMessage): void {
    if (!this.#isOn) return;
    if (message.from === this.#deps.ownSession()) return this.#publication.take(message);
    if (message.type === 'unmute') return this.#subscriptions.announced(message.from);
    this.#subscriptions.take(message);
  }

  /** The server could not do what was asked for. */
  refused(messageId: string, code: string): void {
    if (messageId === OWN_REQUEST) this.#publication.failed(`the signaling server refused: ${code}`);
    else this.#subscriptions.refused(messageId);
  }

  /** What was sent shortly before may be lost. */
  askAgain(): void {
    this.#subscriptions.askAgain();
  }

  #take(signal: TalkSignal): void {
    return match(signal, 'type', {
      candidate: ({ connection, candidate }) =>
        connection === OWN
          ? this.#publication.candidate(candidate)
          : this.#subscriptions.candidate(connection, candidate),
      connected: (signal) => this.#connected(signal.connection),
      failed: ({ connection, reason }) =>
        connection === OWN ? this.#publication.failed(reason) : this.#subscriptions.failed(connection),
      stream: (signal) => this.#voices.stream(signal.ssrc, signal.personId),
      speaking: (signal) => {
        this.#subscriptions.spoke(signal.personId);
        return this.#voices.speaking(signal.personId, signal.on);
      },
    });
  }

  #connected(connection: string): void {
    if (connection !== OWN) return this.#subscriptions.connected(connection);
    this.#publication.connected();
    this.#announcements.speaks(true);
    this.#deps.connected();
  }
}
