import {
  type APIAttachment,
  type APIMessage,
  type MessageFlags,
  MessageReferenceType,
  MessageType,
} from 'discord-api-types/v10';
import type { StoredFile } from '../cdn.ts';
import { madeAtMs } from './snowflakes.ts';
import { type FakeUser, wireUser } from './user.ts';

/** Whom a message notifies. */
export interface Mentions {
  readonly users: readonly FakeUser[];
  readonly roleIds: readonly string[];
  readonly isEveryone: boolean;
}

export interface MessageReference {
  readonly messageId: string;
  readonly channelId: string;
  readonly guildId: string | null;
}

export interface FakeMessage {
  readonly id: string;
  readonly channelId: string;
  readonly guildId: string | null;
  readonly author: FakeUser;
  readonly webhookId: string | null;
  readonly type: MessageType;
  readonly nonce: string | number | null;
  readonly reference: MessageReference | null;
  content: string;
  mentions: Mentions;
  attachments: readonly StoredFile[];
  embeds: APIMessage['embeds'];
  flags: MessageFlags;
  readonly components: readonly object[];
  /** The bot's reactions. */
  readonly reactions: Set<string>;
  /** Null: never edited. */
  editedAtMs: number | null;
}

/** How a message is shown to one bot. */
export interface MessageView {
  /** Without the intent MESSAGE_CONTENT much of a message is empty. */
  readonly hasContent: boolean;
  urlOf(file: StoredFile): string;
  /** The message that this one answers; null: it is gone. */
  readonly referenced: FakeMessage | null;
}

export function wireMessage(message: FakeMessage, view: MessageView): APIMessage {
  const { id, channelId, author, mentions, reference } = message;
  return {
    id,
    channel_id: channelId,
    type: message.type,
    author: wireUser(author),
    content: view.hasContent ? message.content : '',
    timestamp: isoTime(madeAtMs(id)),
    edited_timestamp: message.editedAtMs === null ? null : isoTime(message.editedAtMs),
    tts: false,
    pinned: false,
    mention_everyone: mentions.isEveryone,
    mentions: mentions.users.map(wireUser),
    mention_roles: [...mentions.roleIds],
    attachments: view.hasContent ? message.attachments.map((file) => wireFile(file, view)) : [],
    embeds: view.hasContent ? message.embeds : [],
    components: message.components as NonNullable<APIMessage['components']>,
    flags: message.flags,
    ...(message.nonce === null ? {} : { nonce: message.nonce }),
    ...(message.webhookId === null ? {} : { webhook_id: message.webhookId }),
    ...(reference ? { message_reference: wireReference(reference) } : {}),
    ...(message.type === MessageType.Reply
      ? { referenced_message: view.referenced && wireMessage(view.referenced, { ...view, referenced: null }) }
      : {}),
  };
}

function wireReference({ messageId, channelId, guildId }: MessageReference) {
  return {
    type: MessageReferenceType.Default,
    message_id: messageId,
    channel_id: channelId,
    ...(guildId === null ? {} : { guild_id: guildId }),
  };
}

function wireFile(file: StoredFile, { urlOf }: MessageView): APIAttachment {
  const url = urlOf(file);
  return {
    id: file.id,
    filename: file.name,
    size: file.bytes.length,
    url,
    proxy_url: url,
    content_type: file.mime,
    ...(file.description === undefined ? {} : { description: file.description }),
    ...(file.mime.startsWith('image/') ? { width: 640, height: 480 } : {}),
    ...(file.voice ? { duration_secs: file.voice.durationS, waveform: file.voice.waveform } : {}),
  };
}

/** As Discord writes times. */
export function isoTime(timeMs: number): string {
  return new Date(timeMs).toISOString().replace('Z', '000+00:00');
}
