import { GatewayError } from '../../../src/base/errors.ts';
import type { Capability, Platform } from '../../../src/base/platform.ts';
import type {
  ChatOutcome,
  InboundChat,
  LegObserver,
  OutboundChat,
  PlatformLeg,
  SendsChat,
  ShowsCallTyping,
} from '../../../src/connectors/contract/call-leg.ts';
import type {
  CallLogin,
  CallOffer,
  Connector,
  DialRequest,
  InboundAnswerer,
  PlacesCalls,
  Provides,
  RingsCalls,
} from '../../../src/connectors/contract/connector.ts';
import type { LoginState } from '../../../src/connectors/contract/login.ts';
import type { FetchesFiles } from '../../../src/connectors/contract/messenger.ts';

export const WHOLE: readonly Capability[] = ['audio_in', 'audio_out', 'read', 'write', 'typing', 'files'];
const MAX_TEXT = 2_000;

/** What a platform does with one chat message. */
type ChatAnswer = (message: OutboundChat, signal: AbortSignal) => Promise<ChatOutcome>;

/** A leg in a meeting of the test's own. */
export class FakeLeg implements PlatformLeg, SendsChat, ShowsCallTyping {
  readonly request: DialRequest | null;
  readonly observer: LegObserver;
  readonly chat?: SendsChat;
  readonly typing?: ShowsCallTyping;
  readonly sent: OutboundChat[] = [];
  typed = 0;
  hungUp = 0;
  /** How the next messages are answered; then each one is sent. */
  readonly answers: ChatAnswer[] = [];
  type: (signal: AbortSignal) => Promise<void> = async () => {};
  readonly #released = Promise.withResolvers<void>();

  constructor(request: DialRequest | null, observer: LegObserver, isMute: boolean) {
    this.request = request;
    this.observer = observer;
    if (isMute) return;
    this.chat = this;
    this.typing = this;
  }

  get released(): Promise<void> {
    return this.#released.promise;
  }

  accept(): void {
    this.observer.answered();
  }

  refuse(): void {
    this.release();
  }

  hangUp(): void {
    this.hungUp += 1;
    this.release();
  }

  release(): void {
    this.#released.resolve();
  }

  checkText(text: string): void {
    if (text.length > MAX_TEXT) throw new GatewayError('send_failed', 'Failed to send message: too long');
  }

  async send(message: OutboundChat, signal: AbortSignal): Promise<ChatOutcome> {
    const answer = this.answers.shift();
    if (answer !== undefined) return await answer(message, signal);
    this.sent.push(message);
    return { kind: 'sent' };
  }

  async showTyping(signal: AbortSignal): Promise<void> {
    this.typed += 1;
    await this.type(signal);
  }
}

let serial = 0;

/** A message that somebody writes in a meeting. */
export function chatOf(fields: Partial<InboundChat> = {}): InboundChat {
  serial += 1;
  const sentAt = '2030-01-01T00:00:00.000Z';
  return { id: `chat_${serial}`, sender: 'Ada', text: `text ${serial}`, sentAt, files: [], ...fields };
}

/** A platform with meetings, within the test's process. */
export class FakeMeetings implements Connector, PlacesCalls, RingsCalls, FetchesFiles {
  readonly platform: Platform = 'discord';
  readonly provides: Provides;
  loginKinds: PlacesCalls['loginKinds'] = ['bot_token', 'shared'];
  shared: LoginState | null = null;
  offer: CallOffer = { capabilities: WHOLE, sampleRateHz: 48_000 };
  /** Whether its own gateway connection is up. */
  isConnected = true;
  /** Whether legs have neither chat nor typing. */
  isMute = false;
  readonly legs: FakeLeg[] = [];
  #answerer: InboundAnswerer | null = null;

  constructor() {
    this.provides = {
      calls: this,
      inboundCalls: this,
      sharedLogin: { sharedLogin: () => this.shared },
    };
  }

  /** The newest leg. */
  get leg(): FakeLeg {
    return this.legs.at(-1)!;
  }

  prepare(): CallOffer {
    if (!this.isConnected) throw new GatewayError('platform_not_connected');
    return this.offer;
  }

  dial(request: DialRequest, _media: unknown, observer: LegObserver): PlatformLeg {
    return this.#newLeg(request, observer);
  }

  onInbound(answerer: InboundAnswerer): void {
    this.#answerer = answerer;
  }

  /** Somebody calls an agent over one of its logins. */
  ring(owner: { accountId: string; agentId: string }, login: CallLogin): FakeLeg {
    const { accountId, agentId } = owner;
    this.#answerer!.ring({
      ...this.offer,
      accountId,
      agentId,
      login,
      caller: 'Ada',
      target: 'https://meet.example/1',
      autoAnswer: false,
      take: (_media, observer) => this.#newLeg(null, observer),
    });
    return this.leg;
  }

  async fetchFile(): Promise<AsyncIterable<Uint8Array>> {
    throw new GatewayError('file_gone');
  }

  async start(): Promise<void> {}

  async close(): Promise<void> {}

  #newLeg(request: DialRequest | null, observer: LegObserver): FakeLeg {
    const leg = new FakeLeg(request, observer, this.isMute);
    this.legs.push(leg);
    return leg;
  }
}
