import { DEFAULT_AGENT_FIRST, type Member } from '../agents/agents.ts';
import type { Db } from '../database/tables.ts';

/** Returns the agent that answers calls of a platform account: the default one, else the oldest. */
export async function answeringAgent(db: Db, member: Member): Promise<string | undefined> {
  const row = await db
    .selectFrom('agentAccounts')
    .innerJoin('agents', 'agents.id', 'agentAccounts.agentId')
    .select('agents.id')
    .where('agentAccounts.memberType', '=', member.type)
    .where('agentAccounts.memberId', '=', member.id)
    .orderBy(DEFAULT_AGENT_FIRST)
    .executeTakeFirst();
  return row?.id;
}
