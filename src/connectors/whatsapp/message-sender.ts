import * as z from 'zod';
import { unreachable } from '../../base/assert.ts';
import type { Clock } from '../../base/time.ts';
import { pause } from '../../base/waits.ts';
import type { OutboundFile, OutboundMessage, SendOutcome } from '../contract/messenger.ts';
import type { GraphAnswer, GraphClient } from './graph-client.ts';
import { type GraphError, outcomeOf } from './graph-error.ts';
import { type MediaKind, mediaKindOf, plainMime, takesCaption } from './media-kind.ts';
import { recipientOf } from './person.ts';

const UNREACHABLE_MS = 2_000;
/** Longer names are refused. */
const FILENAME_LENGTH = 240;

const Sent = z.object({ messages: z.tuple([z.object({ id: z.string() })], z.unknown()) });
const Uploaded = z.object({ id: z.string() });

/** What makes a body a message of one type. */
export type Content = { readonly type: string } & Readonly<Record<string, unknown>>;

type Uploads = { readonly contents: readonly Content[] } | { readonly outcome: SendOutcome };

/** Sends messages over the Graph API, a message with several files in several parts. */
export class MessageSender {
  readonly #graph: GraphClient;
  readonly #clock: Clock;
  readonly #onError: (error: GraphError) => void;

  /** `onError` hears of every error that the API answers. */
  constructor(graph: GraphClient, clock: Clock, onError: (error: GraphError) => void) {
    this.#graph = graph;
    this.#clock = clock;
    this.#onError = onError;
  }

  /** All files are uploaded first, so that most of what can fail fails before anything is sent. */
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

  /** Sends one part; `messageId` is echoed in its statuses. */
  async sendContent(
    remoteId: string,
    content: Content,
    messageId: string | null,
    signal: AbortSignal,
  ): Promise<SendOutcome> {
    const body = {
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      ...recipientOf(remoteId),
      ...content,
      ...(messageId === null ? {} : { biz_opaque_callback_data: messageId }),
    };
    return this.#outcomeOf(await this.#graph.post(`${this.#graph.phoneNumberId}/messages`, body, signal));
  }

  /** Once a part has gone out the rest is not given up because of the pair rate, as long as there is time. */
  async #sendPart(
    { to, messageId }: OutboundMessage,
    content: Content,
    isBegun: boolean,
    signal: AbortSignal,
  ): Promise<SendOutcome> {
    for (;;) {
      const outcome = await this.sendContent(to.remoteId, content, messageId, signal);
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

  /** The id of the media; or why there is none: nothing has been sent yet, so all of it may be tried again. */
  async #upload(file: OutboundFile, signal: AbortSignal): Promise<string | SendOutcome> {
    const upload = {
      name: file.name,
      mime: plainMime(file.mime),
      sizeBytes: file.sizeBytes,
      open: () => file.open(),
    };
    const answer = await this.#graph.upload(upload, signal);
    const id = answer.kind === 'ok' ? Uploaded.safeParse(answer.body) : undefined;
    if (id?.success) return id.data.id;
    const outcome = this.#outcomeOf(answer);
    if (outcome.kind === 'refused') return { ...outcome, reason: `${file.name}: ${outcome.reason}` };
    return outcome.kind === 'unknown'
      ? { kind: 'later', reason: outcome.reason, afterMs: UNREACHABLE_MS }
      : outcome;
  }

  #outcomeOf(answer: GraphAnswer): SendOutcome {
    switch (answer.kind) {
      case 'ok': {
        const sent = Sent.safeParse(answer.body);
        return sent.success
          ? { kind: 'sent', platformMessageIds: [sent.data.messages[0].id] }
          : { kind: 'unknown', reason: 'the answer names no message', sentIds: [] };
      }
      case 'error':
        this.#onError(answer.error);
        return outcomeOf(answer.error);
      case 'unsent':
        return { kind: 'later', reason: answer.reason, afterMs: UNREACHABLE_MS };
      case 'unclear':
        return { kind: 'unknown', reason: answer.reason, sentIds: [] };
      default:
        return unreachable(answer);
    }
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
  const why = 'reason' in outcome ? outcome.reason : 'the person must write first';
  return { kind: 'unknown', reason: `only the first ${sentIds.length} parts were sent: ${why}`, sentIds };
}
