import { GatewayError, MAY_HAVE_ARRIVED } from '../base/errors.ts';
import { answeredWithin, type Clock } from '../base/time.ts';
import type { ChatOutcome } from '../connectors/contract/call-leg.ts';

/** Limit of messages of a call that are being sent or wait for it. */
const MAX_PENDING = 16;
/** From the request to the platform's answer, including the wait for earlier messages. */
const SEND_MS = 25_000;
const TYPING_MS = 10_000;

/** Writes in the chat of one call: one message at a time, in order. */
export class ChatSender {
  readonly #clock: Clock;
  #pending = 0;
  #last: Promise<unknown> = Promise.resolve();
  #typing: Promise<void> | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Runs `send` when it is its turn. Throws `too_many_messages`, and `deadline_exceeded` when the leg does not answer. */
  async send(send: (signal: AbortSignal) => Promise<ChatOutcome>): Promise<ChatOutcome> {
    if (this.#pending >= MAX_PENDING)
      throw new GatewayError('too_many_messages', `${MAX_PENDING} messages wait to be sent on this call`);
    this.#pending += 1;
    const former = this.#last;
    let hasBegun = false;
    const sent = answeredWithin(
      this.#clock,
      SEND_MS,
      () => late(hasBegun),
      async (signal) => {
        await former;
        signal.throwIfAborted();
        hasBegun = true;
        return await send(signal);
      },
    );
    this.#last = sent.catch(() => {});
    try {
      return await sent;
    } finally {
      this.#pending -= 1;
    }
  }

  /** Runs `show`, or joins one that is running. Throws `deadline_exceeded`. */
  showTyping(show: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const late = (): GatewayError => new GatewayError('deadline_exceeded');
    this.#typing ??= answeredWithin(this.#clock, TYPING_MS, late, show).finally(() => {
      this.#typing = null;
    });
    return this.#typing;
  }
}

function late(hasBegun: boolean): GatewayError {
  const what = hasBegun
    ? `The platform did not answer in time; ${MAY_HAVE_ARRIVED}`
    : 'Earlier messages took too long; nothing was sent';
  return new GatewayError('deadline_exceeded', what);
}
