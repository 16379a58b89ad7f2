import { etagOf } from '../dav/file-tree.ts';
import type { Actor, FakeMessage } from './fake-message.ts';
import type { FakeNcUser } from './fake-nc-user.ts';
import type { FakeRoom } from './fake-room.ts';
import type { NcWorld } from './nc-world.ts';

/** Whoever looks at a message, and where. */
export interface View {
  readonly world: NcWorld;
  readonly origin: string;
  readonly room: FakeRoom;
  /** Null: a bot. */
  readonly viewer: FakeNcUser | null;
}

type Parameters = Record<string, Readonly<Record<string, unknown>>>;

/** Mentions as people type them: `@uid`, `@"uid with spaces"`, `@all`. */
const MENTION = /(?<=^|\s)@(?:"([^"]+)"|([A-Za-z0-9_.-]*[A-Za-z0-9_-]))/g;

const TOLD: Readonly<Record<string, string>> = {
  conversation_created: '{actor} created the conversation',
  user_added: '{actor} added {user}',
  user_removed: '{actor} removed {user}',
  call_started: '{actor} started a call',
  call_joined: '{actor} joined the call',
  call_left: '{actor} left the call',
  call_ended: 'Call with {actor} ended',
  call_ended_everyone: '{actor} ended the call',
  message_deleted: '{actor} deleted a message',
  message_edited: '{actor} edited a message',
  reaction_revoked: '{actor} deleted a reaction',
};

/** A message as the chat API gives it to a user, with the message that it answers. */
/** What people record in Talk is named so. */
function typeOfFile({ fileName }: FakeMessage): string {
  return fileName.startsWith('Voice message') ? 'voice-message' : 'comment';
}

export function wireMessage(view: View, message: FakeMessage): Record<string, unknown> {
  const { parent } = message;
  const told = wireAlone(view, message);
  return parent ? { ...told, parent: wireAlone(view, parent) } : told;
}

function wireAlone(view: View, message: FakeMessage): Record<string, unknown> {
  const { room, viewer } = view;
  const { text, parameters } = shownMessage(view, message);
  const { id, actor, timestamp, verb, lastEdit } = message;
  const isOfTalk = verb === 'system' || verb === 'reaction' || verb === 'reaction_deleted';
  const reactions = room.chat.reactionsTo(message);
  const own = reactions.filter((each) => each.actor.type === 'users' && each.actor.id === viewer?.uid);
  return {
    id,
    token: room.token,
    actorType: actor.type,
    actorId: actor.id,
    actorDisplayName: actor.name,
    timestamp,
    message: text,
    // PHP writes an empty map as a list.
    messageParameters: Object.keys(parameters).length === 0 ? [] : parameters,
    systemMessage: isOfTalk ? (message.system ?? verb) : '',
    messageType: isOfTalk ? 'system' : verb === 'object_shared' ? typeOfFile(message) : verb,
    isReplyable: verb === 'comment' || verb === 'object_shared',
    referenceId: message.referenceId,
    reactions: countOf(reactions),
    expirationTimestamp: message.expiresAt,
    markdown: !isOfTalk,
    threadId: message.thread ?? message.parent?.id ?? id,
    ...(isOfThread(room, message) && { isThread: true }),
    ...(lastEdit && {
      lastEditActorType: lastEdit.actor.type,
      lastEditActorId: lastEdit.actor.id,
      lastEditActorDisplayName: lastEdit.actor.name,
      lastEditTimestamp: lastEdit.timestamp,
    }),
    ...(verb === 'comment_deleted' && { deleted: true }),
    ...(message.isSilent && { silent: true }),
    ...(own.length > 0 && { reactionsSelf: own.map((each) => each.text) }),
    ...message.wire,
  };
}

/** The text with placeholders, and what they stand for. */
export function shownMessage(
  view: View,
  message: FakeMessage,
): { readonly text: string; readonly parameters: Parameters } {
  const { actor, verb, system } = message;
  if (verb === 'reaction') return { text: message.text, parameters: {} };
  if (verb === 'reaction_deleted') return { text: 'Reaction deleted by author', parameters: {} };
  if (verb === 'comment_deleted') {
    const isOwn = actor.type === 'users' && actor.id === view.viewer?.uid;
    return {
      text: isOwn ? 'Message deleted by you' : 'Message deleted by author',
      parameters: { actor: person(actor) },
    };
  }
  if (system) {
    const user = message.about ? { user: person(message.about) } : {};
    return { text: TOLD[system] ?? system, parameters: { actor: person(actor), ...user } };
  }
  const written = withMentions(view, message.text);
  if (!message.file) return written;
  return {
    text: message.text === '' ? '{file}' : written.text,
    parameters: { ...written.parameters, actor: person(actor), file: fileParameter(view, message) },
  };
}

function withMentions(
  { world, room, origin }: View,
  typed: string,
): { text: string; parameters: Parameters } {
  const parameters: Parameters = {};
  const keys = new Map<string, string>();
  const text = typed.replace(MENTION, (whole, quoted: string | undefined, bare: string | undefined) => {
    const id = quoted ?? bare ?? '';
    const user = world.users.get(id);
    if (id !== 'all' && !user) return whole;
    const kind = user ? 'user' : 'call';
    const known = keys.get(id);
    if (known !== undefined) return `{${known}}`;
    const key = `mention-${kind}${[...keys.values()].filter((each) => each.startsWith(`mention-${kind}`)).length + 1}`;
    keys.set(id, key);
    parameters[key] = user
      ? { type: 'user', id, name: user.displayName, 'mention-id': id }
      : {
          type: 'call',
          id: room.token,
          name: room.name,
          'call-type': room.kind === 'one-to-one' ? 'one2one' : room.kind,
          'icon-url': `${origin}/ocs/v2.php/apps/spreed/api/v1/room/${room.token}/avatar`,
          'mention-id': 'all',
        };
    return `{${key}}`;
  });
  return { text, parameters };
}

function person({ type, id, name }: Actor): Record<string, string> {
  return {
    type: type === 'users' ? 'user' : 'highlight',
    id,
    name,
    ...(type === 'users' && { 'mention-id': id }),
  };
}

/** Rich objects have texts only. The path is that of the viewer, into whose files the share is mounted. */
function fileParameter({ viewer, origin, world }: View, message: FakeMessage): Record<string, string> {
  const file = message.file!;
  const sharer = world.users.get(message.actor.id);
  const path = viewer?.files.pathOf(file) ?? sharer?.files.pathOf(file) ?? message.fileName;
  return {
    type: 'file',
    id: `${file.id}`,
    name: message.fileName,
    size: `${file.bytes.length}`,
    path,
    link: `${origin}/index.php/f/${file.id}`,
    etag: etagOf(file),
    permissions: '27',
    mimetype: file.mime,
    'preview-available': 'no',
    'hide-download': 'no',
  };
}

function countOf(reactions: readonly FakeMessage[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { text } of reactions) counts[text] = (counts[text] ?? 0) + 1;
  return counts;
}

/** Whether a message belongs to a thread that somebody has made, or has begun it. */
function isOfThread(room: FakeRoom, { id, thread }: FakeMessage): boolean {
  return thread !== null || room.messages.some((each) => each.thread === id);
}
