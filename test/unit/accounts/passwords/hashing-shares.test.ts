import { expect, test } from 'vitest';
import { changePassword } from '../../../../src/accounts/passwords/change-password.ts';
import type { HashingOwner } from '../../../../src/accounts/passwords/hashing-shares.ts';
import type { PasswordHasher } from '../../../../src/accounts/passwords/passwords.ts';
import { forgotPassword, resetPassword } from '../../../../src/accounts/passwords/reset-password.ts';
import type { People } from '../../../../src/accounts/people/people.ts';
import { signUp } from '../../../../src/accounts/people/sign-up.ts';
import { signIn } from '../../../../src/accounts/sessions/sessions.ts';
import {
  CLIENT,
  EMAIL,
  mailTo,
  PASSWORD,
  signedUp,
  type TestPeople,
  testPeople,
  tokenIn,
} from '../test-people.ts';

const STRANGERS = { share: 'strangers', name: '203.0.113' };

/** People who note whose share each password takes. */
function watched({ people }: TestPeople): { owners: HashingOwner[]; watched: People } {
  const owners: HashingOwner[] = [];
  const hasher: PasswordHasher = {
    hash(password, owner) {
      owners.push(owner);
      return people.hasher.hash(password, owner);
    },
    verify(hash, password, owner) {
      owners.push(owner);
      return people.hasher.verify(hash, password, owner);
    },
  };
  return { owners, watched: { ...people, hasher } };
}

test('strangers take the share of their network, and people whom the account knows that of the account', async () => {
  const world = await testPeople();
  const { owners, watched: people } = watched(world);
  const login = (browserToken: string | null, email = EMAIL, password = PASSWORD) =>
    signIn(people, { email, password }, { ...CLIENT, browserToken }, null);
  const { account, sessionId } = await signedUp(world);
  const person = { share: 'people', name: account.id };

  const { browserToken } = await login(null);
  await expect(login(browserToken, 'nobody@example.com')).rejects.toThrow();
  await expect(login('another browser', EMAIL, 'wrong')).rejects.toThrow();
  await signUp(
    people,
    { email: 'b@example.com', password: PASSWORD, name: 'B', inviteCode: null },
    '203.0.113.9',
  );
  expect(owners.splice(0)).toEqual([STRANGERS, STRANGERS, STRANGERS, STRANGERS]);

  await login(browserToken);
  await expect(login(browserToken, EMAIL, 'wrong')).rejects.toThrow();
  const actor = { accountId: account.id, kind: 'session', credentialId: sessionId } as const;
  const passwords = { current: PASSWORD, wanted: 'another battery' };
  await changePassword(people, actor, passwords, CLIENT);
  forgotPassword(people, EMAIL, CLIENT.address);
  await resetPassword(people, tokenIn(mailTo(EMAIL, await world.mails())), PASSWORD, CLIENT.address);
  expect(owners).toEqual([person, person, person, person, person]);
});
