import { GatewayError } from '../../base/errors.ts';
import { hashToken, isSameSecret, newToken } from '../../base/ids.ts';
import { changeRows } from '../../store/database/rows.ts';
import { findAccount, findAccountByEmail, firstAccount } from '../../store/people/accounts.ts';
import { audit, unauthenticatedActor } from '../../store/people/audit-log.ts';
import { personOf } from '../passwords/hashing-shares.ts';
import { type SignedIn, signIn } from '../sessions/sessions.ts';
import type { Client, People } from './people.ts';

/** Whoever reads old output of the gateway gets nothing by it. */
const LIFETIME_MS = 24 * 3_600_000;

interface Opened {
  readonly accountId: string;
  readonly tokenHash: string;
  readonly openedMs: number;
}

/**
 * The one-time link by which the operator's account, which has only keys at first, gets an address and a password. It
 * is printed at a start while nobody can sign in to the account, and is kept in memory only: the next start prints
 * another one.
 */
export class OperatorSetup {
  readonly #people: People;
  #opened: Opened | null = null;

  constructor(people: People) {
    this.#people = people;
  }

  /** Returns the token of a new link; null if the operator can sign in already. */
  async open(): Promise<string | null> {
    const account = await firstAccount(this.#people.db);
    if (!account || account.email !== null || account.passwordHash !== null) return null;
    const token = newToken();
    const openedMs = this.#people.clock.monotonicMs();
    this.#opened = { accountId: account.id, tokenHash: hashToken(token), openedMs };
    return token;
  }

  /**
   * Sets the operator's address (in lower case) and password, and signs in. The address counts as verified: who runs
   * the gateway needs no proof, and may have no mail server. Throws `invalid_mail_token`, `email_taken` or
   * TooManyAttempts.
   */
  async finish(
    { token, email, password }: { readonly token: string; readonly email: string; readonly password: string },
    client: Client,
  ): Promise<SignedIn> {
    const people = this.#people;
    people.limits.attempt(client.address, null);
    const { accountId } = this.#use(token);
    const passwordHash = await people.hasher.hash(password, personOf(accountId));
    const nowIso = people.clock.nowIso();
    await people.db.transaction().execute(async (trx) => {
      // Somebody else with the same link may have been faster.
      if ((await findAccount(trx, accountId))?.email !== null) throw new GatewayError('invalid_mail_token');
      if (await findAccountByEmail(trx, email)) throw new GatewayError('email_taken');
      const proven = { emailVerifiedAt: nowIso, ownerProvenAt: nowIso };
      await changeRows(trx, 'accounts', { id: accountId }, { email, passwordHash, ...proven });
      const detail = { address: client.address };
      await audit(trx, unauthenticatedActor(accountId), { action: 'account.set_up', detail });
    });
    this.#opened = null;
    return await signIn(people, { email, password }, client, null);
  }

  #use(token: string): Opened {
    const opened = this.#opened;
    const isOpen = opened !== null && this.#people.clock.monotonicMs() - opened.openedMs < LIFETIME_MS;
    if (!isOpen || !isSameSecret(hashToken(token), opened.tokenHash))
      throw new GatewayError('invalid_mail_token');
    return opened;
  }
}
