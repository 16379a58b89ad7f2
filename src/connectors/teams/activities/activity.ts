import * as z from 'zod';
import { type Address, directAddress, SHARED_LOGIN } from '../../../base/address.ts';
import { field } from '../../../base/platform-json.ts';
import type { ConversationReference } from '../teams-records.ts';

const Id = z.string().min(1).max(512);
/** Of a person in Entra ID. */
const MAX_NAME = 256;

const Account = z.object({
  id: Id,
  name: field(z.string()),
  aadObjectId: field(z.guid()),
  role: field(z.string()),
});

const Reaction = z.object({ type: z.string().max(100) });

const ChannelData = z.object({
  tenant: field(z.object({ id: z.guid() })),
  team: field(z.object({ id: Id })),
  eventType: field(z.string()),
});

/** What the messaging endpoint is called with (https://learn.microsoft.com/microsoftteams/platform/bots/how-to/conversations/conversation-messages). */
export const Activity = z.object({
  type: z.string().min(1),
  id: field(Id),
  timestamp: field(z.string()),
  serviceUrl: z.string().min(1).max(1_000),
  channelId: z.string().min(1),
  from: field(Account),
  recipient: field(Account),
  conversation: field(
    z.object({
      id: Id,
      conversationType: field(z.string()),
      tenantId: field(z.guid()),
      name: field(z.string()),
    }),
  ),
  text: field(z.string()),
  attachments: field(z.array(z.unknown())),
  entities: field(z.array(z.unknown())),
  channelData: field(ChannelData),
  action: field(z.string()),
  name: field(z.string()),
  value: z.unknown().optional(),
  /** The message that a reaction, or a press of its buttons, is about. */
  replyToId: field(Id),
  reactionsAdded: field(z.array(Reaction)),
  reactionsRemoved: field(z.array(Reaction)),
  membersAdded: field(z.array(z.object({ id: z.string() }))),
  membersRemoved: field(z.array(z.object({ id: z.string() }))),
});

export type Activity = z.output<typeof Activity>;

/** https://learn.microsoft.com/microsoftteams/platform/bots/how-to/conversations/channel-and-group-conversations#work-with-mentions */
export const Mention = z.object({
  type: z.literal('mention'),
  /** Its mark; left out for some names, such as those with `&`. */
  text: field(z.string().min(1).max(1_000)),
  mentioned: z.object({ id: z.string(), name: field(z.string().max(MAX_NAME)) }),
});

const LOGIN = { kind: SHARED_LOGIN } as const;
/** Ends the id of a conversation in a channel: the message that began the thread. */
const THREAD = /^(.+);messageid=(\d{1,20})$/;

/** Where something happened, and who did it. */
export interface ActivityPlace {
  readonly address: Address;
  readonly reference: ConversationReference;
  /** The team of a channel; null elsewhere. */
  readonly teamId: string | null;
}

/** Returns a person's permanent id: object ids are unique only in their tenant. */
export function personId(tenantId: string, objectId: string): string {
  return `${tenantId}:${objectId}`.toLowerCase();
}

/** Null: it cannot be told, as with people without an account of work or school. */
export function placeOf({ conversation, from, channelData, serviceUrl }: Activity): ActivityPlace | null {
  const tenantId = channelData?.tenant?.id ?? conversation?.tenantId;
  if (!conversation || tenantId === undefined) return null;
  const person = from?.aadObjectId === undefined ? null : personId(tenantId, from.aadObjectId);
  const [, channelId, thread = null] = THREAD.exec(conversation.id) ?? [];
  const conversationId = channelId ?? conversation.id;
  const reference = { conversationId, serviceUrl, tenantId: tenantId.toLowerCase() };
  if (isPersonal(conversation))
    return person === null ? null : { address: directAddress(LOGIN, person), reference, teamId: null };
  const space = { kind: 'channel', id: conversationId } as const;
  const teamId = conversation.conversationType === 'channel' ? (channelData?.team?.id ?? null) : null;
  return { address: { login: LOGIN, space, thread, person }, reference, teamId };
}

/** Without a type, ids of chats with several people and of channels are told by their beginning. */
function isPersonal({ id, conversationType }: NonNullable<Activity['conversation']>): boolean {
  return conversationType === undefined ? !id.startsWith('19:') : conversationType === 'personal';
}

/** Whether what an activity says of its tenant is in agreement. */
export function isOfOneTenant({ conversation, channelData }: Activity): boolean {
  const [one, other] = [conversation?.tenantId, channelData?.tenant?.id];
  return one === undefined || other === undefined || one.toLowerCase() === other.toLowerCase();
}
