import type { Clock } from '../../base/time.ts';
import { pause } from '../../base/waits.ts';
import type { OutboundFile, OutboundMessage, Remedy, SendOutcome } from '../contract/messenger.ts';
import { type PlatformFailure, platformFailure } from '../kit/platform-failure.ts';
import { type GraphClient, isWindowClosed } from './client.ts';
import { type MediaKind, mediaKindOf, plainMime, takesCaption } from './media-kind.ts';

const UNREACHABLE_MS = 2_000;
/** WhatsApp rejects longer file names. */
const FILENAME_LENGTH = 240;

/** See the identifiers of people in `inbound-message`. */
const BUSINESS_SCOPED_ID = /^[A-Z]{2}\.(?:ENT\.)?[A-Za-z0-9]{1,128}$/;

/** The type-specific part of a message body. */
export type Content = { readonly type: string } & Readonly<Record<string, unknown>>;

type Uploads = { readonly contents: readonly Content[] } | { readonly outcome: SendOutcome };

/** Sends messages over the Graph API. A message with several files is sent in several parts. */
export class MessageSender {
  readonly #graph: GraphClient;
  readonly #clock: Clock;
  readonly #onError: (failure: PlatformFailure) => void;

  /** `onError` is called with every error that the API answers. */
  constructor(graph: GraphClient, clock: Clock, onError: (failure: PlatformFailure) => void) {
    this.#graph = graph;
    this.#clock = clock;
    this.#onError = onError;
  }

  /** Sends a message. All files are uploaded first, so most failures happen before anything is sent. */
  async send(message: OutboundMessage, signal: AbortSignal): Promise<SendOutcome> {
    const prepared = await this.#prepare(message, signal);
    if ('outcome' in prepared) return prepared.outcome;
    const sentIds: string[] = [];
    for (const content of prepared.contents) {
      const outcome = await this.#sendPart(message, content, sentIds.length > 0, signal);
      if (outcome.kind !== 'sent') return sentIds.length === 0 ? outcome : inPart(outcome, sentIds);
      sentIds.push(...outcome.platformMessageIds);
    }
    return { kind: 'sent', platformMessageIds: sentIds };
  }

  /** Sends one part. Its statuses echo `messageId`. */
  async sendContent(
    remoteId: string,
    content: Content,
    messageId: string | null,
    signal: AbortSignal,
  ): Promise<SendOutcome> {
    const body = {
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      ...(BUSINESS_SCOPED_ID.test(remoteId) ? { recipient: remoteId } : { to: remoteId }),
      ...content,
      ...(messageId === null ? {} : { biz_opaque_callback_data: messageId }),
    };
    try {
      return { kind: 'sent', platformMessageIds: [await this.#graph.send(body, signal)] };
    } catch (error) {
      return this.#outcomeOf(error);
    }
  }

  /**
   * Sends one part. After the first part, rate limits and other temporary failures are waited out until `signal`
   * aborts.
   */
  async #sendPart(
    { to, messageId }: OutboundMessage,
    content: Content,
    isBegun: boolean,
    signal: AbortSignal,
  ): Promise<SendOutcome> {
    for (;;) {
      const outcome = await this.sendContent(to.space.id, content, messageId, signal);
      if (outcome.kind !== 'later' || !isBegun) return outcome;
      await pause(this.#clock, outcome.afterMs, signal);
      if (signal.aborted) return outcome;
    }
  }

  async #prepare({ text, attachments }: OutboundMessage, signal: AbortSignal): Promise<Uploads> {
    if (attachments.length === 0) return { contents: [{ type: 'text', text: { body: text } }] };
    const contents: Content[] = [];
    for (const [position, file] of attachments.entries()) {
      const caption = position === 0 ? text : '';
      const kind = await mediaKindOf(file, caption !== '');
      const uploaded = await this.#upload(file, signal);
      if (typeof uploaded !== 'string') return { outcome: uploaded };
      contents.push(mediaContent(kind, uploaded, file.name, caption));
    }
    return { contents };
  }

  /**
   * Uploads a file and returns its media id, or the outcome of the failure. Nothing has been sent yet, so the whole
   * message can be retried.
   */
  async #upload(file: OutboundFile, signal: AbortSignal): Promise<string | SendOutcome> {
    const upload = {
      name: file.name,
      mime: plainMime(file.mime),
      sizeBytes: file.sizeBytes,
      open: () => file.open(),
    };
    try {
      return await this.#graph.upload(upload, signal);
    } catch (error) {
      const outcome = this.#outcomeOf(error);
      if (outcome.kind === 'refused') return { ...outcome, reason: `${file.name}: ${outcome.reason}` };
      return outcome.kind === 'unknown'
        ? { kind: 'later', reason: outcome.reason, afterMs: UNREACHABLE_MS }
        : outcome;
    }
  }

  #outcomeOf(error: unknown): SendOutcome {
    const failure = platformFailure('WhatsApp', error);
    const { kind, status, code, message: reason, afterMs } = failure;
    if (status !== 0) this.#onError(failure);
    if (isWindowClosed(code)) return { kind: 'window_closed' };
    if (kind === 'refused') return { kind, reason, isAddressGone: false };
    if (kind === 'unclear') return { kind: 'unknown', reason, sentIds: [] };
    return { kind: 'later', reason, afterMs: kind === 'later' ? afterMs : UNREACHABLE_MS };
  }
}

function mediaContent(kind: MediaKind, id: string, name: string, caption: string): Content {
  const type = kind === 'voice' ? 'audio' : kind;
  const media = {
    id,
    ...(takesCaption(kind) && caption !== '' ? { caption } : {}),
    ...(kind === 'voice' ? { voice: true } : {}),
    ...(kind === 'document' ? { filename: name.slice(0, FILENAME_LENGTH) } : {}),
  };
  return { type, [type]: media };
}

function inPart(outcome: SendOutcome, sentIds: readonly string[]): SendOutcome {
  const why = 'reason' in outcome ? outcome.reason : 'the recipient must write first';
  return { kind: 'unknown', reason: `only the first ${sentIds.length} parts were sent: ${why}`, sentIds };
}

/** Failures that people can solve (https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes). */
export const WHATSAPP_REMEDIES: readonly Remedy[] = [
  {
    words: /24-hour window|131047/,
    suggestion: 'Send the WhatsApp number a message: for 24 hours after it, messages to you arrive.',
  },
  {
    words: /131026/,
    suggestion:
      'Check that the number uses a current WhatsApp and has accepted its terms, and that it has not blocked the sender.',
  },
];
