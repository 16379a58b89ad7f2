import { randomInt } from 'node:crypto';
import { FairShare } from '../../base/fair-share.ts';
import { type CancelTimer, type Clock, pause } from '../../base/time.ts';
import type { Mail } from './mails.ts';

/** A way to send mails. */
export interface MailTransport {
  /** Rejects when the mail could not be sent. */
  send(mail: Mail): Promise<void>;
  close(): void;
}

export interface MailObserver {
  /** A mail was given up after several tries, or could not be written. `error` may contain the address. */
  mailFailed(error: unknown): void;
}

/** Writes a mail when it is due; null: there is no one to write to. */
export type WriteMail = () => Promise<Mail | null>;

/**
 * Delay between a response and its mail. The work for the mail then overlaps with other requests, so that the timing of
 * neither this response nor the next one reveals whether there was a mail.
 */
const MIN_DELAY_MS = 100;
const MAX_DELAY_MS = 600;
/** Delays before retries. Some servers refuse the first mail of an unknown sender and accept it a little later. */
const RETRY_AFTER_MS = [5_000, 60_000];
const MAX_WAITING = 10_000;
/** Mails sent at a time. */
const AT_ONCE = 2;
const MOST_DUE = 2_000;
const TURN = { withinMs: 600_000, refusal: () => new Error('too many mails are due') };

interface QueuedMail {
  readonly owner: string;
  readonly write: WriteMail;
  /** Resolves when the previously requested mail is written. */
  readonly turn: Promise<void>;
  readonly written: () => void;
  cancel: CancelTimer;
}

/**
 * Writes and sends mails after the response to their request. Mails are written in the order of the requests, since a
 * newer link voids the account's older ones, and sent by turns, so that nobody's mails keep those of others waiting.
 */
export class Mailer {
  readonly #transport: MailTransport;
  readonly #clock: Clock;
  readonly #observer: MailObserver;
  readonly #waiting = new Set<QueuedMail>();
  readonly #sending = new Set<Promise<void>>();
  /** Accounts share it, and strangers by network. */
  readonly turns: FairShare;
  readonly #closing = new AbortController();
  #lastWritten = Promise.resolve();

  constructor(transport: MailTransport, clock: Clock, observer: MailObserver) {
    this.#transport = transport;
    this.#clock = clock;
    this.#observer = observer;
    this.turns = new FairShare({ clock, total: AT_ONCE, each: AT_ONCE, mostWaiting: MOST_DUE });
  }

  /** Schedules a mail to be written and sent soon. `owner`: the account or the network that causes it. Never throws. */
  later(owner: string, write: WriteMail): void {
    if (this.#waiting.size >= MAX_WAITING) {
      this.#observer.mailFailed(new Error('too many mails are queued'));
      return;
    }
    const written = Promise.withResolvers<void>();
    const cancel = () => {};
    const mail: QueuedMail = { owner, write, turn: this.#lastWritten, written: written.resolve, cancel };
    this.#lastWritten = written.promise;
    this.#waiting.add(mail);
    mail.cancel = this.#clock.after(randomInt(MIN_DELAY_MS, MAX_DELAY_MS), () => this.#begin(mail));
  }

  /** Resolves when every due mail is sent or given up. */
  async settled(): Promise<void> {
    await Promise.all(this.#sending);
  }

  /** Sends all scheduled mails within `deadlineMs`, without retries. */
  async close(deadlineMs: number): Promise<void> {
    this.#closing.abort();
    for (const mail of [...this.#waiting]) {
      mail.cancel();
      this.#begin(mail);
    }
    const late = Promise.withResolvers<void>();
    const deadline = setTimeout(late.resolve, deadlineMs);
    await Promise.race([this.settled(), late.promise]);
    clearTimeout(deadline);
    this.#transport.close();
  }

  #begin(mail: QueuedMail): void {
    this.#waiting.delete(mail);
    const sending = this.#writeAndSend(mail)
      .catch((error: unknown) => this.#observer.mailFailed(error))
      .finally(() => this.#sending.delete(sending));
    this.#sending.add(sending);
  }

  async #write({ write, turn, written }: QueuedMail): Promise<Mail | null> {
    await turn;
    try {
      return await write();
    } finally {
      written();
    }
  }

  async #writeAndSend(waiting: QueuedMail): Promise<void> {
    const mail = await this.#write(waiting);
    if (mail === null) return;
    const { signal } = this.#closing;
    for (const retryAfterMs of RETRY_AFTER_MS) {
      try {
        return await this.#send(waiting.owner, mail);
      } catch (error) {
        if (signal.aborted || isFinal(error)) throw error;
      }
      await pause(this.#clock, retryAfterMs, signal);
    }
    await this.#send(waiting.owner, mail);
  }

  async #send(owner: string, mail: Mail): Promise<void> {
    await this.turns.run(owner, TURN, () => this.#transport.send(mail));
  }
}

/** Whether the server answered 5xx, which a retry would not change (RFC 5321, section 4.2.1). */
function isFinal(error: unknown): boolean {
  const { responseCode } = error as { responseCode?: unknown };
  return typeof responseCode === 'number' && responseCode >= 500;
}
