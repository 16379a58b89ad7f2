import { ensureDefaultAgent } from '../../accounts/account/default-agent.ts';
import { newId } from '../../base/ids.ts';
import type { Platform } from '../../base/platform.ts';
import { hashToken } from '../../base/tokens.ts';
import type { Address } from '../../connectors/contract/messenger.ts';
import { attachMember, type Member } from '../../store/agents/agents.ts';
import type { Db } from '../../store/database/tables.ts';
import { connectionsOfRemote, insertConnection, updateConnection } from '../../store/logins/connections.ts';
import { heardFrom, openConversation } from '../../store/messages/conversations.ts';
import { audit, nobodyOf } from '../../store/people/audit-log.ts';
import { takeInviteLink } from '../../store/people/invite-links.ts';
import type { IntakeDomain } from './intake-domain.ts';
import { SHARED_LOGIN } from './receivers.ts';

/** The person who presented a token. */
interface Holder {
  readonly remoteId: string;
  readonly remoteName: string | null;
}

interface Newcomer {
  readonly from: Address;
  readonly remoteName: string | null;
  readonly token: string;
}

/**
 * Binds a person to the account whose token they send to the shared login. This creates a connection of the account's
 * default agent and a conversation in which they can be answered. The token is used up. Returns false when the token is
 * unknown, used or expired.
 */
export async function bindRemote(
  domain: IntakeDomain,
  platform: Platform,
  { from: { login, remoteId }, remoteName, token }: Newcomer,
): Promise<boolean> {
  // A bot belongs to one account and accepts messages from anyone.
  if (login.kind !== 'shared') return false;
  const nowIso = domain.clock.nowIso();
  const accountId = await domain.store.db.transaction().execute(async (trx) => {
    const link = await takeInviteLink(trx, hashToken(token), nowIso);
    if (!link) return null;
    const holder = { remoteId, remoteName };
    const member = await connect(domain, trx, { accountId: link.accountId, platform, holder }, nowIso);
    const remote = { accountId: link.accountId, platform, member, ...holder, alias: null };
    const conversation = await openConversation(trx, remote, nowIso);
    await heardFrom(trx, conversation.id, nowIso);
    return link.accountId;
  });
  if (accountId === null) return false;
  await domain.followAgents(accountId);
  domain.wakeups.wake(accountId);
  return true;
}

interface NewConnection {
  readonly accountId: string;
  readonly platform: Platform;
  readonly holder: Holder;
}

/** A person who is already bound stays in the same agents. From now on their messages go to this account. */
async function connect(
  domain: IntakeDomain,
  trx: Db,
  { accountId, platform, holder: { remoteId, remoteName } }: NewConnection,
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
  const sealed = domain.store.secrets.seal('', {
    table: 'connections',
    column: 'sealed_credentials',
    row: id,
  });
  await insertConnection(trx, { ...connection, loginKey: SHARED_LOGIN, remoteId }, sealed);
  const agent = await ensureDefaultAgent(trx, accountId, nowIso);
  const member = { type: 'connection', id } as const;
  await attachMember(trx, agent.id, member);
  await audit(trx, nobodyOf(accountId), {
    action: 'connection.create',
    subject: id,
    detail: { provider: platform, label },
    createdAt: nowIso,
  });
  return member;
}
