import * as z from 'zod';
import { channelAddress, type LoginRef } from '../../../base/address.ts';
import { field, platformJson } from '../../../base/platform-json.ts';
import type { AnsweredMessage, MessageIntake } from '../../contract/messenger.ts';
import { linesOf } from '../../kit/text-lines.ts';
import { filesOf, plainText } from '../messages/message-text.ts';
import { RichText, RoomToken } from '../objects.ts';

const PERSON = /^(?:users|guests|emails|federated_users)\/.{1,255}$/s;

const Actor = z.object({ type: z.string().catch(''), id: z.string().catch(''), name: z.string().catch('') });
const Place = z.object({ id: RoomToken, name: z.string().catch('') });
/** Its content is JSON in a text. */
const Note = z.object({
  id: z.coerce.string().regex(/^\d{1,19}$/),
  name: z.string().catch(''),
  content: z.string(),
});
/** What notices of Talk are called that are people's files. */
const SHARED: ReadonlySet<string> = new Set(['', 'message', 'file_shared', 'object_shared']);

/** https://nextcloud-talk.readthedocs.io/en/latest/bots/#receiving-chat-messages */
export const BotPost = z.object({ type: z.string() });
const Written = z.object({
  actor: Actor,
  object: Note.extend({
    inReplyTo: field(
      z.object({ actor: Actor, object: z.object({ id: field(z.coerce.string()), content: z.string() }) }),
    ),
  }),
  target: Place,
});
const Moved = z.object({ object: Place });
/** https://nextcloud-talk.readthedocs.io/en/latest/bots/#receiving-reactions-as-a-bot */
const Reacted = z.object({ actor: Actor, object: Note, target: Place, content: z.string() });
const UndonePost = z.object({ object: z.unknown() });

/**
 * Stores what a post tells a Talk bot. Resolves with false when it cannot be read. Rejects when it cannot be stored now.
 * Edits and notices of Talk's own tell nothing.
 */
export async function takeBotPost(
  { login, nowIso }: { readonly login: LoginRef; readonly nowIso: string },
  { type, body }: { readonly type: string; readonly body: unknown },
  intake: MessageIntake,
): Promise<boolean> {
  switch (type) {
    case 'Create':
      return await written(login, nowIso, body, intake);
    case 'Activity': {
      const { data } = z.object({ object: Note }).safeParse(body);
      return data && SHARED.has(data.object.name) ? await written(login, nowIso, body, intake) : true;
    }
    case 'Like':
      return await reacted(login, body, true, intake);
    case 'Undo':
      return await reacted(login, UndonePost.safeParse(body).data?.object, false, intake);
    case 'Join':
    case 'Leave': {
      const { data } = Moved.safeParse(body);
      if (data) await intake.reachable(channelAddress(login, data.object.id), type === 'Join');
      return data !== undefined;
    }
    default:
      return true;
  }
}

async function written(
  login: LoginRef,
  nowIso: string,
  body: unknown,
  intake: MessageIntake,
): Promise<boolean> {
  const { data } = Written.safeParse(body);
  if (!data) return false;
  const { actor, object, target } = data;
  if (!PERSON.test(actor.id)) return true;
  const text = textOf(object.content);
  if (text === '') return true;
  await intake.received({
    from: { ...channelAddress(login, target.id), person: actor.id.replace(/^users\//, '') },
    alias: null,
    remoteName: target.name || null,
    senderName: actor.name || null,
    platformMessageId: object.id,
    text,
    sentAt: nowIso,
    files: [],
    replyTo: answeredIn(object),
  });
  return true;
}

async function reacted(
  login: LoginRef,
  body: unknown,
  isAdded: boolean,
  intake: MessageIntake,
): Promise<boolean> {
  const { data } = Reacted.safeParse(body);
  if (!data) return false;
  const { actor, object, target, content: emoji } = data;
  if (!PERSON.test(actor.id)) return true;
  const from = { ...channelAddress(login, target.id), person: actor.id.replace(/^users\//, '') };
  const senderName = actor.name || null;
  await intake.reacted(from, { platformMessageId: object.id, emoji, isAdded, senderName });
  return true;
}

function answeredIn({
  inReplyTo: answered,
}: z.output<typeof Written>['object']): AnsweredMessage | undefined {
  if (!answered) return undefined;
  const { actor, object } = answered;
  return { platformMessageId: object.id ?? null, author: actor.name || null, text: textOf(object.content) };
}

/** A Talk bot cannot download files: they are named. */
function textOf(content: string): string {
  const json = platformJson(content);
  const { message, parameters } = z
    .object({ message: z.string(), parameters: z.unknown() })
    .catch({ message: content, parameters: {} })
    .parse(json);
  const rich = RichText.parse({ message, messageParameters: parameters });
  const files = filesOf(rich).map(({ name }) => `[file: ${name}]`);
  return linesOf([plainText(rich, ''), ...files]);
}
