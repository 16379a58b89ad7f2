import { newId } from '../../base/ids.ts';
import {
  type Agent,
  attachMember,
  findDefaultAgent,
  insertAgent,
  type Member,
} from '../../store/agents/agents.ts';
import type { Db } from '../../store/database/rows.ts';

const DEFAULT_AGENT_NAME = 'Default agent';

/** Returns the account's default agent and creates it if needed. Run it in the transaction that needs it. */
export async function ensureDefaultAgent(db: Db, accountId: string, nowIso: string): Promise<Agent> {
  const known = await findDefaultAgent(db, accountId);
  if (known) return known;
  return await insertAgent(db, {
    id: newId('agt'),
    accountId,
    name: DEFAULT_AGENT_NAME,
    isDefault: true,
    createdAt: nowIso,
  });
}

/** Adds a new platform account to the default agent. Returns the agent's id. Run it in a transaction. */
export async function joinDefaultAgent(
  db: Db,
  accountId: string,
  member: Member,
  nowIso: string,
): Promise<string> {
  const { id } = await ensureDefaultAgent(db, accountId, nowIso);
  await attachMember(db, id, member);
  return id;
}
