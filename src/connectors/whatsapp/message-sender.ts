import type { Clock } from '../../base/time.ts';
import type { OutboundFile, OutboundMessage, Remedy, SendOutcome } from '../contract/messenger.ts';
import { PlatformFailure, platformFailure } from '../kit/platform-failure.ts';
import { outcomeOf, type SendRules, sendParts } from '../kit/sending.ts';
import { type GraphClient, isWindowClosed } from './client.ts';
import { toWhatsApp } from './formatting.ts';
import { type MediaKind, mediaKindOf, plainMime, takesCaption } from './media-kind.ts';

const RULES: SendRules = { retryMs: 2_000 };
/** WhatsApp rejects longer file names. */
const FILENAME_LENGTH = 240;

/** See the identifiers of people in `inbound-message`. */
const BUSINESS_SCOPED_ID = /^[A-Z]{2}\.(?:ENT\.)?[A-Za-z0-9]{1,128}$/;

/** The type-specific part of a message body. */
export type Content = { readonly type: string } & Readonly<Record<string, unknown>>;

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
    const { to, messageId } = message;
    try {
      return await this.sendContents(to.space.id, await this.#prepare(message, signal), messageId, signal);
    } catch (error) {
      const failure = platformFailure('WhatsApp', error);
      return isWindowClosed(failure.code) ? { kind: 'window_closed' } : outcomeOf(failure, [], RULES, false);
    }
  }

  /** Sends the parts of a message. Their statuses echo `messageId`. */
  async sendContents(
    remoteId: string,
    contents: readonly Content[],
    messageId: string | null,
    signal: AbortSignal,
  ): Promise<SendOutcome> {
    return await sendParts({
      parts: contents,
      send: async (content) => {
        const body = {
          messaging_product: 'whatsapp',
          recipient_type: 'individual',
          ...(BUSINESS_SCOPED_ID.test(remoteId) ? { recipient: remoteId } : { to: remoteId }),
          ...content,
          ...(messageId === null ? {} : { biz_opaque_callback_data: messageId }),
        };
        return [await this.#reported(this.#graph.send(body, signal))];
      },
      patience: { clock: this.#clock, signal, ...RULES },
      failed: (error, sentIds) => {
        const failure = platformFailure('WhatsApp', error);
        const isClosed = isWindowClosed(failure.code);
        if (sentIds.length === 0)
          return isClosed ? { kind: 'window_closed' } : outcomeOf(failure, sentIds, RULES);
        const why = isClosed ? 'the recipient must write first' : failure.message;
        const reason = `only the first ${sentIds.length} parts were sent: ${why}`;
        return { kind: 'unknown', reason, sentIds };
      },
    });
  }

  async #prepare({ text, attachments }: OutboundMessage, signal: AbortSignal): Promise<Content[]> {
    if (attachments.length === 0) return [{ type: 'text', text: { body: toWhatsApp(text) } }];
    const contents: Content[] = [];
    for (const [position, file] of attachments.entries()) {
      const caption = position === 0 ? toWhatsApp(text) : '';
      const kind = await mediaKindOf(file, caption !== '');
      contents.push(mediaContent(kind, await this.#upload(file, signal), file.name, caption));
    }
    return contents;
  }

  /** Uploads a file and returns its media id. */
  async #upload(file: OutboundFile, signal: AbortSignal): Promise<string> {
    const { name, mime, sizeBytes } = file;
    const upload = { name, mime: plainMime(mime), sizeBytes, open: () => file.open() };
    return await this.#reported(this.#graph.upload(upload, signal)).catch((error: unknown) => {
      const failure = platformFailure('WhatsApp', error);
      if (failure.kind !== 'refused') throw failure;
      throw new PlatformFailure('refused', `${name}: ${failure.message}`, failure);
    });
  }

  /** Reports an error that the API has answered. */
  async #reported<T>(request: Promise<T>): Promise<T> {
    return await request.catch((error: unknown) => {
      const failure = platformFailure('WhatsApp', error);
      if (failure.status !== 0) this.#onError(failure);
      throw failure;
    });
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
