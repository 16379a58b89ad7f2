import type { Clock } from '../../base/time.ts';
import { type ShowsTyping, showsTyping } from '../../connectors/contract/messenger.ts';
import type { Conversation } from '../../store/messages/conversations.ts';
import type { MessagePlatform } from '../../store/messages/message-tables.ts';
import { DelayLine } from '../inbox/delay-line.ts';
import { addressOf, messengerOf, type SendingDeps } from '../outbox/stored-message.ts';

/** Specification, "Limits": safety stop. */
export const TYPING_MS = 65_000;
/** Conversations that may show one at the same time. */
export const MOST_SHOWN = 5_000;
/** Requests to platforms that may be under way; what comes on top of them is left out. */
const MOST_ASKING = 100;
const ASK_MS = 5_000;

interface Indicator {
  readonly conversation: Conversation;
  readonly platform: ShowsTyping;
  endMs: number;
  /** The request that is under way. */
  asking: AbortController | null;
}

export interface TypingDeps extends Pick<SendingDeps, 'store' | 'messengers'> {
  readonly clock: Clock;
  /** Hears of an indicator that was not shown, or not again, because too many were. */
  readonly onSkipped: () => void;
}

/** Shows that somebody types, again and again, until it is stopped or 65 seconds have passed. */
export class TypingIndicators {
  readonly #deps: TypingDeps;
  readonly #shown = new Map<string, Indicator>();
  /** One for each platform: on each of them indicators last equally long. */
  readonly #repeats = new Map<MessagePlatform, DelayLine>();
  #asking = 0;

  constructor(deps: TypingDeps) {
    this.#deps = deps;
  }

  /** Conversations that show one now. */
  get shown(): number {
    return this.#shown.size;
  }

  /** Shows one for 65 s from now. Where a platform has none, nothing happens. */
  start(conversation: Conversation): void {
    const endMs = this.#deps.clock.monotonicMs() + TYPING_MS;
    const known = this.#shown.get(conversation.id);
    if (known) {
      known.endMs = endMs;
      return;
    }
    const platform = messengerOf(this.#deps, conversation);
    if (!platform || !showsTyping(platform)) return;
    if (this.#shown.size >= MOST_SHOWN) return this.#deps.onSkipped();
    const indicator = { conversation, platform, endMs, asking: null };
    this.#shown.set(conversation.id, indicator);
    this.#show(indicator);
  }

  /** Shows it no more; platforms take the last one away when a message comes, or by themselves. */
  stop(conversationId: string): void {
    const indicator = this.#shown.get(conversationId);
    if (!indicator) return;
    this.#shown.delete(conversationId);
    this.#repeats.get(indicator.conversation.platform)?.remove(conversationId);
    indicator.asking?.abort();
  }

  close(): void {
    for (const id of [...this.#shown.keys()]) this.stop(id);
    for (const line of this.#repeats.values()) line.close();
  }

  #show(indicator: Indicator): void {
    this.#lineOf(indicator).put(indicator.conversation.id);
    if (indicator.asking !== null) return;
    if (this.#asking >= MOST_ASKING) return this.#deps.onSkipped();
    void this.#ask(indicator);
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
    else this.#shown.delete(conversationId);
  }

  /** Never rejects: an indicator is not worth an error. */
  async #ask(indicator: Indicator): Promise<void> {
    const asking = new AbortController();
    const stop = this.#deps.clock.after(ASK_MS, () => asking.abort());
    indicator.asking = asking;
    this.#asking++;
    try {
      const to = await addressOf(this.#deps.store.db, indicator.conversation);
      if (to !== null && !asking.signal.aborted) await indicator.platform.showTyping(to, asking.signal);
    } catch {
      this.#deps.onSkipped();
    } finally {
      stop();
      this.#asking--;
      indicator.asking = null;
    }
  }
}
