import * as z from 'zod';
import { DM_PLATFORMS } from '../../base/platform.ts';
import { EVENT_STATUSES } from '../../messaging/platform-bridge/bridge-event.ts';
import { named } from './fields.ts';

/** The only version so far. A change that existing bridges would notice gets a new one. */
export const BRIDGE_VERSION = 1 as const;
const MAX_EVENTS = 100;
/** The longest message of any platform has 40,000 characters (specification, "Limits"). */
const MAX_TEXT = 40_000;
const MAX_ATTACHMENTS = 10;

const Version = z.literal(BRIDGE_VERSION).describe('Version of this schema');
const Id = z.string().min(1).max(256);
const Name = z.string().max(256).nullish();
const Text = z.string().max(MAX_TEXT);
const SentAt = z.iso.datetime({ offset: true }).optional().describe('Default: now');
const MessageId = Id.describe("The platform's id of the message, unique within the conversation");

const Login = z
  .string()
  .regex(
    /^(?:shared|(?:bot|con)_[\w-]{1,64})$/,
    'Input should be shared, or the id of a bot or connection, such as bot_1',
  )
  .default('shared')
  .describe(
    'The login concerned: the id of a bot or of a connection, or `shared`, which serves the people who have connected their account or were linked by a token',
  );

const Person = z
  .strictObject({ id: Id.describe("The platform's permanent id of the person"), name: Name })
  .describe('Who wrote, or the person of the direct conversation');

const place = {
  platform: z.enum(DM_PLATFORMS),
  login: Login,
  person: Person.optional(),
  channel: z
    .strictObject({ id: Id, name: Name })
    .optional()
    .describe('The channel or room. Absent: the direct conversation with `person`'),
  thread: Id.nullish(),
};

const requirePlace: z.core.CheckFn<{ readonly person?: unknown; readonly channel?: unknown }> = ({
  value,
  issues,
}) => {
  if (value.person !== undefined || value.channel !== undefined) return;
  issues.push({ code: 'custom', message: 'person or channel is required', path: ['person'], input: value });
};

const Attachment = z.strictObject({
  name: Id,
  mime: z.string().max(256).default('application/octet-stream'),
  size: z.int().min(0).nullish().describe('In bytes, if known'),
  url: z.string().max(2_048).describe('Public http(s) URL, from which the file is fetched when it is needed'),
});

const requireText: z.core.CheckFn<{ readonly text: string; readonly attachments: readonly unknown[] }> = ({
  value: { text, attachments },
  issues,
}) => {
  if (text !== '' || attachments.length > 0) return;
  issues.push({ code: 'custom', message: 'text or attachments is required', path: ['text'], input: text });
};

const Dm = z
  .strictObject({
    type: z.literal('dm'),
    ...place,
    person: Person,
    message_id: MessageId,
    text: Text.default(''),
    attachments: z.array(Attachment).max(MAX_ATTACHMENTS).default([]),
    sent_at: SentAt,
    reply_to: z
      .strictObject({ message_id: Id.nullish(), author: Name, text: Text.default('') })
      .optional()
      .describe('The message that it answers, as far as the platform tells'),
    choice: z.string().min(1).max(256).optional().describe('The choice that the person has picked'),
  })
  .check(requireText)
  .describe('A person has written');

const Edit = z
  .strictObject({ type: z.literal('edit'), ...place, message_id: MessageId, text: Text })
  .check(requirePlace)
  .describe('A person has edited a message');

const Delete = z
  .strictObject({ type: z.literal('delete'), ...place, message_id: MessageId })
  .check(requirePlace)
  .describe('A person has deleted a message');

const Reaction = z
  .strictObject({
    type: z.literal('reaction'),
    ...place,
    person: Person,
    message_id: MessageId,
    emoji: z.string().min(1).max(100).nullish(),
    action: z.enum(['added', 'removed']),
  })
  .describe('A person has reacted to a message, or taken that back');

const Reachability = z
  .strictObject({ type: z.literal('reachability'), ...place, reachable: z.boolean() })
  .check(requirePlace)
  .describe('A person or channel can no longer be written to, or again');

const Link = z
  .strictObject({
    type: z.literal('link'),
    ...place,
    person: Person,
    token: z.string().min(1).max(256).describe('Invite token of an account, valid once within 15 minutes'),
  })
  .describe(
    'A person has sent an invite token: their conversation, or the channel in which they sent it, belongs to its account from now on',
  );

const CallRef = Id.describe("The bridge's own id of the call");

const CallInvite = z
  .strictObject({
    type: z.literal('call_invite'),
    ...place,
    person: Person,
    call_ref: CallRef,
    target: z.string().max(2_048).default('').describe("What was called: the call's `meeting_url`"),
  })
  .describe('A person calls. The call rings for 60 s and carries no audio');

const CallEnded = z
  .strictObject({
    type: z.literal('call_ended'),
    platform: z.enum(DM_PLATFORMS),
    call_ref: CallRef,
    reason: z.string().max(256).default('the caller hung up'),
  })
  .describe('A call is over on the platform');

export const BridgeEventBody = z.discriminatedUnion('type', [
  Dm,
  Edit,
  Delete,
  Reaction,
  Reachability,
  Link,
  CallInvite,
  CallEnded,
]);
export type BridgeEventBody = z.output<typeof BridgeEventBody>;

export const BridgeEventsBody = z
  .strictObject({ version: Version, events: z.array(BridgeEventBody).min(1).max(MAX_EVENTS) })
  .meta({ id: 'BridgeEvents' });

export const BridgeEventResults = named('BridgeEventResults', {
  version: Version,
  results: z
    .array(
      z.object({
        status: z
          .enum(EVENT_STATUSES)
          .describe(
            '`stored`: the message is stored. `duplicate`: it was told before. `done`: applied, as far as the gateway knows the message or call. `ringing`, `busy`: the call rings, or the account has no room for it. `account_full`: the account stores as much as it may. `flooded`: it is not stored, because this chat or this account gets more than people write. `unknown_account`: no account has this login or person. `unknown_token`, `unknown_call`: unknown, or no longer valid. `not_served`: `reason` says what is missing',
          ),
        reason: z.string().optional(),
      }),
    )
    .describe('One for each event, in the same order'),
});

export const BridgeChatBody = z
  .strictObject({
    version: Version,
    sender: z
      .strictObject({
        id: Id.describe('`<tenant>:<user>`; or, with `tenant_id`, the id of the user within the tenant'),
        tenant_id: z.string().min(1).max(128).nullish(),
        name: Name,
      })
      .describe('A person who has connected their account of the platform. Case does not matter'),
    message_id: MessageId,
    text: Text.min(1),
    sent_at: SentAt,
  })
  .meta({ id: 'BridgeChat' });
export type BridgeChatBody = z.output<typeof BridgeChatBody>;

export const BridgeChatAnswer = named('BridgeChatAnswer', {
  version: Version,
  status: z.enum(['stored', 'duplicate']).describe('`duplicate`: the message was stored before'),
  reply: z
    .object({ message_id: z.string(), text: z.string() })
    .nullable()
    .describe("The agent's next message. Null: none was written within 10 s; it is sent later"),
});

export const TalkBots = named('TalkBots', {
  version: Version,
  bots: z
    .array(
      z.object({
        login: z.string().describe('Id of the connection'),
        url: z.string().describe('The Nextcloud server'),
        secret: z.string().describe('With which the server signs its webhooks'),
      }),
    )
    .describe('The bots of all accounts'),
});
