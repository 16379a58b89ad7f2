import type { CallDomain } from '../../calls/call-domain.ts';
import { type ChatDraft, sendChat, showTyping } from '../../calls/chat.ts';
import type { FileDomain } from '../../files/file-domain.ts';
import { resolveAttachments } from '../../files/resolve-attachments.ts';
import { reply } from '../http/answer/reply.ts';
import { type Route, resource } from '../http/routing/route.ts';
import { Acknowledged } from '../schema/acknowledgements.ts';
import { CallChatBody, CallParams } from '../schema/call.ts';
import { attachmentSources } from './dms.ts';

const runtime = resource('runtime', 'Calls');
const NOT_FOUND = 'Call not found';
const NOT_CONNECTED = "Call is not active, or the platform's own connection is down";

/** Routes for the chat of a meeting. */
export function callChatRoutes(calls: CallDomain, files: FileDomain): Route[] {
  return [chat(calls, files), typing(calls)];
}

function chat(calls: CallDomain, files: FileDomain): Route {
  return runtime.post('/api/call/{call_id}/chat', {
    operationId: 'sendCallChat',
    summary: 'Write in the meeting chat',
    description:
      'Answers when the platform has accepted or refused the message, after 25 s at the latest. Messages of a call are sent one at a time, in order.',
    params: CallParams,
    body: CallChatBody,
    responses: {
      200: { description: 'Sent', schema: Acknowledged },
      400: 'The call has no chat, or its chat takes no files; or an attachment is invalid',
      403: 'File belongs to another user',
      404: `${NOT_FOUND}, or Unknown file token`,
      409: NOT_CONNECTED,
      410: 'A file is no longer available',
      413: 'A file exceeds the size limit',
      429: 'Too many messages of the call are waiting to be sent',
      502: 'Failed to send message: the platform refused it, or it is unknown whether it arrived; or a URL could not be fetched',
      504: 'The platform did not answer in time; the message may still have arrived',
      507: 'There is not enough space for a file',
    },
    handler: async ({ principal, params, body, signal }) => {
      const { attachments } = body;
      const resolved: ChatDraft['files'] = () =>
        resolveAttachments(files, principal.accountId, attachmentSources(attachments), signal);
      await sendChat(calls, principal, params.call_id, {
        text: body.text ?? '',
        senderName: body.sender_name,
        files: attachments.length === 0 ? null : resolved,
      });
      return reply(200, { status: 'ok' as const });
    },
  });
}

function typing(calls: CallDomain): Route {
  return runtime.post('/api/call/{call_id}/typing', {
    operationId: 'showCallTyping',
    summary: 'Show a typing indicator in the meeting chat',
    params: CallParams,
    responses: {
      200: { description: 'Shown', schema: Acknowledged },
      400: 'The call has no typing indicators',
      404: NOT_FOUND,
      409: NOT_CONNECTED,
      504: 'The platform did not answer in time',
    },
    handler: async ({ principal, params }) => {
      await showTyping(calls, principal, params.call_id);
      return reply(200, { status: 'ok' as const });
    },
  });
}
