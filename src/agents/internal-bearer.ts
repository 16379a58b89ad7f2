import { storeKey } from '../accounts/keys/api-keys.ts';
import { requireVerifiedAddress } from '../accounts/people/verified-address.ts';
import { assert } from '../base/assert.ts';
import { newApiKey } from '../base/ids.ts';
import {
  findInternalBearer,
  type InternalBearer,
  putInternalBearer,
} from '../store/agents/internal-bearers.ts';
import { type Db, deleteRows } from '../store/database/rows.ts';
import { type Actor, audit } from '../store/people/audit-log.ts';
import { type AgentDomain, requireAgent } from './agent-domain.ts';

const KEY_NAME = 'Internal bearer';

/**
 * Returns the agent key with which an agent's model calls the gateway, and creates it if needed. It acts for this agent
 * only and is not in the list of keys. Throws `agent_not_found`, `email_not_verified`.
 */
export async function getInternalBearer(
  domain: AgentDomain,
  actor: Actor,
  agentId: string,
): Promise<InternalBearer> {
  const { bearer, isNew } = await domain.store.db.transaction().execute(async (trx) => {
    await requireOwner(trx, actor, agentId);
    const known = await findInternalBearer(trx, domain.store.secrets, agentId);
    if (known) return { bearer: known, isNew: false };
    const made = await makeBearer(domain, trx, actor, { agentId, action: 'bearer.create' });
    return { bearer: made, isNew: true };
  });
  if (isNew) await domain.keys.refresh(actor.accountId);
  return bearer;
}

/** Replaces the bearer and invalidates the former one. Throws `agent_not_found`, `email_not_verified`. */
export async function rotateInternalBearer(
  domain: AgentDomain,
  actor: Actor,
  agentId: string,
): Promise<InternalBearer> {
  const bearer = await domain.store.db.transaction().execute(async (trx) => {
    await requireOwner(trx, actor, agentId);
    const former = await findInternalBearer(trx, domain.store.secrets, agentId);
    await domain.models.leaveTools(trx, agentId);
    const made = await makeBearer(domain, trx, actor, { agentId, action: 'bearer.rotate' });
    if (former) await deleteRows(trx, 'apiKeys', { id: former.keyId });
    return made;
  });
  await domain.keys.refresh(actor.accountId);
  domain.models.forget();
  return bearer;
}

async function requireOwner(db: Db, { accountId }: Actor, agentId: string): Promise<void> {
  await requireAgent(db, accountId, agentId);
  await requireVerifiedAddress(db, accountId);
}

interface BearerChange {
  readonly agentId: string;
  readonly action: 'bearer.create' | 'bearer.rotate';
}

async function makeBearer(
  { store, clock }: AgentDomain,
  db: Db,
  actor: Actor,
  { agentId, action }: BearerChange,
): Promise<InternalBearer> {
  const key = newApiKey();
  const owner = { accountId: actor.accountId, kind: 'agent', name: KEY_NAME, agentIds: [agentId] } as const;
  const { id: keyId } = await storeKey(db, key, owner, clock.nowIso());
  await putInternalBearer(db, store.secrets, agentId, { keyId, key });
  await audit(db, actor, { action, subject: agentId, detail: { keyId } });
  const made = await findInternalBearer(db, store.secrets, agentId);
  assert(made !== undefined, 'a bearer that was just stored is there');
  return made;
}
