import type { Address } from '../../src/base/address.ts';
import { GatewayError } from '../../src/base/errors.ts';
import type { Platform } from '../../src/base/platform.ts';
import type {
  FetchesFiles,
  Messenger,
  OutboundMessage,
  Remedy,
  SendOutcome,
  ShowsTyping,
} from '../../src/connectors/contract/messenger.ts';

/** What a platform does with one message: answers so, or decides when it gets it. */
export type Answer = SendOutcome | ((message: OutboundMessage, signal: AbortSignal) => Promise<SendOutcome>);

/** A platform within the test's process that takes every message, unless it is told otherwise. */
export class FakeMessenger implements Messenger, ShowsTyping, FetchesFiles {
  readonly platform: Platform;
  readonly typingRepeatMs = 4_000;
  readonly typing: ShowsTyping = this;
  readonly files?: FetchesFiles;
  maxLength = 4_096;
  remedies: readonly Remedy[] = [];
  /** Every message that it was asked to send, as often as it was. */
  readonly asked: OutboundMessage[] = [];
  /** Those that it took, in order. */
  readonly taken: OutboundMessage[] = [];
  readonly typingTo: Address[] = [];
  /** How sending ends once no more answers are prepared. */
  otherwise: Answer = { kind: 'sent', platformMessageIds: [] };
  readonly #answers: Answer[] = [];
  #serial = 0;

  constructor(platform: Platform = 'telegram', supportsFiles = true) {
    this.platform = platform;
    if (supportsFiles) this.files = this;
  }

  /** Prepares what is answered to the next messages, one each. */
  will(...answers: Answer[]): void {
    this.#answers.push(...answers);
  }

  /** Lets the next message wait until the returned function is called. */
  hold(): () => void {
    const gate = Promise.withResolvers<void>();
    this.will(async () => {
      await gate.promise;
      return { kind: 'sent', platformMessageIds: [] };
    });
    return gate.resolve;
  }

  /** What people read, in order. */
  get texts(): string[] {
    return this.taken.map(({ text }) => text);
  }

  onMessages(): void {}

  get maxText(): number {
    return this.maxLength;
  }

  checkText(text: string, isCaption: boolean): void {
    const most = isCaption ? this.maxLength / 4 : this.maxLength;
    if (text.length > most) throw new GatewayError('send_failed', 'Failed to send message: too long');
  }

  async send(message: OutboundMessage, signal: AbortSignal): Promise<SendOutcome> {
    this.asked.push(message);
    const answer = this.#answers.shift() ?? this.otherwise;
    const outcome = typeof answer === 'function' ? await answer(message, signal) : answer;
    if (outcome.kind !== 'sent') return outcome;
    this.taken.push(message);
    const { platformMessageIds } = outcome;
    return platformMessageIds.length > 0
      ? outcome
      : { kind: 'sent', platformMessageIds: [`${++this.#serial}`] };
  }

  async showTyping(to: Address): Promise<void> {
    this.typingTo.push(to);
  }

  async fetchFile(): Promise<AsyncIterable<Uint8Array>> {
    throw new GatewayError('file_gone');
  }
}

/** Does not answer until it is stopped; then the outcome is unknown. */
export const SILENT: Answer = async (_message, signal) => {
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  return { kind: 'unknown', reason: 'no answer', sentIds: [] };
};

/** Neither answers nor stops. */
export const DEAD: Answer = () => new Promise(() => {});
