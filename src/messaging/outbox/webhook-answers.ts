import { type Address, keyOfAddress } from '../../base/address.ts';
import { FairShare, type ShareReading } from '../../base/fair-share.ts';
import type { Platform } from '../../base/platform.ts';
import { type Clock, TimeLimit } from '../../base/time.ts';
import type { AwaitedReply, OutboundMessage, SendOutcome } from '../../connectors/contract/messenger.ts';
import type { MessagePlatform } from '../../store/messages/message-tables.ts';

/** Webhooks that wait for a message: of one account, and in total, which accounts share. One waits for a conversation. */
export const MAX_WAITS_OF_ACCOUNT = 500;
const MAX_WAITS = 4_000;
/** Nextcloud Talk waits longest. */
const MAX_WAIT_MS = 120_000;

/** Who wrote what a webhook has brought, and the account that answers. */
export interface Asking {
  readonly accountId: string;
  readonly from: Address;
}

interface Wait {
  end(reply: AwaitedReply | null): void;
}

/**
 * Webhooks whose platform accepts the agent's next message as their answer. A message goes to one of them or is sent,
 * never both: the wait ends with the message that it gets, and the message is sent only once the connector has said
 * that nothing of it was written. Waits are only in memory: after a restart their connections are gone, too.
 */
export class WebhookAnswers {
  readonly #clock: Clock;
  readonly #places: FairShare;
  readonly #onFull: () => void;
  readonly #waits = new Map<string, Wait>();
  #isClosed = false;

  constructor(clock: Clock, onFull: () => void) {
    this.#clock = clock;
    this.#onFull = onFull;
    const limits = { total: MAX_WAITS, each: MAX_WAITS_OF_ACCOUNT, mostWaiting: 0 };
    this.#places = new FairShare({ clock, ...limits, keepsRoom: true });
  }

  /** Number of webhooks that wait. */
  get waiting(): number {
    return this.#waits.size;
  }

  /** For metrics. */
  get share(): ShareReading {
    return this.#places;
  }

  /** See `MessageIntake.awaitReply`. */
  async wait(
    platform: Platform,
    { accountId, from }: Asking,
    withinMs: number,
    gone: AbortSignal,
  ): Promise<AwaitedReply | null> {
    const key = keyOf(platform, from);
    // The first webhook gets the next message; the one after that is sent.
    if (this.#isClosed || gone.aborted || this.#waits.has(key)) return null;
    const leave = this.#places.takeNow(accountId);
    if (leave === null) {
      this.#onFull();
      return null;
    }
    const { promise, resolve } = Promise.withResolvers<AwaitedReply | null>();
    const wait: Wait = {
      end: (reply) => {
        if (this.#waits.get(key) === wait) this.#waits.delete(key);
        resolve(reply);
      },
    };
    this.#waits.set(key, wait);
    const limit = new TimeLimit(this.#clock, Math.min(withinMs, MAX_WAIT_MS), { outer: gone });
    limit.signal.addEventListener('abort', () => wait.end(null), { once: true });
    try {
      return await promise;
    } finally {
      limit.close();
      leave();
    }
  }

  /**
   * Offers a message to the webhook that waits for it. Resolves with the outcome. Null: no webhook has taken it, so that
   * it has to be sent.
   */
  async offer(platform: MessagePlatform, message: OutboundMessage): Promise<SendOutcome | null> {
    // Specification: a message with attachments does not become a synchronous reply. What is shown already becomes the message.
    const isPlain = message.attachments.length === 0 && message.choices === undefined;
    if (!isPlain || message.shownId !== undefined) return null;
    const wait = this.#waits.get(keyOf(platform, message.to));
    if (!wait) return null;
    const { promise, resolve: settle } = Promise.withResolvers<SendOutcome | null>();
    wait.end({ message, settle });
    return await promise;
  }

  /** Ends all waits without a message. Safe to call twice. */
  close(): void {
    this.#isClosed = true;
    for (const wait of [...this.#waits.values()]) wait.end(null);
  }
}

function keyOf(platform: MessagePlatform, address: Address): string {
  return `${platform} ${keyOfAddress(address)}`;
}
