import { sql } from 'kysely';
import type { Member } from '../agents/agents.ts';
import type { Db } from '../database/tables.ts';
import type { Conversation } from './conversations.ts';
import type { Message } from './messages.ts';

/** Of the newest messages, how many may be looked through for those that nobody answered. */
const LOOK_BACK = 20_000;

/** A message by its id, whosever it is; for what the gateway does by itself. */
export async function findAnyMessage(db: Db, messageId: string): Promise<Message | undefined> {
  return await db.selectFrom('messages').selectAll().where('id', '=', messageId).executeTakeFirst();
}

/** By which login of the gateway a connection is reached; undefined: it is gone, or reached by none. */
export async function loginKeyOf(db: Db, connectionId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('connections')
    .select('loginKey')
    .where('id', '=', connectionId)
    .executeTakeFirst();
  return row?.loginKey ?? undefined;
}

/** Bytes of all files of a message, as far as their sizes are known. */
export async function attachedBytes(db: Db, messageSeq: number): Promise<number> {
  const row = await db
    .selectFrom('attachments')
    .innerJoin('files', 'files.id', 'attachments.fileId')
    .select(({ fn }) => fn.coalesce(fn.sum<number>('files.sizeBytes'), sql<number>`0`).as('bytes'))
    .where('attachments.messageSeq', '=', messageSeq)
    .executeTakeFirstOrThrow();
  return row.bytes;
}

/** What the agents of a platform account have people told who get no answer; the default agent first, then the oldest. */
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

/** Active conversations with people whose last word is theirs and came after a time. */
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
