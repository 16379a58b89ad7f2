import { ApiError } from './api-error.ts';

/** https://core.telegram.org/bots/faq#my-bot-is-hitting-limits-how-do-i-avoid-this: 30 a second, and one to a chat with short bursts. */
const PER_SECOND = 30;
const CHAT_BURST = 3;
/** To a group (the same page). */
const GROUP_PER_MINUTE = 20;

/** How often a bot may send. */
export class SendLimits {
  /** Requests that were too many. */
  exceeded = 0;
  #second: number[] = [];
  readonly #groups = new Map<number, number[]>();
  readonly #chats = new Map<number, { left: number; atMs: number }>();

  /** Throws for a request too many. */
  count(chatId: number): void {
    const nowMs = performance.now();
    this.#second = this.#second.filter((atMs) => atMs > nowMs - 1_000);
    const chat = this.#chats.get(chatId) ?? { left: CHAT_BURST, atMs: nowMs };
    chat.left = Math.min(CHAT_BURST, chat.left + (nowMs - chat.atMs) / 1_000);
    chat.atMs = nowMs;
    this.#chats.set(chatId, chat);
    const minute = (this.#groups.get(chatId) ?? []).filter((atMs) => atMs > nowMs - 60_000);
    if (chatId < 0) this.#groups.set(chatId, minute);
    if (this.#second.length >= PER_SECOND || chat.left < 1 || minute.length >= GROUP_PER_MINUTE) {
      this.exceeded += 1;
      throw new ApiError(429, 'Too Many Requests: retry after 1', 1);
    }
    this.#second.push(nowMs);
    minute.push(nowMs);
    chat.left -= 1;
  }
}
