import * as z from 'zod';
import { offence, TeamsError } from './teams-error.ts';

/** UTF-16 bytes of an activity, all together (https://learn.microsoft.com/microsoftteams/platform/bots/how-to/format-your-bot-messages). */
const MAX_BYTES = 100 * 1_024;

const Account = z.strictObject({
  id: z.string().min(1),
  name: z.string().optional(),
  aadObjectId: z.string().optional(),
  role: z.string().optional(),
});

const Attachment = z.strictObject({
  contentType: z.string().min(1),
  contentUrl: z.string().optional(),
  name: z.string().optional(),
  content: z.unknown().optional(),
});

/** What a bot may send. Other fields are mistakes here; Teams ignores some of them. */
const OutboundActivity = z.strictObject({
  type: z.enum(['message', 'typing']),
  id: z.string().optional(),
  text: z.string().optional(),
  textFormat: z.enum(['plain', 'markdown', 'xml']).optional(),
  from: Account.optional(),
  recipient: Account.optional(),
  conversation: z.looseObject({ id: z.string() }).optional(),
  channelId: z.string().optional(),
  serviceUrl: z.string().optional(),
  locale: z.string().optional(),
  replyToId: z.string().optional(),
  summary: z.string().optional(),
  inputHint: z.string().optional(),
  attachmentLayout: z.string().optional(),
  attachments: z.array(Attachment).optional(),
  entities: z.array(z.unknown()).optional(),
  channelData: z.looseObject({}).optional(),
});

/** How a message that is still being written is marked (https://learn.microsoft.com/microsoftteams/platform/bots/streaming-ux). */
const StreamInfo = z.strictObject({
  type: z.literal('streaminfo'),
  streamId: z.string().min(1).optional(),
  streamType: z.enum(['informative', 'streaming', 'final']).default('streaming'),
  streamSequence: z.int().min(1).optional(),
});

export type StreamInfo = z.output<typeof StreamInfo>;

/** Null: the activity is none of a stream. */
export function streamInfoOf({ entities = [] }: OutboundActivity): StreamInfo | null {
  const found = entities.find((each) => (each as { type?: unknown }).type === 'streaminfo');
  if (found === undefined) return null;
  const { data, error } = StreamInfo.safeParse(found);
  if (!data) throw offence(`The stream is invalid: ${error.message}`, 'BadRequest');
  return data;
}

export type OutboundActivity = z.output<typeof OutboundActivity>;

/** Parses an activity from a bot. Throws TeamsErrors as Teams answers them. */
export function readActivity(body: unknown): OutboundActivity {
  const { data, error } = OutboundActivity.safeParse(body);
  if (!data)
    throw offence(
      `Activity is invalid: ${error.issues.map(({ message, path }) => `${path.join('.')} ${message}`).join('; ')}`,
    );
  if (JSON.stringify(body).length * 2 > MAX_BYTES)
    throw new TeamsError(413, 'MessageSizeTooBig', 'Message size too large.', true);
  const { attachments = [], text = '' } = data;
  if (data.type === 'message' && text === '' && attachments.length === 0)
    throw offence('Activity must have text or attachments.');
  // Teams splits such a message into two, whose ids it does not tell.
  if (text !== '' && attachments.length > 0) throw offence('Text and attachment in one activity.');
  return data;
}

/** `POST /v3/conversations` */
export const NewConversation = z.strictObject({
  isGroup: z.boolean().optional(),
  bot: Account.optional(),
  members: z.array(z.looseObject({ id: z.string().min(1) })).min(1),
  tenantId: z.string().optional(),
  channelData: z.looseObject({ tenant: z.looseObject({ id: z.string() }) }).optional(),
  activity: z.unknown().optional(),
});
