import { randomInt } from 'node:crypto';
import type { CancelTimer, Clock } from '../../base/time.ts';
import type { Mail } from './mails.ts';

/** How mails leave the gateway. */
export interface MailTransport {
  /** Rejects when the mail did not get out. */
  send(mail: Mail): Promise<void>;
  close(): void;
}

export interface MailObserver {
  /** Given up after several tries, or never written; `error` may name the address. */
  mailFailed(error: unknown): void;
}

/** Writes a mail when its time has come; null: there is nobody to write to. */
export type WriteMail = () => Promise<Mail | null>;

/**
 * Between an answer and the mail that follows it. The mail's work falls into other requests' time, so that neither
 * this answer nor the next tells by its time whether there was a mail at all.
 */
const MIN_DELAY_MS = 100;
const MAX_DELAY_MS = 600;
/** Servers refuse a stranger's first mail now and then, and take it a little later. */
const RETRY_AFTER_MS = [5_000, 60_000];
const MAX_WAITING = 10_000;

interface WaitingMail {
  readonly write: WriteMail;
  /** Settled when the mail asked for before this one is written. */
  readonly turn: Promise<void>;
  readonly written: () => void;
  cancel: CancelTimer;
}

/**
 * Writes and sends mails after the request that they belong to was answered. They are written in the order in which
 * they were asked for, since a newer link voids the older ones of its account; they are sent side by side.
 */
export class Mailer {
  readonly #transport: MailTransport;
  readonly #clock: Clock;
  readonly #observer: MailObserver;
  readonly #waiting = new Set<WaitingMail>();
  readonly #sending = new Set<Promise<void>>();
  readonly #pauses = new Set<() => void>();
  #lastWritten = Promise.resolve();
  #closing = false;

  constructor(transport: MailTransport, clock: Clock, observer: MailObserver) {
    this.#transport = transport;
    this.#clock = clock;
    this.#observer = observer;
  }

  /** Writes a mail soon, and sends it. Never throws. */
  later(write: WriteMail): void {
    if (this.#waiting.size >= MAX_WAITING) {
      this.#observer.mailFailed(new Error('too many mails wait'));
      return;
    }
    const written = Promise.withResolvers<void>();
    const mail: WaitingMail = { write, turn: this.#lastWritten, written: written.resolve, cancel: () => {} };
    this.#lastWritten = written.promise;
    this.#waiting.add(mail);
    mail.cancel = this.#clock.after(randomInt(MIN_DELAY_MS, MAX_DELAY_MS), () => this.#begin(mail));
  }

  /** Resolves when every mail whose time has come is sent or given up. */
  async settled(): Promise<void> {
    await Promise.all(this.#sending);
  }

  /** Sends what waits, each mail once, within `deadlineMs`. */
  async close(deadlineMs: number): Promise<void> {
    this.#closing = true;
    for (const resume of this.#pauses) resume();
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

  #begin(mail: WaitingMail): void {
    this.#waiting.delete(mail);
    const sending = this.#writeAndSend(mail)
      .catch((error: unknown) => this.#observer.mailFailed(error))
      .finally(() => this.#sending.delete(sending));
    this.#sending.add(sending);
  }

  async #write({ write, turn, written }: WaitingMail): Promise<Mail | null> {
    await turn;
    try {
      return await write();
    } finally {
      written();
    }
  }

  async #writeAndSend(waiting: WaitingMail): Promise<void> {
    const mail = await this.#write(waiting);
    if (mail === null) return;
    for (const retryAfterMs of RETRY_AFTER_MS) {
      try {
        return await this.#transport.send(mail);
      } catch (error) {
        if (this.#closing || isFinal(error)) throw error;
      }
      await this.#pause(retryAfterMs);
    }
    await this.#transport.send(mail);
  }

  /** Ends early when the gateway closes. */
  #pause(durationMs: number): Promise<void> {
    if (this.#closing) return Promise.resolve();
    return new Promise((resolve) => {
      const resume = () => {
        cancel();
        this.#pauses.delete(resume);
        resolve();
      };
      const cancel = this.#clock.after(durationMs, resume);
      this.#pauses.add(resume);
    });
  }
}

/** A server that says 5xx will say so again (RFC 5321, section 4.2.1). */
function isFinal(error: unknown): boolean {
  const { responseCode } = error as { responseCode?: unknown };
  return typeof responseCode === 'number' && responseCode >= 500;
}
