import { GatewayError } from '../../base/errors.ts';
import { type Account, findAccountByEmail } from '../../store/people/accounts.ts';
import { provenHash } from '../passwords/check-password.ts';
import type { Client, People } from '../people/people.ts';
import { closeSession, type OpenedSession, openSessionByPassword } from './sessions.ts';

/** The account that was signed in, and the browser's tokens. */
export interface SignedIn extends OpenedSession {
  readonly account: Account;
}

/**
 * Signs in with an address (in lower case) and a password, and ends the browser's previous session. Unknown addresses
 * and wrong passwords take the same time. Throws `invalid_login` or TooManyAttempts.
 */
export async function signIn(
  people: People,
  { email, password }: { readonly email: string; readonly password: string },
  client: Client,
  formerToken: string | null,
): Promise<SignedIn> {
  const account = await findAccountByEmail(people.db, email);
  const hash = await provenHash(people, { account, subject: email, password }, client);
  if (!account || hash === null) throw new GatewayError('invalid_login');
  const opened = await openSessionByPassword(people, account.id, client, hash);
  const former = formerToken === null ? null : people.sessions.use(formerToken);
  if (former) await closeSession(people, former.id);
  return { account, ...opened };
}
