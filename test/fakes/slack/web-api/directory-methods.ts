import { type FakeMessage, wireMessage } from '../world/fake-message.ts';
import { wireUser } from '../world/fake-user.ts';
import { type BotCall, type BotMethod, channelOf, requireScope } from './method.ts';
import { SlackError } from './slack-error.ts';

const READ_SCOPES = { channel: 'channels:read', group: 'groups:read', im: 'im:read' } as const;
const HISTORY_SCOPES = { channel: 'channels:history', group: 'groups:history', im: 'im:history' } as const;
const ANY_HISTORY = Object.values(HISTORY_SCOPES);
const LISTED = { 'limit?': 'number', 'oldest?': 'text', 'include_all_metadata?': 'flag' } as const;
const ANY_READ = Object.values(READ_SCOPES);

/** Who and what there is in a workspace. */
export const DIRECTORY_METHODS: Readonly<Record<string, BotMethod>> = {
  'auth.test': {
    arguments: {},
    takesJson: true,
    scopes: [],
    run: ({ installation: { workspace, bot, botId, isOrgWide } }) => ({
      url: `https://${workspace.name.toLowerCase()}.slack.com/`,
      team: workspace.name,
      user: bot.name,
      team_id: workspace.id,
      user_id: bot.id,
      bot_id: botId,
      ...(workspace.enterprise === null ? {} : { enterprise_id: workspace.enterprise.id }),
      is_enterprise_install: isOrgWide,
    }),
  },
  'auth.revoke': {
    arguments: { 'test?': 'flag' },
    takesJson: false,
    scopes: [],
    run: ({ installation, args, announcements }) => {
      if (args.flag('test')) return { revoked: false };
      announcements.ended(installation, {
        type: 'tokens_revoked',
        tokens: { oauth: [], bot: [installation.bot.id] },
      });
      installation.deadAs = 'token_revoked';
      return { revoked: true };
    },
  },
  'users.info': {
    arguments: { user: 'text', 'include_locale?': 'flag' },
    takesJson: false,
    scopes: ['users:read'],
    run: ({ installation: { workspace }, args }) => {
      const user = workspace.users.get(args.text('user'));
      if (!user) throw new SlackError('user_not_found');
      return { user: wireUser(user) };
    },
  },
  'users.list': {
    arguments: { 'limit?': 'number', 'cursor?': 'text' },
    takesJson: false,
    scopes: ['users:read'],
    run: ({ installation: { workspace } }) => ({
      members: [...workspace.users.values()].map(wireUser),
      response_metadata: { next_cursor: '' },
    }),
  },
  'conversations.open': {
    arguments: { 'users?': 'text', 'channel?': 'text', 'return_im?': 'flag' },
    takesJson: true,
    scopes: ['im:write'],
    run: open,
  },
  'conversations.history': {
    arguments: { channel: 'text', ...LISTED },
    takesJson: true,
    scopes: ANY_HISTORY,
    run: history,
  },
  'conversations.replies': {
    arguments: { channel: 'text', ts: 'text', ...LISTED },
    takesJson: true,
    scopes: ANY_HISTORY,
    run: replies,
  },
  'conversations.info': {
    arguments: { channel: 'text', 'include_num_members?': 'flag' },
    takesJson: false,
    scopes: ANY_READ,
    run: (call) => {
      const channel = channelOf(call);
      requireScope(call.installation, READ_SCOPES[channel.kind]);
      return { channel: channel.wire(call.installation.bot) };
    },
  },
  'conversations.list': {
    arguments: { 'types?': 'text', 'limit?': 'number', 'cursor?': 'text', 'exclude_archived?': 'flag' },
    takesJson: false,
    scopes: ANY_READ,
    run: ({ installation: { workspace, bot } }) => ({
      channels: [...workspace.channels.values()]
        .filter(({ kind, members }) => kind === 'channel' || (kind === 'group' && members.has(bot)))
        .map((channel) => channel.wire(bot)),
      response_metadata: { next_cursor: '' },
    }),
  },
};

/** The messages of a channel, newest first, or of a thread, oldest first. Metadata is there only when it is asked for. */
function listed(call: BotCall, messages: readonly FakeMessage[]) {
  const { args, installation } = call;
  requireScope(installation, HISTORY_SCOPES[channelOf(call).kind]);
  if (!channelOf(call).members.has(installation.bot)) throw new SlackError('not_in_channel');
  const isNew = ({ ts }: FakeMessage) => Number(ts) > Number(args.text('oldest') || 0);
  const limit = args.number('limit') || 100;
  const all = messages.filter(isNew);
  return {
    messages: all.slice(0, limit).map((message) => {
      const { metadata, ...wire } = wireMessage(message);
      return { ...wire, ...(args.flag('include_all_metadata') && metadata !== undefined && { metadata }) };
    }),
    has_more: all.length > limit,
  };
}

function history(call: BotCall) {
  return listed(
    call,
    channelOf(call)
      .messages.filter(({ threadTs }) => threadTs === null)
      .toReversed(),
  );
}

function replies(call: BotCall) {
  const channel = channelOf(call);
  const ts = call.args.text('ts');
  if (!channel.message(ts)) throw new SlackError('thread_not_found');
  return listed(
    call,
    channel.messages.filter((each) => each.ts === ts || each.threadTs === ts),
  );
}

function open({ installation: { workspace, bot }, args }: BotCall) {
  const [id = '', ...others] = args.text('users').split(',');
  if (others.length > 0) throw new SlackError('method_not_supported_for_channel_type');
  const person = workspace.users.get(id);
  if (!person) throw new SlackError(id === '' ? 'users_list_not_supplied' : 'user_not_found');
  if (person.isBot) throw new SlackError('cannot_dm_bot');
  if (person.isDeleted) throw new SlackError('user_disabled');
  const channel = workspace.directMessages(bot, person);
  return { channel: args.flag('return_im') ? channel.wire(bot) : { id: channel.id } };
}
