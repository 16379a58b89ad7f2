import type { FakeBot } from '../world/fake-bot.ts';
import type { FakeChat, FakeMessage, WireAttachment } from '../world/fake-chat.ts';
import type { FakeUser } from '../world/fake-user.ts';
import { newGuid } from '../world/teams-ids.ts';

/** What all activities of a fake Teams share. */
export interface ActivitySource {
  readonly bot: FakeBot;
  readonly serviceUrl: string;
}

/** What happens in a chat, by whom. `root`: the thread, in a channel. */
export interface Happening {
  readonly chat: FakeChat;
  readonly user: FakeUser;
  readonly root?: string | null;
}

/** Fields of every activity (https://learn.microsoft.com/microsoftteams/platform/resources/bot-v3/bot-conversations). */
export function envelope({ bot, serviceUrl }: ActivitySource, { chat, user, root = null }: Happening) {
  const { id, kind: conversationType, tenantId, name } = chat;
  const channel = kindData(chat);
  return {
    timestamp: new Date().toISOString(),
    serviceUrl,
    channelId: 'msteams',
    from: { id: user.id, name: user.name, aadObjectId: user.objectId },
    conversation: {
      conversationType,
      tenantId,
      id: root === null ? id : `${id};messageid=${root}`,
      ...(conversationType === 'personal' ? {} : { isGroup: true }),
      ...(conversationType === 'groupChat' && name !== null ? { name } : {}),
    },
    recipient: { id: bot.id, name: bot.name },
    channelData: { tenant: { id: tenantId }, ...channel },
  };
}

/** A message as a person writes it; `mentions`: it addresses the bot. */
export function messageActivity(
  source: ActivitySource,
  happening: Happening,
  message: FakeMessage,
  mentions: boolean,
) {
  const mark = `<at>${source.bot.name}</at>`;
  const text = mentions ? `${mark} ${message.text}` : message.text;
  const mention = { type: 'mention', mentioned: { id: source.bot.id, name: source.bot.name }, text: mark };
  const info = { type: 'clientInfo', locale: 'en-US', country: 'US', platform: 'Windows' };
  return {
    type: 'message',
    id: message.id,
    ...envelope(source, happening),
    text,
    textFormat: 'plain',
    locale: 'en-US',
    attachments: [...message.attachments, htmlTwin(text, message.quotes ?? null)],
    ...(message.press && { value: message.press.value, replyToId: message.press.replyToId }),
    entities: mentions ? [mention, info] : [info],
  };
}

/** Somebody has reacted to a message, or taken that back. */
export function reactionActivity(
  source: ActivitySource,
  happening: Happening,
  replyToId: string,
  change: { readonly type: string; readonly isAdded: boolean },
) {
  const list = change.isAdded ? 'reactionsAdded' : 'reactionsRemoved';
  return {
    type: 'messageReaction',
    id: newGuid(),
    replyToId,
    [list]: [{ type: change.type }],
    ...envelope(source, happening),
  };
}

/** Teams adds the rich text of a message as an attachment. */
function htmlTwin(text: string, quotes: FakeMessage | null): WireAttachment {
  const shown = (words: string) => words.replaceAll('<', '&lt;');
  const quote =
    quotes === null
      ? ''
      : `<blockquote itemscope="" itemtype="http://schema.skype.com/Reply" itemid="${quotes.id}"><strong itemprop="mri">${shown(quotes.from?.name ?? 'Bot')}</strong><p itemprop="preview">${shown(quotes.text)}</p></blockquote>`;
  return { contentType: 'text/html', content: `${quote}<div><p>${shown(text)}</p></div>` };
}

export function editActivity(
  source: ActivitySource,
  happening: Happening,
  message: FakeMessage,
  mentions: boolean,
) {
  const activity = messageActivity(source, happening, message, mentions);
  const channelData = { ...activity.channelData, eventType: 'editMessage' };
  return { ...activity, type: 'messageUpdate', channelData };
}

export function deleteActivity(source: ActivitySource, happening: Happening, { id }: FakeMessage) {
  const base = envelope(source, happening);
  return {
    type: 'messageDelete',
    id,
    ...base,
    channelData: { ...base.channelData, eventType: 'softDeleteMessage' },
  };
}

/** The app was installed for a person or team, or removed. */
export function installationActivity(source: ActivitySource, happening: Happening, action: 'add' | 'remove') {
  return { type: 'installationUpdate', id: newGuid(), action, ...envelope(source, happening) };
}

/** The bot became a member, or is none any longer. */
export function membershipActivity(source: ActivitySource, happening: Happening, isAdded: boolean) {
  const members = [{ id: source.bot.id }];
  const change = isAdded ? { membersAdded: members } : { membersRemoved: members };
  return { type: 'conversationUpdate', id: newGuid(), ...envelope(source, happening), ...change };
}

/** Somebody pressed a button of a card. */
export function invokeActivity(source: ActivitySource, happening: Happening, name: string, value: unknown) {
  return { type: 'invoke', id: newGuid(), name, value, ...envelope(source, happening) };
}

function kindData({ kind, id, teamId }: FakeChat): object {
  if (kind !== 'channel') return {};
  return { teamsChannelId: id, teamsTeamId: teamId, channel: { id }, team: { id: teamId } };
}
