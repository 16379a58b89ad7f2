import * as z from 'zod';
import { field } from '../../../base/platform-json.ts';

const Id = z.string().min(1).max(512);
/** Of a person in Entra ID. */
const MAX_NAME = 256;

const Account = z.object({
  id: Id,
  name: field(z.string()),
  aadObjectId: field(z.guid()),
  role: field(z.string()),
});

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
  membersAdded: field(z.array(z.object({ id: z.string() }))),
  membersRemoved: field(z.array(z.object({ id: z.string() }))),
});

export type Activity = z.output<typeof Activity>;

/** https://learn.microsoft.com/microsoftteams/platform/bots/how-to/conversations/channel-and-group-conversations#work-with-mentions */
export const Mention = z.object({
  type: z.literal('mention'),
  text: z.string().min(1).max(1_000),
  mentioned: z.object({ id: z.string(), name: field(z.string().max(MAX_NAME)) }),
});
