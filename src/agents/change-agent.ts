import { type Agent, type AgentChange, updateAgent } from '../store/agents/agents.ts';
import type { Db } from '../store/database/tables.ts';
import { type Actor, audit } from '../store/people/audit-log.ts';
import { type AgentDomain, requireAgent } from './agent-domain.ts';
import { type AgentView, viewAgent } from './list-agents.ts';

/**
 * Changes an agent's name, or the text sent to people who get no answer in time. Works for the default agent too.
 * Fields left out keep their value. Throws `agent_not_found`.
 */
export async function changeAgent(
  { store, clock }: AgentDomain,
  actor: Actor,
  agentId: string,
  change: AgentChange,
): Promise<AgentView> {
  return await store.db.transaction().execute(async (trx) => {
    const former = await requireAgent(trx, actor.accountId, agentId);
    await updateAgent(trx, agentId, change);
    await auditChange(trx, actor, { former, change }, clock.nowIso());
    return await viewAgent(trx, actor.accountId, agentId);
  });
}

interface Alteration {
  readonly former: Agent;
  readonly change: AgentChange;
}

/** Writes the change to the audit log, without the private timeout text. */
async function auditChange(
  db: Db,
  actor: Actor,
  { former, change: { name, timeoutText } }: Alteration,
  nowIso: string,
): Promise<void> {
  if (name !== undefined)
    await audit(db, actor, {
      action: 'agent.rename',
      subject: former.id,
      detail: { from: former.name, to: name },
      createdAt: nowIso,
    });
  if (timeoutText !== undefined)
    await audit(db, actor, {
      action: 'agent.timeout_text',
      subject: former.id,
      detail: {},
      createdAt: nowIso,
    });
}
