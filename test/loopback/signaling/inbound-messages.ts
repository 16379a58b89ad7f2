import { type Address, directAddress } from '../../../src/base/address.ts';
import type { LoginRef } from '../../../src/base/login-ref.ts';
import type { InboundMessage, MessageIntake } from '../../../src/connectors/contract/messenger.ts';
import { inboundFile } from './loopback-api.ts';
import type { VendorMessage } from './vendor-messages.ts';

/**
 * Hands in what somebody has written or edited, as seen by one login. Resolves once it is stored, with whether it is a
 * new message.
 */
export async function takeMessage(
  intake: MessageIntake,
  login: LoginRef,
  type: 'message' | 'edited',
  message: VendorMessage,
): Promise<boolean> {
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
  };
}

export function addressOf(login: LoginRef, { space, thread, author }: VendorMessage): Address {
  if (space.kind === 'direct') return { ...directAddress(login, author.id), thread };
  return { login, space: { kind: 'channel', id: space.id }, thread, person: author.id };
}
