import * as z from 'zod';
import { AttachmentsBody } from './attachment.ts';
import { ChatText, requireContent } from './characters.ts';

/**
 * Platforms for direct messages (specification, "Inbox and DM endpoints"). `agent`: between the account's own agents.
 */
export const DmPlatform = z.enum(['discord', 'teams', 'telegram', 'whatsapp', 'slack', 'nctalk', 'agent']);

const MAX_TASK = 200;

const conversation = {
  platform: DmPlatform,
  conversation_id: z
    .string()
    .max(64)
    .optional()
    .describe('Which conversation; without it the active one of the platform that has the newest message'),
};

export const DmChatBody = z
  .object({
    ...conversation,
    text: ChatText.describe('Required without attachments; with them the caption of the first'),
    keep_typing: z.boolean().default(false).describe('Shows the typing indicator again after the message'),
    attachments: AttachmentsBody,
    peer: z
      .string()
      .max(80)
      .default('')
      .describe(
        '`agent` only: name (in any case) or id of the agent to write to; empty: go on with the newest conversation',
      ),
    task: z.string().max(MAX_TASK).default('').describe('`agent` only: what the conversation is about'),
  })
  .check(requireContent)
  .meta({ id: 'DmChat' });

export const DmTypingBody = z.object(conversation).meta({ id: 'DmTyping' });

export const DeliveredDm = z
  .object({ status: z.literal('delivered'), message_id: z.string(), delivery: z.literal('sync') })
  .meta({ id: 'DeliveredDm' });

export const QueuedDm = z
  .object({
    status: z.literal('queued'),
    message_id: z.string(),
    reason: z
      .enum(['outside_24h_window', 'still_sending'])
      .describe(
        '`outside_24h_window`: it waits until the other side writes. `still_sending`: a `dm_sent` or `dm_failed` event with this `message_id` tells how sending ended',
      ),
    template_sent: z
      .boolean()
      .optional()
      .describe(
        'With `outside_24h_window`: whether this message made the gateway ask the other side to write',
      ),
    queue_position: z
      .int()
      .optional()
      .describe('With `outside_24h_window`: its place among those that wait in the conversation'),
  })
  .meta({ id: 'QueuedDm' });

export const TestDmParams = z.object({ provider: z.string().describe('A platform') });

export const TestDmQuery = z.object({
  connection_id: z
    .string()
    .default('')
    .describe('Which connection or bot; empty: the newest one whose person is known'),
});
