import { isDiskFull } from '../base/errors.ts';
import type { Termination } from '../base/termination.ts';
import type { Loggers } from './loggers.ts';
import type { Metrics } from './metrics.ts';

/** What is told of a call, whatever happens to it. */
export interface CallFacts {
  readonly callId: string;
  readonly accountId: string;
  readonly platform: string;
  readonly direction: 'inbound' | 'outbound';
  /** Who calls; personal. */
  readonly caller: string;
  /** Who is called, as a URI; personal. */
  readonly meetingUrl: string;
}

/**
 * Everything that a gateway's operator would want to be told of, one method an event: a log line and its numbers. Lines
 * about calls are written in the next turn of the event loop, in their order: each takes a tenth of a millisecond, for
 * which no caller need wait.
 */
export class BusinessEvents {
  readonly #loggers: Loggers;
  readonly #metrics: Metrics;
  /** Lines that wait for the next turn. */
  #waiting: (() => void)[] = [];

  constructor(loggers: Loggers, metrics: Metrics) {
    this.#loggers = loggers;
    this.#metrics = metrics;
  }

  callStarted(call: CallFacts): void {
    this.#metrics.callStarted(call.platform, call.direction);
    const { caller, meetingUrl } = call;
    this.#later(() =>
      this.#loggers.calls.info({ ...named(call), personal: { caller, meetingUrl } }, 'call started'),
    );
  }

  /** Media flows both ways, `setupMs` after the start. */
  callAnswered(call: CallFacts, setupMs: number): void {
    this.#metrics.callAnswered(call.platform, call.direction, setupMs);
    const line = { ...named(call), setupMs: Math.round(setupMs) };
    this.#later(() => this.#loggers.calls.info(line, 'call answered'));
  }

  callEnded(call: CallFacts, state: string, termination: Termination, lastedMs: number): void {
    this.#metrics.callEnded(call.platform, state, termination.result, lastedMs);
    const { result, reason } = termination;
    const line = { ...named(call), state, result, reason, lastedMs: Math.round(lastedMs) };
    const { calls } = this.#loggers;
    if (result !== 'internal_error') this.#later(() => calls.info(line, 'call ended'));
    else this.#later(() => calls.error(line, 'call ended by a fault of the gateway'));
  }

  /** What a call WebSocket told its client in a `call_error`, by its code. */
  streamError(code: string): void {
    this.#metrics.streamError(code);
  }

  /** Calls that an earlier process had left live. */
  callsLostByRestart(count: number): void {
    if (count > 0) this.#loggers.calls.warn({ count }, 'calls were lost by a restart');
  }

  /** A record or a key's last use could not be written; service goes on. That the disk is full is told once for all. */
  writeFailed(what: string, error: unknown): void {
    if (isDiskFull(error)) return;
    this.#loggers.main.error({ err: error, what }, 'a write to the database failed');
  }

  /** The disk is full, or (null) takes writes again. */
  diskChanged(problem: string | null): void {
    if (problem === null) this.#loggers.main.info('the disk takes writes again');
    else this.#loggers.main.error({ problem }, 'the disk is full: what must be stored is refused');
  }

  /** File descriptors run short, or (null) there are enough again. */
  descriptorsChanged(problem: string | null): void {
    if (problem === null) this.#loggers.main.info('there are file descriptors again');
    else this.#loggers.main.error({ problem }, 'file descriptors run short: new connections are turned away');
  }

  /** Somebody has something to say to the operator; the database has the words. */
  feedbackGiven(feedback: {
    id: string;
    accountId: string;
    surface: string | null;
    provider: string | null;
  }): void {
    const { id: feedbackId, accountId, surface, provider } = feedback;
    this.#loggers.accounts.info(
      { feedbackId, accountId, personal: { surface, provider } },
      'feedback was given',
    );
  }

  /** How sending a direct message ended: `delivered`, `failed`, `unknown` or `waits`. */
  messageSettled(platform: string, result: string, lastedMs: number): void {
    this.#metrics.messageSettled(platform, result, lastedMs);
  }

  /** A connector threw where it may not. */
  messengerFailed(platform: string, error: unknown): void {
    this.#loggers.messaging.error({ err: error, platform }, 'a messenger failed');
  }

  /** Too much waits; the rest was turned away or left out. */
  queueFull(queue: string): void {
    this.#metrics.queueFull(queue);
  }

  /** Messages that an earlier process had under way. */
  messagesLeftByRestart(left: {
    readonly unknown: number;
    readonly resent: number;
    readonly failed: number;
  }): void {
    if (left.unknown + left.resent + left.failed > 0)
      this.#loggers.messaging.warn({ ...left }, 'messages were under way when the gateway ended');
  }

  accountDeleted(accountId: string): void {
    this.#loggers.accounts.info({ accountId }, 'an account was deleted');
  }

  /** No SMTP server is set: the whole mail, its link too, for whoever tries the gateway out. */
  mailKept(mail: { to: string; subject: string; text: string }, path: string): void {
    const { to, subject, text } = mail;
    this.#loggers.accounts.warn({ path, personal: { to, subject, text } }, 'a mail was kept, not sent');
  }

  /** A mail was given up; `error` may name its reader. */
  mailFailed(error: unknown): void {
    const { message, code } = error as { message?: unknown; code?: unknown };
    this.#loggers.accounts.error({ code, personal: { message } }, 'a mail could not be sent');
  }

  #later(write: () => void): void {
    if (this.#waiting.push(write) === 1) setImmediate(() => this.#writeAll());
  }

  #writeAll(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const write of waiting) write();
  }
}

function named(call: CallFacts): { callId: string; accountId: string; platform: string; direction: string } {
  const { callId, accountId, platform, direction } = call;
  return { callId, accountId, platform, direction };
}
