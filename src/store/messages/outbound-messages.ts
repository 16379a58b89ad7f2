import { sql } from 'kysely';
import type { Member } from '../agents/agents.ts';
import type { Db } from '../database/tables.ts';
import type { Conversation } from './conversations.ts';
import type { Message } from './messages.ts';

/** How many of the newest messages are searched for unanswered ones. */
const LOOK_BACK = 20_000;

/** Finds a message by id, without an access check. For the gateway's own work. */
export async function findAnyMessage(db: Db, messageId: string): Promise<Message | undefined> {
  return await db.selectFrom('messages').selectAll().where('id', '=', messageId).executeTakeFirst();
}

/**
 * Returns the key of the gateway's login through which a connection is reached. Undefined: the connection is gone, or
 * is not reached through a login.
 */
export async function loginKeyOf(db: Db, connectionId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('connections')
    .select('loginKey')
    .where('id', '=', connectionId)
    .executeTakeFirst();
  return row?.loginKey ?? undefined;
}

/** Returns the total size of a message's files, as far as their sizes are known. */
export async function attachedBytes(db: Db, messageSeq: number): Promise<number> {
  const row = await db
    .selectFrom('attachments')
    .innerJoin('files', 'files.id', 'attachments.fileId')
    .select(({ fn }) => fn.coalesce(fn.sum<number>('files.sizeBytes'), sql<number>`0`).as('bytes'))
    .where('attachments.messageSeq', '=', messageSeq)
    .executeTakeFirstOrThrow();
  return row.bytes;
}

/** Returns the timeout texts of the agents of a platform account; the default agent first, then the oldest. */
export async function timeoutTextsOf(db: Db, member: Member): Promise<(string | null)[]> {
  const rows = await db
    .selectFrom('agentAccounts')
    .innerJoin('agents', 'agents.id', 'agentAccounts.agentId')
    .select('agents.timeoutText')
    .where('agentAccounts.memberType', '=', member.type)
    .where('agentAccounts.memberId', '=', member.id)
    .orderBy('agents.isDefault', 'desc')
    .orderBy('agents.createdAt')
    .orderBy('agents.id')
    .execute();
  return rows.map(({ timeoutText }) => timeoutText);
}

/** Returns active conversations with people in which the newest message is inbound and later than `since`. */
export async function listUnanswered(db: Db, since: string): Promise<Conversation[]> {
  return await db
    .selectFrom('messages')
    .innerJoin('conversations', 'conversations.lastSeq', 'messages.seq')
    .selectAll('conversations')
    .where('messages.seq', '>', (eb) =>
      eb.selectFrom('messages').select(sql<number>`coalesce(max(seq), 0) - ${LOOK_BACK}`.as('first')),
    )
    .where('messages.createdAt', '>', since)
    .where('messages.direction', '=', 'inbound')
    .where('conversations.platform', '!=', 'agent')
    .where('conversations.status', '=', 'active')
    .orderBy('messages.seq')
    .execute();
}
