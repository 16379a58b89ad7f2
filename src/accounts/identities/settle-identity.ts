import { cutText } from '../../base/cut-text.ts';
import { GatewayError } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import { changeRows, type Db, findRow, insertRow } from '../../store/database/rows.ts';
import { findAccountByEmail, insertAccount } from '../../store/people/accounts.ts';
import { type Actor, audit, unauthenticatedActor } from '../../store/people/audit-log.ts';
import { hasSession } from '../../store/people/sessions.ts';
import { requireVerifiedAddress } from '../people/verified-address.ts';
import type { ProvenIdentity } from './identity-provider.ts';

const MAX_NAME_LENGTH = 80;

export interface SettleOptions {
  /** The signed-in person who links the identity to their account; null for a sign-in. */
  readonly linkTo: Actor | null;
  readonly mayRegister: boolean;
  readonly nowIso: string;
}

/**
 * Returns the account of a proven identity, and links or registers it if needed. Run it in a transaction. An identity
 * matches an account by address only if both sides verified the address: the provider, and the account's owner by mail.
 * Otherwise anyone who enters another person's address at a provider, or signs up with it first, would share that
 * person's account.
 */
export async function settleIdentity(
  db: Db,
  proven: ProvenIdentity,
  options: SettleOptions,
): Promise<string> {
  const { linkTo, nowIso } = options;
  if (linkTo !== null) await requireMayLink(db, linkTo);
  const known = await findRow(db, 'identities', { provider: proven.provider, subject: proven.subject });
  if (known) {
    if (linkTo !== null && known.accountId !== linkTo.accountId) throw new GatewayError('identity_taken');
    await changeRows(db, 'identities', { id: known.id }, { email: proven.email, lastUsedAt: nowIso });
    return known.accountId;
  }
  const accountId = linkTo?.accountId ?? (await ownerOf(db, proven)) ?? (await register(db, proven, options));
  await link(db, proven, linkTo ?? unauthenticatedActor(accountId), nowIso);
  return accountId;
}

/**
 * Throws `sign_in_unknown` when the session ended while its owner was at the provider, and `email_not_verified`,
 * because an identity must not outlive the proof of an address.
 */
async function requireMayLink(db: Db, { accountId, credentialId }: Actor): Promise<void> {
  if (!(await hasSession(db, credentialId))) throw new GatewayError('sign_in_unknown');
  await requireVerifiedAddress(db, accountId);
}

/**
 * Returns the account with the verified address; null when there is none. Throws `email_in_use` when the account's
 * owner never proved the address, or when someone else may know its password.
 */
async function ownerOf(db: Db, { email, emailVerified }: ProvenIdentity): Promise<string | null> {
  if (email === null || !emailVerified) return null;
  const account = await findAccountByEmail(db, email);
  if (!account) return null;
  if (account.emailVerifiedAt === null || account.ownerProvenAt === null)
    throw new GatewayError('email_in_use');
  return account.id;
}

/** Creates an account that only this identity gives access to. It gets the address only if the provider verified it. */
async function register(db: Db, proven: ProvenIdentity, options: SettleOptions): Promise<string> {
  if (!options.mayRegister) throw new GatewayError('signup_closed');
  const { provider, email, emailVerified, name } = proven;
  const { nowIso } = options;
  const id = newId('acc');
  const shownName = cutText(name ?? email ?? provider, MAX_NAME_LENGTH);
  const proof = { emailVerifiedAt: nowIso, ownerProvenAt: nowIso };
  const proved = emailVerified && email !== null ? { email, ...proof } : {};
  await insertAccount(db, { id, name: shownName, createdAt: nowIso, ...proved });
  await audit(db, unauthenticatedActor(id), { action: 'account.sign_up', detail: { provider } });
  return id;
}

async function link(db: Db, proven: ProvenIdentity, actor: Actor, nowIso: string): Promise<void> {
  const { accountId } = actor;
  const { provider, subject, email } = proven;
  const id = newId('idn');
  await insertRow(db, 'identities', {
    id,
    accountId,
    provider,
    subject,
    email,
    createdAt: nowIso,
    lastUsedAt: nowIso,
  });
  await audit(db, actor, { action: 'identity.link', subject: id, detail: { provider } });
}
