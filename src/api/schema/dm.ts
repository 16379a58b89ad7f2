import * as z from 'zod';
import { DM_PLATFORMS } from '../../base/platform.ts';
import { ErrorBody } from './error-body.ts';
import { AttachmentsBody, ChatText, named, requireContent } from './fields.ts';

/**
 * Platforms for direct messages (specification, "Inbox and DM endpoints"). `agent`: between the account's own agents.
 */
export const DmPlatform = z.enum([...DM_PLATFORMS, 'agent']);

const MAX_TASK = 200;

const conversation = {
  platform: DmPlatform,
  conversation_id: z
    .string()
    .max(64)
    .optional()
    .describe("Id of the conversation. Default: the platform's most recent active one"),
};

/**
 * `peer` names an agent. With another platform it would be ignored, and the message would reach whoever wrote last
 * instead of the person named.
 */
const refusePeerOfPeople: z.core.CheckFn<{ readonly platform: string; readonly peer: string }> = ({
  value: { platform, peer },
  issues,
}) => {
  if (peer === '' || platform === 'agent') return;
  const message = 'peer names an agent; to choose a person, use conversation_id';
  issues.push({ code: 'custom', message, path: ['peer'], input: peer });
};

const MAX_CHOICES = 25;
const MAX_CHOICE = 80;

/** Buttons stand below a text. */
const checkChoices: z.core.CheckFn<{
  readonly choices: readonly string[];
  readonly attachments: readonly unknown[];
  readonly platform: string;
}> = ({ value: { choices, attachments, platform }, issues }) => {
  const refuse = (message: string) =>
    issues.push({ code: 'custom', message, path: ['choices'], input: choices });
  if (new Set(choices).size < choices.length) refuse('choices must differ from each other');
  if (choices.length > 0 && attachments.length > 0) refuse('choices cannot be combined with attachments');
  if (choices.length > 0 && platform === 'agent') refuse('choices are for people, not for agents');
};

export const DmChatBody = z
  .object({
    ...conversation,
    text: ChatText.describe('Required without attachments. With attachments: the caption of the first'),
    keep_typing: z.boolean().default(false).describe('Show the typing indicator again after the message'),
    attachments: AttachmentsBody,
    reply_to: z
      .string()
      .max(64)
      .optional()
      .describe('Id of the message of this conversation that it answers, which the platform shows as quoted'),
    choices: z
      .array(z.string().trim().min(1).max(MAX_CHOICE))
      .max(MAX_CHOICES)
      .default([])
      .describe(
        'Buttons below the text. What the person picks arrives as a message with `choice`. Platforms without buttons show a list',
      ),
    split: z
      .boolean()
      .default(false)
      .describe('Send a text that is too long for the platform in several messages, instead of failing'),
    peer: z
      .string()
      .max(80)
      .default('')
      .describe(
        '`agent` only: name (not case-sensitive) or id of the other agent. Default: the most recent conversation',
      ),
    task: z.string().max(MAX_TASK).default('').describe('`agent` only: topic of the conversation'),
  })
  .check(requireContent, refusePeerOfPeople, checkChoices)
  .meta({ id: 'DmChat' });

export const DmTypingBody = named('DmTyping', conversation);

export const DmReactBody = named('DmReact', {
  platform: DmPlatform,
  message_id: z.string().max(64).describe('Id of the message to react to'),
  emoji: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .describe("An emoji, such as 👍, or the platform's name of one of its own"),
  remove: z.boolean().default(false).describe('Take the reaction back'),
});

const PartIds = z
  .array(z.string())
  .optional()
  .describe('With `split`: ids of all parts, of which `message_id` is the first');

export const DeliveredDm = named('DeliveredDm', {
  status: z.literal('delivered'),
  message_id: z.string(),
  message_ids: PartIds,
  delivery: z.literal('sync'),
});

export const QueuedDm = named('QueuedDm', {
  status: z.literal('queued'),
  message_id: z.string(),
  message_ids: PartIds,
  reason: z
    .enum(['outside_24h_window', 'still_sending'])
    .describe(
      '`outside_24h_window`: sent when the person writes again. `still_sending`: a `dm_sent` or `dm_failed` event with this `message_id` reports the outcome',
    ),
  template_sent: z
    .boolean()
    .optional()
    .describe(
      'With `outside_24h_window`: whether the gateway sent the template that asks the person to write',
    ),
  template_error: z
    .string()
    .optional()
    .describe("With `template_sent: false`: why the platform refused the template, in the platform's words"),
  queue_position: z
    .int()
    .optional()
    .describe("With `outside_24h_window`: position among the conversation's queued messages"),
});

export const TestDmFailed = named('TestDmFailed', {
  ...ErrorBody.shape,
  detail: z.string().describe("The platform's own words"),
  suggestion: z
    .string()
    .optional()
    .describe('What to do about it, where that is known. If it was wrong, tell us by `POST /api/feedback`'),
});

export const TestDmParams = z.object({ provider: z.string().describe('A platform') });

export const TestDmQuery = z.object({
  connection_id: z
    .string()
    .default('')
    .describe('Id of the connection or bot. Default: the newest one with a known owner'),
});
