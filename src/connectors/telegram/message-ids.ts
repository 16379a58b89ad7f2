/** Ids of supergroups and channels are below this, those of groups above (https://core.telegram.org/api/bots/ids). */
const FIRST_SUPERGROUP = -1_000_000_000_000;
const OF_GROUP = 'g';

/**
 * Returns the id of a message in its conversation. A group that becomes a supergroup goes on as the same conversation, but
 * counts its messages from 1 again, so those of groups are marked.
 */
export function messageIdIn(chatId: number, messageId: number): string {
  return isGroup(chatId) ? `${OF_GROUP}${messageId}` : String(messageId);
}

/** Returns Telegram's number of a message in a chat; null: it was written before the group became a supergroup. */
export function numberIn(chatId: string, messageId: string): number | null {
  const isOfGroup = messageId.startsWith(OF_GROUP);
  if (isOfGroup !== isGroup(Number(chatId))) return null;
  return Number(isOfGroup ? messageId.slice(OF_GROUP.length) : messageId);
}

function isGroup(chatId: number): boolean {
  return chatId < 0 && chatId > FIRST_SUPERGROUP;
}
