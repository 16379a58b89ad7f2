import type { Member } from '../agents/agents.ts';
import type { Db } from '../database/rows.ts';
import type { MessagePlatform } from './message-tables.ts';
import type { Message } from './messages.ts';

/**
 * Finds outbound messages by the platform's id within one login: a bot, a connection, or the shared login (`login`
 * null). Returns several only where the platform's ids are not unique.
 */
export async function findSentMessages(
  db: Db,
  platform: string,
  login: Member | null,
  platformMessageId: string,
): Promise<Message[]> {
  return await sentBy(db, platform, login)
    .innerJoin('platformMessages', 'platformMessages.messageSeq', 'messages.seq')
    .where('platformMessages.platformMessageId', '=', platformMessageId)
    .orderBy('messages.seq')
    .execute();
}

/**
 * Finds an outbound message of a login by our id, if its platform id is unknown but may exist: it is being sent, or its
 * outcome is unknown.
 */
export async function findNamelessMessage(
  db: Db,
  platform: string,
  login: Member | null,
  messageId: string,
): Promise<Message | undefined> {
  return await sentBy(db, platform, login)
    .leftJoin('platformMessages', 'platformMessages.messageSeq', 'messages.seq')
    .where('messages.id', '=', messageId)
    .where('messages.status', 'in', ['sending', 'unknown'])
    .where('platformMessages.messageSeq', 'is', null)
    .executeTakeFirst();
}

function sentBy(db: Db, platform: string, login: Member | null) {
  const sent = db
    .selectFrom('messages')
    .innerJoin('conversations', 'conversations.id', 'messages.conversationId')
    .selectAll('messages')
    .where('messages.direction', '=', 'outbound')
    .where('conversations.platform', '=', platform as MessagePlatform);
  if (login !== null)
    return sent
      .where('conversations.memberType', '=', login.type)
      .where('conversations.memberId', '=', login.id);
  return sent
    .where('conversations.memberType', '=', 'connection')
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('connections')
            .select('connections.id')
            .whereRef('connections.id', '=', 'conversations.memberId')
            .where('connections.loginKey', 'is', null),
        ),
      ),
    );
}
