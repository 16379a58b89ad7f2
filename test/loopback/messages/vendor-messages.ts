import * as z from 'zod';
import { type Address, directAddress, type LoginRef } from '../../../src/base/address.ts';
import { platformJson } from '../../../src/base/platform-json.ts';
import type {
  InboundFile,
  InboundMessage,
  MessageIntake,
} from '../../../src/connectors/contract/messenger.ts';
import { contextFields, contextOf, reactionFields, reactionOf } from './context.ts';

/** What the vendor answers and says, as far as the connector reads it, and how the gateway takes it. */

/** Reads a message of a WebSocket or webhook. Null: it is not one of the vendor's. */
export function readMessage<T>(schema: z.ZodType<T>, message: Uint8Array | string): T | null {
  return schema.safeParse(platformJson(message)).data ?? null;
}

export const Me = z.object({ id: z.string(), name: z.string(), email: z.string().nullable() });

export const StoredFile = z.object({ id: z.string(), name: z.string(), mime: z.string(), size: z.int() });

export const SentMessage = z.object({ id: z.string() });

const Message = z.object({
  id: z.string(),
  space: z.object({ id: z.string(), kind: z.enum(['direct', 'channel']), name: z.string() }),
  thread: z.string().nullable(),
  author: z.object({ id: z.string(), name: z.string() }),
  text: z.string(),
  files: z.array(StoredFile),
  sent_at: z.iso.datetime(),
  ...contextFields,
});

type VendorMessage = z.output<typeof Message>;

/** Somebody wrote or edited a message, or has reacted to one. */
export const MessageEvent = z.discriminatedUnion('type', [
  z.object({ type: z.enum(['message', 'edited']), message: Message }),
  z.object({ type: z.literal('reaction'), message: Message, ...reactionFields }),
]);

export type MessageEvent = z.output<typeof MessageEvent>;

/** In a webhook. `verify`: the vendor asks whether the URL is ours. */
export const WebhookEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('verify'), challenge: z.string() }),
  ...MessageEvent.options,
]);

/**
 * Hands in what somebody has written or edited, as seen by one login. Resolves once it is stored, with whether it is a
 * new message.
 */
export async function takeMessage(
  intake: MessageIntake,
  login: LoginRef,
  event: MessageEvent,
): Promise<boolean> {
  const { type, message } = event;
  if (type === 'reaction') {
    await intake.reacted(
      addressOf(login, { ...message, author: event.author }),
      reactionOf(message.id, event),
    );
    return false;
  }
  if (type === 'message') return (await intake.received(inboundMessage(login, message))) === 'stored';
  await intake.edited(addressOf(login, message), message.id, message.text);
  return false;
}

function inboundMessage(login: LoginRef, message: VendorMessage): InboundMessage {
  const isChannel = message.space.kind === 'channel';
  return {
    from: addressOf(login, message),
    alias: null,
    remoteName: isChannel ? message.space.name : message.author.name,
    senderName: isChannel ? message.author.name : null,
    platformMessageId: message.id,
    text: message.text,
    sentAt: message.sent_at,
    files: message.files.map(inboundFile),
    ...contextOf(message),
  };
}

export function inboundFile({ id, name, mime, size }: z.output<typeof StoredFile>): InboundFile {
  return { name, mime, sizeBytes: size, ref: id };
}

export function addressOf(login: LoginRef, { space, thread, author }: VendorMessage): Address {
  if (space.kind === 'direct') return { ...directAddress(login, author.id), thread };
  return { login, space: { kind: 'channel', id: space.id }, thread, person: author.id };
}
