import * as z from 'zod';
import { wireMessage } from '../world/fake-message.ts';
import { type BotCall, type BotMethod, channelOf } from './method.ts';
import { SlackError } from './slack-error.ts';

/** Slack cuts longer texts off; the fake refuses them, so that no test overlooks it. */
const MAX_TEXT = 40_000;
/** `chat.update` takes no longer text. */
const MAX_UPDATE = 4_000;

export const CHAT_METHODS: Readonly<Record<string, BotMethod>> = {
  'chat.postMessage': {
    arguments: {
      channel: 'text',
      'text?': 'text',
      'thread_ts?': 'text',
      'reply_broadcast?': 'flag',
      'mrkdwn?': 'flag',
      'parse?': 'text',
      'link_names?': 'flag',
      'unfurl_links?': 'flag',
      'unfurl_media?': 'flag',
      'blocks?': 'json',
      'attachments?': 'json',
      'metadata?': 'json',
      'username?': 'text',
      'icon_emoji?': 'text',
    },
    takesJson: true,
    scopes: ['chat:write'],
    run: postMessage,
  },
  'chat.update': {
    arguments: { channel: 'text', ts: 'text', 'text?': 'text', 'parse?': 'text', 'blocks?': 'json' },
    takesJson: true,
    scopes: ['chat:write'],
    run: update,
  },
  'reactions.add': {
    arguments: { channel: 'text', timestamp: 'text', name: 'text' },
    takesJson: true,
    scopes: ['reactions:write'],
    run: (call) => react(call, true),
  },
  'reactions.remove': {
    arguments: { 'channel?': 'text', 'timestamp?': 'text', name: 'text' },
    takesJson: true,
    scopes: ['reactions:write'],
    run: (call) => react(call, false),
  },
  'chat.delete': {
    arguments: { channel: 'text', ts: 'text' },
    takesJson: true,
    scopes: ['chat:write'],
    run: remove,
  },
};

function postMessage(call: BotCall) {
  const { args, installation, announcements } = call;
  const { bot, botId } = installation;
  const text = args.text('text');
  const channel = writable(call);
  if (text === '' && !args.has('blocks') && !args.has('attachments')) throw new SlackError('no_text');
  if (text.length > MAX_TEXT) throw new SlackError('msg_too_long');
  const threadTs = args.text('thread_ts');
  if (threadTs !== '' && !/^\d+\.\d{6}$/.test(threadTs)) throw new SlackError('invalid_thread_ts');
  if (threadTs !== '' && !channel.message(threadTs)) throw new SlackError('thread_not_found');
  const message = channel.post({
    user: bot,
    botId,
    text,
    threadTs: threadTs || null,
    metadata: checkedMetadata(args.json('metadata')),
    ...(args.has('blocks') && { blocks: checkedBlocks(args.json('blocks')) }),
  });
  announcements.posted(channel, message);
  return { channel: channel.id, ts: message.ts, message: wireMessage(message) };
}

/** https://docs.slack.dev/messaging/message-metadata */
const Metadata = z.strictObject({
  event_type: z.string().min(1),
  event_payload: z.record(z.string(), z.unknown()),
});

function checkedMetadata(given: unknown): unknown {
  if (given !== undefined && !Metadata.safeParse(given).success)
    throw new SlackError('invalid_metadata_format');
  return given;
}

const Blocks = z.array(
  z.discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('section'),
      text: z.strictObject({ type: z.literal('mrkdwn'), text: z.string().min(1).max(3_000) }),
    }),
    z.strictObject({
      type: z.literal('actions'),
      elements: z
        .array(
          z.strictObject({
            type: z.literal('button'),
            action_id: z.string().max(255),
            text: z.strictObject({ type: z.literal('plain_text'), text: z.string().min(1).max(75) }),
            value: z.string().max(2_000),
          }),
        )
        .min(1)
        .max(25),
    }),
  ]),
);

function checkedBlocks(given: unknown): unknown {
  const { data, error } = Blocks.safeParse(given);
  if (!data) throw new SlackError('invalid_blocks', { response_metadata: { messages: [error.message] } });
  return data;
}

function update(call: BotCall) {
  const { channel, message } = own(call, 'cant_update_message');
  const text = call.args.text('text');
  if (text === '' && !call.args.has('blocks')) throw new SlackError('no_text');
  if (text.length > MAX_UPDATE) throw new SlackError('msg_too_long');
  const previous = { ...message };
  message.text = text;
  call.announcements.edited(channel, message, previous);
  return { channel: channel.id, ts: message.ts, text, message: wireMessage(message) };
}

function remove(call: BotCall) {
  const { channel, message } = own(call, 'cant_delete_message');
  channel.remove(message);
  call.announcements.deleted(channel, message);
  return { channel: channel.id, ts: message.ts };
}

function react(call: BotCall, isAdded: boolean) {
  const message = channelOf(call).message(call.args.text('timestamp'));
  const name = call.args.text('name');
  if (!message) throw new SlackError('message_not_found');
  if (!/^[a-z0-9_+'-]{1,100}$/.test(name)) throw new SlackError('invalid_name');
  if (message.reactions.has(name) === isAdded)
    throw new SlackError(isAdded ? 'already_reacted' : 'no_reaction');
  if (isAdded) message.reactions.add(name);
  else message.reactions.delete(name);
  return {};
}

function own(call: BotCall, error: string) {
  const channel = channelOf(call);
  const message = channel.message(call.args.text('ts'));
  if (!message) throw new SlackError('message_not_found');
  if (message.user !== call.installation.bot) throw new SlackError(error);
  return { channel, message };
}

/** The channel, or the direct messages of a person whose id is given in its place. */
export function writable(call: BotCall, name = 'channel') {
  const { args, installation } = call;
  const { workspace, bot } = installation;
  const person = workspace.users.get(args.text(name));
  if (person?.isBot) throw new SlackError('cannot_dm_bot');
  const channel = person ? workspace.directMessages(bot, person) : channelOf(call, name);
  if (channel.isArchived) throw new SlackError('is_archived');
  if (!channel.members.has(bot)) throw new SlackError('not_in_channel');
  if (channel.kind === 'im' && [...channel.members].some(({ isDeleted }) => isDeleted))
    throw new SlackError('user_disabled');
  return channel;
}
