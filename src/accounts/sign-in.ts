import { GatewayError } from '../base/errors.ts';
import { type Account, findAccountByEmail } from '../store/accounts.ts';
import { verifyPassword } from './passwords.ts';
import type { Client, People } from './people.ts';
import { closeSession, openSession } from './sessions.ts';

export interface SignedIn {
  readonly account: Account;
  /** The new session's, for the cookie. */
  readonly token: string;
}

/**
 * Signs somebody in by address (in lower case) and password; the session that the browser had until then ends.
 * Unknown addresses and wrong passwords take the same time. Throws `invalid_login` or TooManyAttempts.
 */
export async function signIn(
  people: People,
  { email, password }: { readonly email: string; readonly password: string },
  client: Client,
  formerToken: string | null,
): Promise<SignedIn> {
  const subject = `login ${email}`;
  people.limits.attempt(client.address, subject);
  const account = await findAccountByEmail(people.db, email);
  const isRight = await verifyPassword(account?.passwordHash ?? null, password);
  if (!account || !isRight) throw new GatewayError('invalid_login');
  people.limits.forgive(subject);
  const former = formerToken === null ? null : people.sessions.use(formerToken);
  if (former) await closeSession(people, former.id);
  return { account, token: await openSession(people, account.id, client) };
}
