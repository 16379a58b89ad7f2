import { ensureDefaultAgent } from '../../accounts/account/default-agent.ts';
import { newId } from '../../base/ids.ts';
import { hashToken } from '../../base/tokens.ts';
import { SHARED_LOGIN } from '../../connectors/contract/login.ts';
import type { Address } from '../../connectors/contract/messenger.ts';
import { attachMember, type Member } from '../../store/agents/agents.ts';
import type { Db } from '../../store/database/tables.ts';
import { connectionsOfRemote, insertConnection, updateConnection } from '../../store/logins/connections.ts';
import { heardFrom, openConversation } from '../../store/messages/conversations.ts';
import { audit, unauthenticatedActor } from '../../store/people/audit-log.ts';
import { takeInviteLink } from '../../store/people/invite-links.ts';
import type { IntakeDomain } from './intake-domain.ts';

/** The person who presented a token, and its account. */
interface Holder {
  readonly accountId: string;
  readonly remoteId: string;
  readonly remoteName: string | null;
}

/**
 * Binds a person to the account whose token they send to the shared login. This creates a connection of the account's
 * default agent and a conversation in which they can be answered. The token is used up. Returns false when the token is
 * unknown, used or expired.
 */
export async function bindRemote(
  domain: IntakeDomain,
  { login, remoteId }: Address,
  remoteName: string | null,
  token: string,
): Promise<boolean> {
  // Any other login belongs to one account and accepts messages from anyone.
  if (login.kind !== 'shared') return false;
  const nowIso = domain.clock.nowIso();
  const accountId = await domain.store.db.transaction().execute(async (trx) => {
    const link = await takeInviteLink(trx, hashToken(token), nowIso);
    if (!link) return null;
    const { accountId } = link;
    const holder = { accountId, remoteId, remoteName };
    const member = await connect(domain, trx, holder, nowIso);
    const remote = { ...holder, platform: domain.platform, member, alias: null };
    const conversation = await openConversation(trx, remote, nowIso);
    await heardFrom(trx, conversation.id, nowIso);
    return accountId;
  });
  if (accountId === null) return false;
  await domain.followAgents(accountId);
  domain.wakeups.wake(accountId);
  return true;
}

/** A person who is already bound stays in the same agents. From now on their messages go to this account. */
async function connect(
  { platform, store }: IntakeDomain,
  trx: Db,
  { accountId, remoteId, remoteName }: Holder,
  nowIso: string,
): Promise<Member> {
  const bound = { provider: platform, loginKey: SHARED_LOGIN, remoteIds: [remoteId] };
  const known = (await connectionsOfRemote(trx, bound)).find((each) => each.accountId === accountId);
  const label = remoteName ?? remoteId;
  const change = { label, status: 'ok', updatedAt: nowIso };
  if (known) {
    await updateConnection(trx, known.id, change);
    return { type: 'connection', id: known.id };
  }
  const id = newId('con');
  const connection = { id, accountId, provider: platform, email: null, ...change, createdAt: nowIso };
  // The shared login belongs to the operator, so this person has no secret.
  const sealed = store.secrets.seal('', { table: 'connections', column: 'sealed_credentials', row: id });
  await insertConnection(trx, { ...connection, loginKey: SHARED_LOGIN, remoteId }, sealed);
  const agent = await ensureDefaultAgent(trx, accountId, nowIso);
  const member = { type: 'connection', id } as const;
  await attachMember(trx, agent.id, member);
  await audit(trx, unauthenticatedActor(accountId), {
    action: 'connection.create',
    subject: id,
    detail: { provider: platform, label },
  });
  return member;
}
