import { randomUUID } from 'node:crypto';
import { GatewayError } from '../../../base/errors.ts';
import type {
  ChatOutcome,
  InboundChat,
  OutboundChat,
  SendsChat,
  ShowsCallTyping,
} from '../../contract/call-leg.ts';
import type { VoiceSignaling } from '../gateway/voice-signaling.ts';
import { filesOf, textOf } from '../messages/message-content.ts';
import { type Message, personName } from '../objects.ts';

/** What may be written in the chat of a call, and who is read. */
export interface ChatRules {
  readonly checkText: SendsChat['checkText'];
  /** Whether the agent reads what other bots write. */
  readonly hearsBots: boolean;
}

/** The text chat of the voice channel that the bot is in. */
export class VoiceChat implements SendsChat, ShowsCallTyping {
  readonly checkText: SendsChat['checkText'];
  readonly #signaling: VoiceSignaling;
  readonly #hearsBots: boolean;
  readonly #channelId: () => string;

  constructor(signaling: VoiceSignaling, { checkText, hearsBots }: ChatRules, channelId: () => string) {
    this.checkText = checkText;
    this.#signaling = signaling;
    this.#hearsBots = hearsBots;
    this.#channelId = channelId;
  }

  async send({ text, files }: OutboundChat, signal: AbortSignal): Promise<ChatOutcome> {
    this.#checkSession();
    const message = { messageId: randomUUID(), text, attachments: files };
    const outcome = await this.#signaling.rest.sendMessage(this.#channelId(), message, signal);
    if (outcome.kind === 'sent') return { kind: 'sent' };
    const reason = 'reason' in outcome ? outcome.reason : '';
    // A call has no queue: "later" means that Discord has not taken it.
    return { kind: outcome.kind === 'unknown' ? 'unknown' : 'refused', reason };
  }

  async showTyping(signal: AbortSignal): Promise<void> {
    this.#checkSession();
    await this.#signaling.rest.showTyping(this.#channelId(), signal);
  }

  /** Reads a message of the chat; null: it is not for the agent. */
  read(message: Message): InboundChat | null {
    const { author, webhook_id: webhookId, member, id, timestamp } = message;
    if (webhookId !== undefined || !this.#isHeard(author)) return null;
    const text = textOf(message, this.#signaling.botUserId);
    const files = filesOf(message);
    if (text === '' && files.length === 0) return null;
    return { id, sender: member?.nick || personName(author), text, sentAt: timestamp, files };
  }

  #isHeard({ id, bot }: Message['author']): boolean {
    return id !== this.#signaling.botUserId && (this.#hearsBots || bot !== true);
  }

  #checkSession(): void {
    if (!this.#signaling.isUp) throw new GatewayError('platform_not_connected');
  }
}
