import { sendChat } from '../../calls/chat.ts';
import type { AttachmentSource } from '../../files/resolve-attachments.ts';
import { sendDm } from '../../messaging/outbox/send-dm.ts';
import type { FileAction } from '../reply/action.ts';
import { type OneAction, Refused, writerOf } from './action-context.ts';

/** How long files of a call's chat may take to be fetched. */
const FILES_MS = 25_000;

/** Writes to the conversation of the turn, or to the chat of its call. */
export async function write(context: OneAction, text: string): Promise<void> {
  await send(context, text, []);
}

/** Sends a file there. */
export async function sendFile(context: OneAction, { source, caption }: FileAction): Promise<void> {
  await send(context, caption, [attachmentOf(source)]);
}

async function send(
  context: OneAction,
  text: string,
  attachments: readonly AttachmentSource[],
): Promise<void> {
  const { domain, scope, place } = context;
  if (place.kind === 'test') throw new Refused('A test has no conversation');
  if (place.kind === 'call') {
    const resolve = () =>
      domain.outbound.resolveFiles(scope.accountId, attachments, AbortSignal.timeout(FILES_MS));
    const files = attachments.length === 0 ? null : resolve;
    return await sendChat(domain.calls, scope, place.callId, { text, senderName: '', files });
  }
  const { platform, conversationId } = place;
  const request = { platform, text, keepTyping: false, attachments, conversationId, peer: '', task: '' };
  await sendDm(domain.outbound, writerOf(context), request);
}

/** Web addresses are checked when they are fetched; here only that nobody can read the file on its way. */
function attachmentOf(source: FileAction['source']): AttachmentSource {
  if ('fileId' in source) return source;
  if ('text' in source) return { bytes: Buffer.from(source.text), name: source.name, mime: null };
  if (!source.url.startsWith('https://')) throw new Refused('Files are fetched only from https addresses');
  return { url: source.url, name: null, mime: null };
}
