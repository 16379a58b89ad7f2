import type { z } from 'zod';
import type { AttachmentSource } from '../../files/resolve-attachments.ts';
import { type OutboundDomain, requestWithKey, type Writer } from '../../messaging/outbox/outbound-domain.ts';
import { react } from '../../messaging/outbox/react.ts';
import { sendDm, showDmTyping } from '../../messaging/outbox/send-dm.ts';
import type { SentDm } from '../../messaging/outbox/sent-dm.ts';
import { sendTestDm } from '../../messaging/owner/write-to-owner.ts';
import type { RequestRef } from '../../store/keys/idempotent-requests.ts';
import type { Principal } from '../auth/principal.ts';
import { type JsonReply, reply } from '../http/answer/reply.ts';
import { type Route, resource } from '../http/routing/route.ts';
import { Acknowledged } from '../schema/acknowledgements.ts';
import {
  DeliveredDm,
  DmChatBody,
  DmReactBody,
  DmTypingBody,
  QueuedDm,
  TestDmFailed,
  TestDmParams,
  TestDmQuery,
} from '../schema/dm.ts';
import type { AttachmentBody } from '../schema/fields.ts';
import { platformNamed } from './platforms.ts';

const runtime = resource('runtime', 'Messages');
const config = resource('config', 'Platforms');
const DELIVERED = { description: 'The platform accepted the message', schema: DeliveredDm };
const QUEUED = { description: 'Stored; the gateway sends it later', schema: QueuedDm };
const SEND_FAILED = 'Failed to send message: the platform refused it, or it is unknown whether it arrived';

/** How the attachments of a message can be unusable. */
export const ATTACHMENT_FAILS = [
  'url_blocked',
  'file_not_yours',
  'file_not_found',
  'file_gone',
  'file_too_large',
  'url_failed',
  'storage_full',
] as const;

/** Routes for direct messages to people and between agents. */
export function dmRoutes(domain: OutboundDomain): Route[] {
  return [
    runtime.post('/api/dm/chat', {
      operationId: 'sendDm',
      summary: 'Send a direct message',
      description:
        "Sends to the platform's most recent active conversation, or to `conversation_id`. The message is stored before it is sent. For text alone, the answer comes when the platform has accepted or refused it, after 30 s at the latest. With attachments, the request answers 202 `still_sending` once the files are checked and stored, and a `dm_sent` or `dm_failed` event reports the outcome. `platform: agent` writes to another agent of the account, which receives the message at once.",
      body: DmChatBody,
      idempotency: 'resumed',
      responses: { 200: DELIVERED, 202: QUEUED },
      fails: [
        ...ATTACHMENT_FAILS,
        'platform_not_configured',
        'capability_missing',
        'platform_not_granted',
        'no_conversation',
        { message_not_found: '`reply_to` is no message of the conversation' },
        'agent_not_found',
        'too_many_messages',
        { storage_full: 'The account is full' },
        { too_many_attempts: 'The account writes too fast' },
        'send_failed',
        'not_ready',
        'disk_full',
      ],
      handler: async ({ principal, body, idempotency }) => {
        const sent = await sendDm(domain, writerOf(principal, idempotency), {
          platform: body.platform,
          text: body.text ?? '',
          keepTyping: body.keep_typing,
          attachments: attachmentSources(body.attachments),
          conversationId: body.conversation_id ?? null,
          peer: body.peer,
          task: body.task,
          replyTo: body.reply_to ?? null,
          choices: body.choices,
          split: body.split,
        });
        return sentReply(sent);
      },
    }),
    runtime.post('/api/dm/react', {
      operationId: 'reactToDm',
      summary: 'React to a message with an emoji',
      description:
        'Answers when the platform has shown or taken back the reaction. Which emoji may be used depends on the platform. Reactions of people are `dm_reaction` events.',
      body: DmReactBody,
      responses: { 200: { description: 'Done', schema: Acknowledged } },
      fails: [
        'message_not_found',
        'no_conversation',
        'capability_missing',
        'platform_not_configured',
        { send_failed: 'The platform refused it, such as an emoji that it does not have' },
      ],
      handler: async ({ principal, body }) => {
        const { platform, message_id: messageId, emoji, remove } = body;
        await react(domain, { scope: principal }, { platform, messageId, emoji, isAdded: !remove });
        return reply(200, { status: 'ok' as const });
      },
    }),
    runtime.post('/api/dm/typing', {
      operationId: 'showDmTyping',
      summary: 'Show a typing indicator',
      description:
        'Stays until a message is sent, at most 65 s; repeat the request to extend it. Each request also restarts the 60-second reply window. Platforms without typing indicators show nothing.',
      body: DmTypingBody,
      responses: { 200: { description: 'Shown', schema: Acknowledged } },
      fails: ['no_conversation'],
      handler: async ({ principal, body }) => {
        const wanted = { platform: body.platform, conversationId: body.conversation_id ?? null };
        await showDmTyping(domain, { scope: principal }, wanted);
        return reply(200, { status: 'ok' as const });
      },
    }),
    config.post('/api/platforms/{provider}/test-dm', {
      operationId: 'sendTestDm',
      summary: 'Send a test message to your own account on a platform',
      description:
        'Reaches only the person who linked the connection, or the owner of the bot (`POST /api/platforms/{platform}/owner`).',
      params: TestDmParams,
      query: TestDmQuery,
      responses: { 200: DELIVERED, 202: QUEUED, 502: { description: SEND_FAILED, schema: TestDmFailed } },
      fails: [
        'owner_unknown',
        'capability_missing',
        'connection_not_found',
        'too_many_messages',
        'not_ready',
        {
          platform_not_configured: 'The account has no login there, or the gateway has no connector for it',
          no_conversation: 'The owner has blocked the bot',
        },
      ],
      handler: async ({ principal, params, query }) =>
        sentReply(
          await sendTestDm(domain, { scope: principal }, platformNamed(params.provider), query.connection_id),
        ),
    }),
  ];
}

function writerOf(principal: Principal, request: RequestRef | null): Writer {
  return {
    scope: principal,
    credentialId: principal.credentialId,
    request: request && requestWithKey(request),
  };
}

type SentReply = JsonReply<200, z.output<typeof DeliveredDm>> | JsonReply<202, z.output<typeof QueuedDm>>;

function sentReply(sent: SentDm): SentReply {
  const message_ids = sent.messageIds.length > 1 ? { message_ids: [...sent.messageIds] } : {};
  const ids = { message_id: sent.messageIds[0]!, ...message_ids };
  if (sent.kind === 'delivered')
    return reply(200, { status: 'delivered' as const, ...ids, delivery: 'sync' as const });
  if (sent.kind === 'still_sending')
    return reply(202, { status: 'queued' as const, ...ids, reason: 'still_sending' as const });
  const { templateSent: template_sent, templateError: template_error, position: queue_position } = sent;
  const body = { status: 'queued', ...ids, reason: 'outside_24h_window' } as const;
  const refusal = template_error !== undefined && { template_error };
  return reply(202, { ...body, template_sent, ...refusal, queue_position });
}

/** Converts a request's attachments for the domain. */
export function attachmentSources(bodies: readonly AttachmentBody[]): AttachmentSource[] {
  return bodies.map(sourceOf);
}

function sourceOf(body: AttachmentBody): AttachmentSource {
  if (body.file_id !== undefined) return { fileId: body.file_id };
  if (body.url !== undefined) return { url: body.url, name: body.name ?? null, mime: body.mime ?? null };
  return { bytes: Buffer.from(body.bytes_b64, 'base64'), name: body.name, mime: body.mime };
}
