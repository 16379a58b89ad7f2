import * as z from 'zod';
import { PLATFORMS } from '../../base/platform.ts';
import { parseCursor } from '../../store/messages/cursor.ts';
import { Termination } from './call.ts';
import { wholeNumber } from './query.ts';

const MAX_PAGE = 200;
/** Limit of the schema. The gateway answers after at most 55 s. */
const MAX_WAIT_S = 120;

/** Where messages are exchanged: a platform, or `agent` for messages between the account's own agents. */
const MessagePlatform = z.enum([...PLATFORMS, 'agent']);

/** Clients without a cursor may send ''. */
export const CursorText = z
  .string()
  .max(128)
  .refine((text) => text === '' || parseCursor(text) !== null, {
    message: 'expected the `cursor` of an answer (`<ISO time>|<message id>`) or an ISO time',
  });

const Limit = wholeNumber(1, MAX_PAGE).default(50);

export const InboxQuery = z.object({
  platform: MessagePlatform.optional().describe(
    'Detail mode: the conversation of this platform with its history. With a cursor: only its messages',
  ),
  peer: z
    .string()
    .max(256)
    .default('')
    .describe(
      'Which conversation of the platform: remote_id or remote_name; with `platform=agent` the name of the other agent, whatever its case',
    ),
  task: z.string().max(256).default('').describe('With `platform=agent`: what the conversation is about'),
  last_message_cursor: CursorText.optional().describe(
    'Delta mode: the `cursor` of any answer (`<ISO time>|<message id>`), or an ISO time',
  ),
  wait: wholeNumber(0, MAX_WAIT_S)
    .default(0)
    .describe(
      'With a cursor: seconds to wait, 55 at most, for a message that your own agents did not write or, without `peer` and `task`, for an event. Ignored without a cursor',
    ),
  limit: Limit.describe(
    'Most conversations of a snapshot, or messages of a detail; of a delta, most messages and most events',
  ),
  status: z
    .enum(['active', 'closed', 'all'])
    .default('active')
    .describe('`active`, `closed` or `all`; a delta tells of every new message whatever it is'),
  offset: wholeNumber(0)
    .default(0)
    .describe('Conversations of a snapshot, or messages of a detail, to leave out, counted from the newest'),
});
export type InboxQuery = z.output<typeof InboxQuery>;

export const ConversationParams = z.object({
  conversation_id: z.string().describe('Identifier of the conversation'),
});

export const ConversationQuery = z.object({ limit: Limit });

const Attachment = z
  .object({
    name: z.string(),
    mime: z.string(),
    size: z.int().nullable().describe('Bytes; null while the platform has not told'),
    url: z.string().describe('Opens the file without any other credential'),
  })
  .meta({ id: 'MessageAttachment' });

export const Message = z
  .object({
    id: z.string(),
    text: z.string(),
    direction: z.enum(['inbound', 'outbound']),
    created_at: z.string(),
    status: z
      .enum(['received', 'sending', 'pending', 'delivered', 'failed', 'unknown', 'dropped'])
      .describe(
        'Of an outbound message: `pending` until the other side writes, `dropped` when it did not in time, `unknown` when nobody can tell whether it arrived',
      ),
    error: z.string().nullable().describe('Why it failed, in the words of the platform'),
    sender_agent_id: z.string().nullable().describe('The agent that wrote it'),
    attachments: z.array(Attachment),
  })
  .meta({ id: 'Message' });
export type Message = z.output<typeof Message>;

export const Conversation = z
  .object({
    conversation_id: z.string(),
    platform: MessagePlatform,
    remote_id: z
      .string()
      .describe('The lasting name of the other side at its platform, or the id of an agent'),
    remote_name: z.string().nullable(),
    status: z.string().describe('`active`, or `closed` when the other side cannot be written to any more'),
    task: z.string().describe('Of a conversation between agents: what it is about; else empty'),
    created_at: z.string(),
    agents: z.array(z.object({ id: z.string(), name: z.string() })).describe('Your agents that take part'),
    whatsapp_window: z
      .object({ open: z.boolean(), last_inbound_at: z.string().nullable(), pending_count: z.int() })
      .optional()
      .describe('WhatsApp only: whether the other side may be written to now'),
  })
  .meta({ id: 'Conversation' });
export type Conversation = z.output<typeof Conversation>;

/** A conversation in a list, with its newest message or the requested messages. */
const ListedConversation = Conversation.extend({
  preview: Message.nullable().optional().describe('Snapshot: the newest message, its text cut short'),
  messages: z.array(Message).optional().describe('Detail and delta: oldest first'),
}).meta({ id: 'InboxConversation' });

const Cursor = z.string().describe('Everything later is new: the `last_message_cursor` of the next request');

/** An event. Its other fields depend on its type. */
const InboxEvent = z
  .looseObject({
    type: z
      .string()
      .describe(
        '`call_invite`: an inbound call rings. `call_state`: a call changed its state. `call_error`: a call failed or lost its bridge. `dm_sent`, `dm_failed`: how sending a message ended. `dm_delivered`: queued messages went out. `dm_edited`: a person changed a message',
      ),
    event_id: z.string().describe('The same wherever the event is told'),
    created_at: z.string(),
    call_id: z.string().optional(),
    state: z.string().optional().describe('The state of the call then'),
    code: z.string().optional().describe('call_error: what went wrong, for programs'),
    message: z.string().optional().describe('call_error: what went wrong, and what to do about it'),
    termination: Termination.optional().describe('Why the call ended, once it is over'),
    conversation_id: z.string().optional(),
    message_id: z.string().optional(),
  })
  .meta({ id: 'InboxEvent' });
export type InboxEvent = z.output<typeof InboxEvent>;

export const Inbox = z
  .object({
    conversations: z.array(ListedConversation),
    events: z
      .array(InboxEvent)
      .optional()
      .describe(
        'Delta without `peer` and `task`: what else happened, to calls and to messages, oldest first; left out when nothing did',
      ),
    cursor: Cursor,
  })
  .meta({ id: 'Inbox' });
export type Inbox = z.output<typeof Inbox>;

export const ConversationHistory = z
  .object({
    conversation: Conversation,
    messages: z.array(Message).describe('The newest ones, oldest first'),
    cursor: Cursor,
  })
  .meta({ id: 'ConversationHistory' });
export type ConversationHistory = z.output<typeof ConversationHistory>;
