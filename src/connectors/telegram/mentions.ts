import type { Entity, Message } from './bot-api-types.ts';

/** A bot, as it is named in groups. */
export interface OwnBot {
  readonly id: string;
  /** Without the @; null: not known. */
  readonly username: string | null;
}

/**
 * Returns whether a message in a group is meant for the bot: it names the bot, answers it, or is a command for no other one.
 * In privacy mode, Telegram delivers little else (https://core.telegram.org/bots/features#privacy-mode).
 */
export function isForBot(message: Message, own: OwnBot): boolean {
  const { text, entities, caption, caption_entities: captionEntities, reply_to_message: answered } = message;
  // Whatever is written in a topic seems to answer the notice that it was made.
  if (answered?.from && String(answered.from.id) === own.id && !answered.forum_topic_created) return true;
  const words = text ?? caption ?? '';
  return (entities ?? captionEntities ?? []).some((entity) => {
    const marked = words.slice(entity.offset, entity.offset + entity.length);
    return namesBot(entity, marked, own) || (entity.offset === 0 && isBareCommand(entity, marked));
  });
}

/** Returns what is left of a range of text when the bot's own name is taken out of it; null: it does not name the bot. */
export function withoutName(entity: Entity, marked: string, own: OwnBot): string | null {
  if (!namesBot(entity, marked, own)) return null;
  return entity.type === 'bot_command' ? marked.slice(0, marked.indexOf('@')) : '';
}

/** `@bot`, `/command@bot`, or the name of a bot that was picked from the list of members. */
function namesBot({ type, user }: Entity, marked: string, { id, username }: OwnBot): boolean {
  if (type === 'text_mention') return user !== undefined && String(user.id) === id;
  if (type !== 'mention' && type !== 'bot_command') return false;
  return username !== null && marked.slice(marked.indexOf('@') + 1).toLowerCase() === username.toLowerCase();
}

/** People write `/command` where there is one bot only, and apps write it for them. */
function isBareCommand({ type }: Entity, marked: string): boolean {
  return type === 'bot_command' && !marked.includes('@');
}
