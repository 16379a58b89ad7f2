import { unreachable } from '../../../src/base/assert.ts';
import { GatewayError } from '../../../src/base/errors.ts';
import type { Termination } from '../../../src/base/termination.ts';
import type { Clock } from '../../../src/base/time.ts';
import type {
  LegObserver,
  PlatformLeg,
  SendsChat,
  ShowsCallTyping,
} from '../../../src/connectors/contract/call-leg.ts';
import type { MediaControl } from '../../../src/media/media-control.ts';
import type { Bridges } from '../../../src/media/transport.ts';
import { CallMedia } from './call-media.ts';
import type { LoopbackApi } from './loopback-api.ts';
import { MeetingChat } from './meeting-chat.ts';
import { MeetingSession, type SessionEvent } from './meeting-session.ts';
import type { MeetingAddress } from './meeting-url.ts';
import { Speakers } from './speakers.ts';
import { inboundFile } from './vendor-files.ts';
import { MediaMessage, readMessage } from './vendor-messages.ts';

/** A lost session is joined again once. Another loss this soon after it ends the call. */
const REJOIN_EVERY_MS = 60_000;
const REJOIN_DEADLINE_MS = 10_000;
const JOIN_DEADLINE_MS = 10_000;
const LEAVE_DEADLINE_MS = 5_000;

type ChatEvent = Extract<SessionEvent, { type: 'chat' }>['message'];

export interface LoopbackCall {
  readonly api: LoopbackApi;
  readonly bridges: Bridges;
  readonly clock: Clock;
  readonly meeting: MeetingAddress;
  /** Name shown to the others. */
  readonly name: string;
}

/** One call: the agent in a meeting of the vendor. */
export class LoopbackLeg implements PlatformLeg {
  readonly released: Promise<void>;
  readonly chat: SendsChat;
  readonly typing: ShowsCallTyping = { showTyping: async () => this.#present().showTyping() };
  readonly #call: LoopbackCall;
  readonly #observer: LegObserver;
  readonly #media: CallMedia;
  readonly #speakers: Speakers;
  readonly #over = Promise.withResolvers<void>();
  #state: 'joining' | 'active' | 'rejoining' | 'over' = 'joining';
  /** Settles when the current attempt to join is over. */
  #joining: Promise<void>;
  #session: MeetingSession | null = null;
  #rejoinedAtMs = Number.NEGATIVE_INFINITY;

  constructor(call: LoopbackCall, control: MediaControl, observer: LegObserver) {
    this.#call = call;
    this.#observer = observer;
    this.#speakers = new Speakers(call.meeting.media, observer);
    this.chat = new MeetingChat(call.api, () => this.#present().id);
    const from = { bridges: call.bridges, control };
    this.#media = new CallMedia(call.meeting.media, from, {
      message: (text) => this.#takeMediaMessage(text),
      voice: (ssrc, voiceId) => this.#speakers.placed(ssrc, voiceId),
      lost: (reason) => this.#rejoin(reason),
    });
    this.released = this.#over.promise.then(() => this.#release());
    this.#joining = this.#media.openLeg().then(() => this.#join());
    this.#joining.catch((error: Error) => this.#end('remote', { result: 'failed', reason: error.message }));
  }

  /** Nothing to do: the vendor's calls are outbound. */
  accept(): void {}

  refuse(): void {
    this.hangUp();
  }

  hangUp(): void {
    const unanswered: Termination = { result: 'no_answer', reason: 'cancelled before it was answered' };
    this.#end('local', this.#state === 'joining' ? unanswered : { result: 'completed', reason: 'hung up' });
  }

  async #join(): Promise<void> {
    const { api, meeting, name } = this.#call;
    const session = await MeetingSession.join(api, meeting, name, AbortSignal.timeout(JOIN_DEADLINE_MS));
    this.#session = session;
    session.observe({
      message: (event) => {
        if (session === this.#session) this.#take(event);
      },
      lost: (reason) => {
        if (session === this.#session) this.#rejoin(reason);
      },
    });
  }

  #take(event: SessionEvent): void {
    if (this.#state === 'over') return;
    switch (event.type) {
      case 'waiting':
        return this.#observer.waiting(event.reason);
      case 'joined':
        return void this.#connect(event.media_url);
      case 'participants':
        return this.#speakers.participants(event.participants);
      case 'chat':
        return this.#heard(event.message);
      case 'ended':
        return this.#end('remote', {
          result: this.#state === 'joining' ? 'refused' : 'completed',
          reason: event.reason,
        });
      default:
        return unreachable(event);
    }
  }

  async #connect(url: string): Promise<void> {
    try {
      await this.#media.connect(url);
    } catch (error) {
      return this.#lose((error as Error).message);
    }
    if (this.#state === 'joining') this.#observer.answered();
    if (this.#state !== 'over') this.#state = 'active';
  }

  /** Joins the meeting again after its session, its media or a bridge thread was lost. */
  #rejoin(reason: string): void {
    if (this.#state === 'over' || this.#state === 'rejoining') return;
    const { clock } = this.#call;
    const isTooSoon = clock.monotonicMs() - this.#rejoinedAtMs < REJOIN_EVERY_MS;
    if (this.#state === 'joining' || isTooSoon) return this.#lose(reason);
    this.#state = 'rejoining';
    this.#rejoinedAtMs = clock.monotonicMs();
    clock.after(REJOIN_DEADLINE_MS, () => {
      if (this.#state === 'rejoining') this.#lose(reason);
    });
    this.#joining = this.#leave().then(() => this.#join());
    this.#joining.catch(() => this.#lose(reason));
  }

  #takeMediaMessage(text: string): void {
    const message = readMessage(MediaMessage, text);
    if (message?.type === 'voices') this.#speakers.voices(message.voices);
    if (message?.type === 'speaking') this.#speakers.speaking(message.voice, message.on);
  }

  /** Somebody wrote in the chat, perhaps the agent itself. */
  #heard({ session, sent_at: sentAt, files, ...message }: ChatEvent): void {
    if (session === this.#session?.id) return;
    this.#observer.chat({ ...message, sentAt, files: files.map(inboundFile) });
  }

  #present(): MeetingSession {
    if (this.#state === 'active' && this.#session?.isConnected) return this.#session;
    throw new GatewayError('platform_not_connected');
  }

  #lose(reason: string): void {
    this.#end('lost', { result: 'disconnected', reason });
  }

  #end(by: 'local' | 'remote' | 'lost', termination: Termination): void {
    if (this.#state === 'over') return;
    this.#state = 'over';
    this.#observer.ended(by, termination);
    this.#over.resolve();
  }

  /** Never rejects. A session that is still being joined is left, too. */
  async #release(): Promise<void> {
    await this.#joining.catch(() => undefined);
    await Promise.all([this.#media.close(), this.#leave()]);
  }

  /** Never rejects. */
  async #leave(): Promise<void> {
    const session = this.#session;
    this.#session = null;
    await session?.leave(AbortSignal.timeout(LEAVE_DEADLINE_MS));
  }
}
