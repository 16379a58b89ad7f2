import { MAX_INBOUND_FILES, withAttachmentStubs, withinFileLimit } from '../base/attachment-stubs.ts';
import { cutText } from '../base/cut-text.ts';
import { LimitedMap } from '../base/limited-map.ts';
import type { InboundChat } from '../connectors/contract/call-leg.ts';
import type { InboundFile } from '../connectors/contract/messenger.ts';
import type { ChatEvent, ChatFile } from './call-event.ts';

/** Longest text and sender kept, in characters. */
const MAX_TEXT = 65_536;
const MAX_SENDER = 256;
/** Ids of this many messages are remembered, to ignore repetitions. */
const MAX_IDS = 2_048;
const MAX_ID = 256;
/**
 * Limit of messages waiting to be stored, in characters. A message counts at least 1,000 and each of its files 1,000, so
 * at most 1,048 wait.
 */
const MAX_PENDING = 1_048_576;
const MIN_COST = 1_000;

/** The files of a message that could be kept, in order, and the number of those that are too large. */
export interface KeptChatFiles {
  readonly files: readonly ChatFile[];
  readonly tooLarge: number;
}

/** What a call's chat needs of the domain. */
export interface InboundChatDeps {
  /** Keeps the files of one message. */
  readonly keepFiles: (files: readonly InboundFile[]) => Promise<KeptChatFiles>;
  /** Resolves once everything published so far is stored. */
  readonly stored: () => Promise<void>;
  /** A message was dropped, because too many wait. */
  readonly onDropped: () => void;
  /** The files of a message could not be kept. Its text is published without them. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * What others write in a meeting's chat: each message once, in order, and no faster than the database takes them. A
 * flood is dropped beyond 1 MB of waiting text, so that it costs this call its chat and others nothing.
 */
export class InboundChatQueue {
  readonly #deps: InboundChatDeps;
  readonly #publish: (event: ChatEvent) => void;
  readonly #ids = new LimitedMap<true>(MAX_IDS);
  readonly #pending: InboundChat[] = [];
  #pendingCost = 0;
  #isBusy = false;

  constructor(deps: InboundChatDeps, publish: (event: ChatEvent) => void) {
    this.#deps = deps;
    this.#publish = publish;
  }

  add(message: InboundChat): void {
    const id = cutText(message.id, MAX_ID);
    if (this.#ids.get(id)) return;
    const text = cutText(message.text, MAX_TEXT);
    const taken = { ...message, text, files: message.files.slice(0, MAX_INBOUND_FILES + 1) };
    const cost = costOf(taken);
    if (this.#pendingCost + cost > MAX_PENDING) return this.#deps.onDropped();
    this.#ids.set(id, true);
    this.#pendingCost += cost;
    this.#pending.push(taken);
    if (!this.#isBusy) void this.#work();
  }

  async #work(): Promise<void> {
    this.#isBusy = true;
    try {
      for (let message = this.#pending.shift(); message; message = this.#pending.shift()) {
        this.#pendingCost -= costOf(message);
        this.#publish(await this.#eventOf(message));
        await this.#deps.stored();
      }
    } finally {
      this.#isBusy = false;
    }
  }

  async #eventOf({ sender, text, sentAt, files }: InboundChat): Promise<ChatEvent> {
    const kept = files.length === 0 ? NO_FILES : await this.#keep(files);
    return {
      type: 'call_chat',
      sender: cutText(sender, MAX_SENDER),
      text: withAttachmentStubs(text, kept.tooLarge),
      sentAt,
      files: kept.files,
    };
  }

  async #keep(files: readonly InboundFile[]): Promise<KeptChatFiles> {
    try {
      const limited = withinFileLimit(files);
      const kept = await this.#deps.keepFiles(limited.kept);
      return { ...kept, tooLarge: kept.tooLarge + limited.stubs };
    } catch (error) {
      this.#deps.onFailure(error);
      return NO_FILES;
    }
  }
}

const NO_FILES: KeptChatFiles = { files: [], tooLarge: 0 };

function costOf({ text, files }: InboundChat): number {
  return Math.max(MIN_COST, text.length) + files.length * MIN_COST;
}
