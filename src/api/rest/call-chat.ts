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

/** Routes for the chat of a meeting. */
export function callChatRoutes(calls: CallDomain, files: FileDomain): Route[] {
  return [
    runtime.post('/api/call/{call_id}/chat', {
      operationId: 'sendCallChat',
      summary: 'Write in the meeting chat',
      description:
        'Answers when the platform has accepted or refused the message, after 25 s at the latest. Messages of a call are sent one at a time, in order.',
      params: CallParams,
      body: CallChatBody,
      responses: { 200: { description: 'Sent', schema: Acknowledged } },
      fails: [
        'capability_missing',
        'url_blocked',
        'file_not_yours',
        'call_not_found',
        'file_not_found',
        'call_not_active',
        'platform_not_connected',
        'file_gone',
        'file_too_large',
        'too_many_messages',
        'send_failed',
        'url_failed',
        'deadline_exceeded',
        'storage_full',
        'disk_full',
      ],
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
    }),
    runtime.post('/api/call/{call_id}/typing', {
      operationId: 'showCallTyping',
      summary: 'Show a typing indicator in the meeting chat',
      params: CallParams,
      responses: { 200: { description: 'Shown', schema: Acknowledged } },
      fails: [
        'capability_missing',
        'call_not_found',
        'call_not_active',
        'platform_not_connected',
        'deadline_exceeded',
      ],
      handler: async ({ principal, params }) => {
        await showTyping(calls, principal, params.call_id);
        return reply(200, { status: 'ok' as const });
      },
    }),
  ];
}
