import { joinDefaultAgent } from '../../accounts/account/default-agent.ts';
import { type Address, SHARED_LOGIN } from '../../base/address.ts';
import { hashToken, newId } from '../../base/ids.ts';
import type { Member } from '../../store/agents/agents.ts';
import { changeRows, type Db, insertRow, putRow, takeUnexpired } from '../../store/database/rows.ts';
import { connectionsOfRemote, type StoredConnection } from '../../store/logins/connections.ts';
import { sealTokens } from '../../store/logins/login-connections.ts';
import { heardFrom } from '../../store/messages/conversations.ts';
import { openConversation, type Space } from '../../store/messages/spaces.ts';
import { audit, unauthenticatedActor } from '../../store/people/audit-log.ts';
import type { IntakeDomain } from './intake-domain.ts';
import { shownName } from './shown-name.ts';

/** The person or channel in which a token was presented, and the token's account. */
interface Holder {
  readonly accountId: string;
  readonly space: Space;
  readonly remoteName: string | null;
}

/**
 * Binds a person to the account whose token they send to the shared login, or the channel in which they send it. This
 * creates a connection of the account's default agent and a conversation in which they can be answered. The token is
 * used up. Returns false when the token is unknown, used or expired. Also returns false when the channel belongs to
 * another account, and keeps the token: its other members must not lose it to one of them.
 */
export async function bindRemote(
  domain: IntakeDomain,
  { login, space, thread }: Address,
  name: string | null,
  token: string,
): Promise<boolean> {
  // Any other login belongs to one account and accepts messages from anyone.
  if (login.kind !== 'shared') return false;
  const nowIso = domain.clock.nowIso();
  const remoteName = shownName(name);
  const accountId = await domain.store.db.transaction().execute(async (trx) => {
    const link = await takeUnexpired(trx, 'inviteLinks', { tokenHash: hashToken(token) }, nowIso);
    if (!link) return null;
    const { accountId } = link;
    const holder = { accountId, space, remoteName };
    const bound = await boundTo(domain, trx, space);
    if (space.kind === 'channel' && bound.some((each) => each.accountId !== accountId)) {
      await putRow(trx, 'inviteLinks', link, { key: ['accountId'] });
      return null;
    }
    const known = bound.find((each) => each.accountId === accountId);
    const member = await connect(domain, trx, holder, known);
    const remote = { ...holder, platform: domain.platform, member, thread, alias: null };
    await heardFrom(trx, (await openConversation(trx, remote, nowIso)).id, nowIso);
    return accountId;
  });
  if (accountId === null) return false;
  await domain.followAgents(accountId);
  domain.wakeups.wake(accountId);
  return true;
}

async function boundTo(
  { platform: provider }: IntakeDomain,
  trx: Db,
  { kind: spaceKind, id }: Space,
): Promise<StoredConnection[]> {
  return await connectionsOfRemote(trx, { provider, loginKey: SHARED_LOGIN, spaceKind, remoteIds: [id] });
}

/** Who is already bound stays in the same agents. From now on their messages go to this account. */
async function connect(
  { platform, store, clock }: IntakeDomain,
  trx: Db,
  { accountId, space, remoteName }: Holder,
  known: StoredConnection | undefined,
): Promise<Member> {
  const nowIso = clock.nowIso();
  const label = remoteName ?? space.id;
  const change = { label, status: 'ok', updatedAt: nowIso };
  if (known) {
    await changeRows(trx, 'connections', { id: known.id }, change);
    return { type: 'connection', id: known.id };
  }
  const id = newId('con');
  const linked = { loginKey: SHARED_LOGIN, remoteId: space.id, spaceKind: space.kind };
  const connection = { id, accountId, provider: platform, email: null, ...change, createdAt: nowIso };
  // The shared login belongs to the operator, so this connection has no secret.
  const sealedCredentials = sealTokens(store.secrets, id, null);
  await insertRow(trx, 'connections', { ...connection, ...linked, sealedCredentials });
  const member = { type: 'connection', id } as const;
  await joinDefaultAgent(trx, accountId, member, nowIso);
  await audit(trx, unauthenticatedActor(accountId), {
    action: 'connection.create',
    subject: id,
    detail: { provider: platform, label },
  });
  return member;
}
