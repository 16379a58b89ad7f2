import { randomUUID } from 'node:crypto';
import { GatewayError } from '../../../base/errors.ts';
import type { InboundChat, SendsChat, ShowsCallTyping } from '../../contract/call-leg.ts';
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
export interface VoiceChat extends SendsChat, ShowsCallTyping {
  /** Reads a message of the chat; null: it is not for the agent. */
  read(message: Message): InboundChat | null;
}

export function voiceChat(
  signaling: VoiceSignaling,
  { checkText, hearsBots }: ChatRules,
  channelId: () => string,
): VoiceChat {
  const checkSession = (): void => {
    if (!signaling.isUp) throw new GatewayError('platform_not_connected');
  };
  return {
    checkText,
    async send({ text, files }, signal) {
      checkSession();
      const message = { messageId: randomUUID(), text, attachments: files };
      const outcome = await signaling.rest.sendMessage(channelId(), message, signal);
      if (outcome.kind === 'sent') return { kind: 'sent' };
      const reason = 'reason' in outcome ? outcome.reason : '';
      // A call has no queue: "later" means that Discord has not taken it.
      return { kind: outcome.kind === 'unknown' ? 'unknown' : 'refused', reason };
    },
    async showTyping(signal) {
      checkSession();
      await signaling.rest.showTyping(channelId(), signal);
    },
    read(message) {
      const { author, webhook_id: webhookId, member, id, timestamp } = message;
      const isHeard = author.id !== signaling.botUserId && (hearsBots || author.bot !== true);
      if (webhookId !== undefined || !isHeard) return null;
      const text = textOf(message, signaling.botUserId);
      const files = filesOf(message);
      if (text === '' && files.length === 0) return null;
      return { id, sender: member?.nick || personName(author), text, sentAt: timestamp, files };
    },
  };
}
