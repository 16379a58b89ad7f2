import type { Address } from '../../../src/connectors/contract/address.ts';
import type { OutboundMessage, SendOutcome } from '../../../src/connectors/contract/messenger.ts';
import { type LoopbackApi, LoopbackRefusal } from './loopback-api.ts';
import { uploadFiles } from './vendor-files.ts';
import { SentMessage } from './vendor-messages.ts';

/** Sends one message over a login. */
export async function sendMessage(
  api: LoopbackApi,
  { messageId, to, text, attachments }: OutboundMessage,
  signal: AbortSignal,
): Promise<SendOutcome> {
  try {
    const files = await uploadFiles(api, attachments, signal);
    const body = { text, thread: to.thread, files, nonce: messageId };
    const request = { method: 'POST', path: `${spacePath(to)}/messages`, body } as const;
    const { id } = await api.call(request, SentMessage, signal);
    return { kind: 'sent', platformMessageIds: [id] };
  } catch (error) {
    return outcomeOf(error as Error);
  }
}

/** The vendor's path of a space. A direct conversation is named by the person. */
export function spacePath({ space }: Address): string {
  return `${space.kind === 'direct' ? 'people' : 'spaces'}/${encodeURIComponent(space.id)}`;
}

function outcomeOf(error: Error): SendOutcome {
  const reason = error.message;
  if (!(error instanceof LoopbackRefusal)) return { kind: 'unknown', reason, sentIds: [] };
  if (error.retryAfterMs !== null) return { kind: 'later', reason, afterMs: error.retryAfterMs };
  return { kind: 'refused', reason, isAddressGone: error.code === 'space_not_found' };
}
