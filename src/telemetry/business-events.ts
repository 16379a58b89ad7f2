import { isDiskFull } from '../base/errors.ts';
import type { TurnMetrics } from '../base/speech.ts';
import type { Termination } from '../base/termination.ts';
import type { Clock } from '../base/time.ts';
import type { Loggers } from './loggers.ts';
import type { Metrics } from './metrics.ts';
import { RefusedRequests } from './refused-requests.ts';
import type { AnsweredRequest } from './request-times.ts';
import type { CountedSpeech, SpeechSource } from './speech-metrics.ts';

/** Facts reported with every event of a call. */
export interface CallFacts {
  readonly callId: string;
  readonly accountId: string;
  readonly platform: string;
  readonly direction: 'inbound' | 'outbound';
  /** The caller; personal data. */
  readonly caller: string;
  /** The called party as a URI; personal data. */
  readonly meetingUrl: string;
}

/** Whose a message is, without what it says or who wrote it. */
export interface MessageFacts {
  readonly platform: string;
  readonly accountId: string;
  readonly conversationId: string;
  readonly messageId: string;
}

/** Which budget, and how much of it is used. */
export interface BudgetFacts {
  readonly accountId: string;
  readonly agentId: string;
  readonly scope: string;
  readonly resource: string;
  readonly span: string;
  readonly percent: number;
}

/** Where another bot wrote. */
export type UnheardFacts = Pick<MessageFacts, 'platform' | 'accountId'> & { readonly id: string };

/**
 * Reports everything that an operator should know, one method per event, as a log line and metrics. Log lines about
 * calls are written in order in the next turn of the event loop: each takes a tenth of a millisecond, and callers
 * should not wait for that.
 */
export class BusinessEvents {
  readonly #loggers: Loggers;
  readonly #metrics: Metrics;
  readonly #refused: RefusedRequests;
  /** Log lines to be written in the next turn. */
  #waiting: (() => void)[] = [];

  constructor(loggers: Loggers, metrics: Metrics, clock: Clock) {
    this.#loggers = loggers;
    this.#metrics = metrics;
    this.#refused = new RefusedRequests(loggers.http, clock);
  }

  callStarted(call: CallFacts): void {
    this.#metrics.callStarted(call.platform, call.direction);
    const { caller, meetingUrl } = call;
    this.#later(() =>
      this.#loggers.calls.info({ ...named(call), personal: { caller, meetingUrl } }, 'call started'),
    );
  }

  /** Media flows in both directions, `setupMs` after the start. */
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
    else this.#later(() => calls.error(line, 'call ended by an internal error'));
  }

  /** The leg of a call threw an unexpected error. */
  legFailed(call: CallFacts, error: unknown): void {
    this.#loggers.calls.error({ ...named(call), err: error }, 'unexpected error of a leg');
  }

  /** The voice presets for a call could not be read, so it has no hosted speech. */
  presetsFailed(call: CallFacts, error: unknown): void {
    this.#loggers.calls.error({ ...named(call), err: error }, 'the voice presets could not be read');
  }

  /** Hosted speech has failed on a call. `words` are the provider's; for the kind `internal` they are the bug's. */
  speechFailed(call: CallFacts, source: SpeechSource, fault: { kind: string; words: string }): void {
    const { kind, words } = fault;
    this.#metrics.speech.failed(source, kind);
    this.#loggers.calls.warn({ ...named(call), ...source, kind, words }, 'hosted speech failed');
  }

  /** A provider of hosted speech is connected again. */
  speechReconnected(call: CallFacts, source: SpeechSource): void {
    this.#metrics.speech.reconnected(source);
    this.#loggers.calls.info({ ...named(call), ...source }, 'hosted speech is connected again');
  }

  /** What hosted speech used of its provider. */
  speechCounted({ service, provider }: SpeechSource, counted: CountedSpeech): void {
    if (service === 'tts') this.#metrics.speech.spoke(provider, counted);
    else this.#metrics.speech.heard(provider, counted);
  }

  /** The far end of a call has waited so long for an answer, in ms, and for each part of it. */
  turnMeasured(platform: string, turn: TurnMetrics): void {
    this.#metrics.turns.measured(platform, turn);
  }

  /** A call WebSocket sent its client a `call_error` with this code. */
  streamError(code: string): void {
    this.#metrics.streamError(code);
  }

  /** An account stores as much as it may. Reported once, until it has room again. */
  accountFull(accountId: string, bytes: number): void {
    this.#loggers.accounts.warn({ accountId, bytes }, 'an account is full: it can store nothing new');
  }

  /** Calls that were live when an earlier process ended. */
  callsLostByRestart(count: number): void {
    if (count > 0) this.#loggers.calls.warn({ count }, 'calls were lost in a restart');
  }

  /** 80 or 100 % of a budget are used. */
  budgetUsed(notice: BudgetFacts): void {
    this.#metrics.budgetUsed(notice.resource, notice.percent);
    this.#loggers.accounts.warn({ ...notice }, 'a budget is nearly or wholly used up');
  }

  /**
   * A record or a key's last use could not be written; service continues. A full disk is not reported here but once, by
   * `diskChanged`.
   */
  writeFailed(what: string, error: unknown): void {
    if (isDiskFull(error)) return;
    this.#loggers.main.error({ err: error, what }, 'a write to the database failed');
  }

  /** The disk is full, or (null) accepts writes again. */
  diskChanged(problem: string | null): void {
    if (problem === null) this.#loggers.main.info('the disk accepts writes again');
    else
      this.#loggers.main.error(
        { problem },
        'the disk is full: requests that must store something are refused',
      );
  }

  /** File descriptors are running short, or (null) are sufficient again. */
  descriptorsChanged(problem: string | null): void {
    if (problem === null) this.#loggers.main.info('enough file descriptors are free again');
    else
      this.#loggers.main.error({ problem }, 'file descriptors are running out: new connections are refused');
  }

  /** A user left feedback for the operator. The text is in the database. */
  feedbackGiven(feedback: {
    id: string;
    accountId: string;
    surface: string | null;
    provider: string | null;
  }): void {
    const { id: feedbackId, accountId, surface, provider } = feedback;
    this.#loggers.accounts.info(
      { feedbackId, accountId, personal: { surface, provider } },
      'feedback received',
    );
  }

  /** A request was answered. One line if it was refused; 500 has its own, and 499 was refused by nobody. */
  requestAnswered(answered: AnsweredRequest & { code: string | null; accountId: string | null }): void {
    this.#metrics.requestAnswered(answered);
    const { status } = answered;
    if (status >= 400 && status !== 499 && status !== 500) this.#refused.note(answered);
  }

  /** A network has as many connections as one may have. The line may come once a second. */
  networkFull(address: string): void {
    const text =
      'a network has as many connections as one may have: more are refused (SVC_NETWORK_CONNECTIONS)';
    this.#later(() => this.#loggers.http.warn({ personal: { address } }, text));
  }

  /** A person's message was stored. */
  messageReceived(message: MessageFacts): void {
    this.#later(() => this.#loggers.messaging.info(idsOf(message), 'message received'));
  }

  /** Another bot was not heard, because it has been answered too often. One line for the first message of an exchange. */
  botUnheard({ platform, accountId, id: conversationId }: UnheardFacts, isFirst: boolean): void {
    this.#metrics.messengerEvent(platform, 'bot_unheard');
    if (!isFirst) return;
    const line = { platform, accountId, conversationId };
    this.#later(() =>
      this.#loggers.messaging.warn(line, 'two bots answer each other: the other one is not heard'),
    );
  }

  /** Outcome of sending a direct message: `delivered`, `failed`, `unknown` or `waits`. */
  messageSettled(message: MessageFacts, result: string, lastedMs: number): void {
    this.#metrics.messageSettled(message.platform, result, lastedMs);
    const text = result === 'delivered' ? 'message sent' : 'message not sent';
    const line = { ...idsOf(message), result, lastedMs: Math.round(lastedMs) };
    this.#later(() => this.#loggers.messaging.info(line, text));
  }

  /** An account's bot is connected to its platform (`ok`), or not for a reason in the platform's words. */
  botChanged(platform: string, botId: string, status: string): void {
    if (status === 'ok') this.#loggers.messaging.info({ platform, botId }, 'bot connected');
    else this.#loggers.messaging.warn({ platform, botId, status }, 'bot not connected');
  }

  /** A connector threw an unexpected error. */
  messengerFailed(platform: string, error: unknown): void {
    this.#loggers.messaging.error({ err: error, platform }, 'unexpected error of a messenger');
  }

  /** A queue is full, and items were refused or dropped. */
  queueFull(queue: string, items = 1): void {
    this.#metrics.queueFull(queue, items);
  }

  /** Messages that an earlier process left unfinished. */
  messagesLeftByRestart(left: {
    readonly unknown: number;
    readonly resent: number;
    readonly failed: number;
  }): void {
    if (left.unknown + left.resent + left.failed > 0)
      this.#loggers.messaging.warn({ ...left }, 'messages were being sent when the gateway stopped');
  }

  accountDeleted(accountId: string): void {
    this.#loggers.accounts.info({ accountId }, 'an account was deleted');
  }

  /**
   * No SMTP server is configured, so the whole mail with its link is logged for people who are trying out the gateway.
   */
  mailSavedToFile({ to, subject, text }: { to: string; subject: string; text: string }, path: string): void {
    this.#loggers.accounts.warn(
      { path, personal: { to, subject, text } },
      'mail written to disk instead of being sent',
    );
  }

  /** Sending a mail failed for good. `error` may name the recipient. */
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

function idsOf({ platform, accountId, conversationId, messageId }: MessageFacts): MessageFacts {
  return { platform, accountId, conversationId, messageId };
}

function named(call: CallFacts): { callId: string; accountId: string; platform: string; direction: string } {
  const { callId, accountId, platform, direction } = call;
  return { callId, accountId, platform, direction };
}
