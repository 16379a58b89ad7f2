import { EventLoopLimit } from '../../base/event-loop-limit.ts';
import { FairShare, type ReleasePlace } from '../../base/fair-share.ts';
import type { Clock } from '../../base/time.ts';
import type { ShowsTyping } from '../../connectors/contract/messenger.ts';
import type { Conversation } from '../../store/messages/conversations.ts';
import type { MessagePlatform } from '../../store/messages/message-tables.ts';
import { DelayLine } from '../inbox/delay-line.ts';
import { addressOf, type SendingDeps } from '../outbox/stored-message.ts';

/** Specification, "Limits": safety stop. */
export const TYPING_MS = 65_000;
/** Conversations that show an indicator at a time, of all accounts; one has half. */
export const MOST_SHOWN = 5_000;
/** Requests to platforms at a time, of all accounts; further ones are skipped. */
const MOST_ASKING = 100;
const ASK_MS = 5_000;

interface Indicator {
  readonly conversation: Conversation;
  readonly platform: ShowsTyping;
  readonly leave: ReleasePlace;
  endMs: number;
  /** The request in progress. */
  asking: AbortController | null;
}

export interface TypingDeps extends Pick<SendingDeps, 'store' | 'messengers'> {
  readonly clock: Clock;
  /** Called when an indicator was not shown, or not repeated, because of a limit or an error. */
  readonly onSkipped: () => void;
}

/** Shows typing indicators and repeats them until they are stopped or 65 seconds have passed. */
export class TypingIndicators {
  readonly #deps: TypingDeps;
  readonly #shown = new Map<string, Indicator>();
  /** One per platform: within a platform, all indicators last equally long. */
  readonly #repeats = new Map<MessagePlatform, DelayLine>();
  /** Indicators that began together are repeated together. Others need not wait for all of them. */
  readonly #limit = new EventLoopLimit(1);
  readonly #places: FairShare;
  readonly #requests: FairShare;

  constructor(deps: TypingDeps) {
    const { clock } = deps;
    this.#deps = deps;
    const shared = (total: number) =>
      new FairShare({ clock, total, each: total, keepsRoom: true, mostWaiting: 0 });
    this.#places = shared(MOST_SHOWN);
    this.#requests = shared(MOST_ASKING);
  }

  /** Number of conversations that show an indicator now. */
  get shown(): number {
    return this.#shown.size;
  }

  /** Shows an indicator for 65 s from now. Does nothing on platforms without indicators. */
  start(conversation: Conversation): void {
    const endMs = this.#deps.clock.monotonicMs() + TYPING_MS;
    const known = this.#shown.get(conversation.id);
    if (known) {
      known.endMs = endMs;
      return;
    }
    const platform = this.#deps.messengers.get(conversation.platform)?.typing;
    if (platform === undefined) return;
    const leave = this.#places.takeNow(conversation.accountId);
    if (leave === null) return this.#deps.onSkipped();
    const indicator = { conversation, platform, leave, endMs, asking: null };
    this.#shown.set(conversation.id, indicator);
    this.#show(indicator);
  }

  /** Stops repeating the indicator. The platform removes it when a message arrives, or by itself. */
  stop(conversationId: string): void {
    const indicator = this.#shown.get(conversationId);
    if (!indicator) return;
    this.#forget(indicator);
    this.#repeats.get(indicator.conversation.platform)?.remove(conversationId);
    indicator.asking?.abort();
  }

  close(): void {
    for (const id of [...this.#shown.keys()]) this.stop(id);
    for (const line of this.#repeats.values()) line.close();
  }

  #show(indicator: Indicator): void {
    this.#lineOf(indicator).put(indicator.conversation.id);
    if (indicator.asking === null) void this.#ask(indicator);
  }

  #lineOf({ conversation: { platform }, platform: shower }: Indicator): DelayLine {
    const known = this.#repeats.get(platform);
    if (known) return known;
    const line = new DelayLine(this.#deps.clock, shower.typingRepeatMs, (id) => this.#again(id));
    this.#repeats.set(platform, line);
    return line;
  }

  #again(conversationId: string): void {
    const indicator = this.#shown.get(conversationId);
    if (!indicator) return;
    if (this.#deps.clock.monotonicMs() < indicator.endMs) this.#show(indicator);
    else this.#forget(indicator);
  }

  #forget({ conversation, leave }: Indicator): void {
    this.#shown.delete(conversation.id);
    leave();
  }

  /** Never rejects: a failed indicator is not an error. */
  async #ask(indicator: Indicator): Promise<void> {
    const asking = new AbortController();
    indicator.asking = asking;
    await this.#limit.enter();
    if (!asking.signal.aborted) await this.#askInTurn(indicator, asking);
    indicator.asking = null;
  }

  async #askInTurn(indicator: Indicator, asking: AbortController): Promise<void> {
    const leave = this.#requests.takeNow(indicator.conversation.accountId);
    if (leave === null) return this.#deps.onSkipped();
    await this.#request(indicator, asking);
    leave();
  }

  async #request({ conversation, platform }: Indicator, asking: AbortController): Promise<void> {
    const stop = this.#deps.clock.after(ASK_MS, () => asking.abort());
    try {
      const to = await addressOf(this.#deps.store.db, conversation);
      if (to !== null && !asking.signal.aborted) await platform.showTyping(to, asking.signal);
    } catch {
      this.#deps.onSkipped();
    } finally {
      stop();
    }
  }
}
