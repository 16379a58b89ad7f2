import { GatewayError } from '../../base/errors.ts';
import { changeRows, type Db } from '../../store/database/rows.ts';
import { findAccount, findAccountByEmail } from '../../store/people/accounts.ts';
import { type Actor, audit, unauthenticatedActor } from '../../store/people/audit-log.ts';
import { voidMailTokens } from '../../store/people/mail-tokens.ts';
import { newMailLink, readMailToken } from '../mail/mail-links.ts';
import {
  addressWantedMail,
  changeAskedMail,
  changeEmailMail,
  emailChangedMail,
  type Mail,
  newAddressMail,
} from '../mail/mails.ts';
import { notifyEmailChangeVoided } from '../mail/notices.ts';
import { MAIL_COST } from '../passwords/attempt-limits.ts';
import { limitChanges, requireStill } from '../passwords/change-password.ts';
import { checkPassword } from '../passwords/check-password.ts';
import { type Ended, endForeignAccess, endUnderWay, followEnd, type Kept, ownSession } from './owners.ts';
import type { Client, People } from './people.ts';
import type { LinkVisitor } from './verify-email.ts';

/**
 * Sends a confirmation link to a new address (in lower case) and a notice to the current one. The address changes when
 * the link is followed. Voids all earlier links. Does not reveal whether the new address has an account. Throws
 * `wrong_password` or TooManyAttempts.
 */
export async function changeEmail(
  people: People,
  actor: Actor,
  { email, password }: { readonly email: string; readonly password: string },
  client: Client,
): Promise<void> {
  const hash = await checkPassword(people, actor.accountId, password, client);
  people.limits.attempt(client.address, `mail ${email}`, MAIL_COST);
  limitChanges(people, actor.accountId, client);
  const links = await people.db.transaction().execute(async (trx) => {
    await requireStill(trx, actor, hash);
    const nowIso = people.clock.nowIso();
    const { address } = client;
    await audit(trx, actor, { action: 'account.ask_email_change', detail: { to: email, address } });
    return await voidMailTokens(trx, actor.accountId, nowIso);
  });
  people.mailer.later(actor.accountId, () => writeLinkMail(people, actor, email, hash));
  people.mailer.later(actor.accountId, () => writeAskedMail(people, actor.accountId, email));
  notifyEmailChangeVoided(
    people,
    links.filter((link) => link.email !== email),
  );
}

/**
 * Returns the mail for the new address; null when the session ended or the password changed meanwhile, which cancels
 * the request.
 */
async function writeLinkMail(
  people: People,
  actor: Actor,
  email: string,
  hash: string,
): Promise<Mail | null> {
  return await people.db.transaction().execute(async (trx) => {
    const { accountId } = actor;
    const owner = await findAccountByEmail(trx, email);
    if (owner && owner.id !== accountId) return addressWantedMail(email);
    if (!(await isStill(trx, actor, hash))) return null;
    const link = { purpose: 'change_email', accountId, email } as const;
    return changeEmailMail(email, await newMailLink(people, trx, link));
  });
}

async function isStill(db: Db, actor: Actor, hash: string): Promise<boolean> {
  return await requireStill(db, actor, hash).then(
    () => true,
    (error: unknown) => {
      if (error instanceof GatewayError) return false;
      throw error;
    },
  );
}

async function writeAskedMail(people: People, accountId: string, wanted: string): Promise<Mail | null> {
  const email = (await findAccount(people.db, accountId))?.email ?? null;
  if (email === null || email === wanted) return null;
  return changeAskedMail(email, `${people.publicUrl()}/auth/reset-password`);
}

/**
 * Changes the account's address to the one that the link was sent to and notifies both addresses. Ends sessions and
 * links with `endUnderWay`, or with `endForeignAccess` when the former address was never verified. The visitor's own
 * session stays. Following the link again changes nothing. Throws `invalid_mail_token`, `email_taken` or
 * TooManyAttempts.
 */
export async function confirmEmailChange(people: People, token: string, visitor: LinkVisitor): Promise<void> {
  people.limits.attempt(visitor.ip, null);
  const moved = await people.db.transaction().execute((trx) => moveAddress(people, trx, token, visitor));
  if (moved === null) return;
  const { accountId, former, email, ended, kept } = moved;
  await followEnd(people, accountId, ended, kept);
  if (former !== null && former !== email)
    people.mailer.later(accountId, async () => emailChangedMail(former));
  people.mailer.later(accountId, async () => newAddressMail(email));
}

interface Moved {
  readonly accountId: string;
  readonly former: string | null;
  readonly email: string;
  readonly ended: Ended;
  readonly kept: Kept;
}

/** Changes the address in the database. Returns null when the account already has it. */
async function moveAddress(
  people: People,
  trx: Db,
  token: string,
  { ip, session }: LinkVisitor,
): Promise<Moved | null> {
  const nowIso = people.clock.nowIso();
  const proof = await readMailToken(trx, 'change_email', token, nowIso);
  const account = proof && (await findAccount(trx, proof.accountId));
  if (!account) throw new GatewayError('invalid_mail_token');
  const { accountId, email } = proof;
  const owner = await findAccountByEmail(trx, email);
  if (owner && owner.id !== accountId) throw new GatewayError('email_taken');
  const kept = { sessionId: await ownSession(trx, accountId, session), linkHash: proof.tokenHash };
  if (account.email === email && account.emailVerifiedAt !== null) {
    if (kept.sessionId !== null && account.ownerProvenAt === null)
      await changeRows(trx, 'accounts', { id: accountId }, { ownerProvenAt: nowIso });
    return null;
  }
  // The link proves the new address. Only a session shows that the visitor also has the password.
  const ownerProvenAt = kept.sessionId === null ? null : nowIso;
  await changeRows(trx, 'accounts', { id: accountId }, { email, emailVerifiedAt: nowIso, ownerProvenAt });
  const end = account.emailVerifiedAt === null ? endForeignAccess : endUnderWay;
  const ended = await end(trx, accountId, nowIso, kept);
  const detail = { from: account.email, to: email, address: ip };
  await audit(trx, unauthenticatedActor(accountId), { action: 'account.change_email', detail });
  return { accountId, former: account.email, email, ended, kept };
}
