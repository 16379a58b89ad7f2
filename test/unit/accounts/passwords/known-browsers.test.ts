import { expect, test } from 'vitest';
import { changePassword } from '../../../../src/accounts/passwords/change-password.ts';
import { knownBrowser } from '../../../../src/accounts/passwords/known-browsers.ts';
import { forgotPassword, resetPassword } from '../../../../src/accounts/passwords/reset-password.ts';
import { signIn } from '../../../../src/accounts/sessions/sessions.ts';
import { hashToken } from '../../../../src/base/ids.ts';
import { CLIENT, EMAIL, mailTo, PASSWORD, signedUp, testPeople, tokenIn } from '../test-people.ts';

/** A person who signs in with several browsers. */
async function signingIn() {
  const tested = await testPeople();
  const { people, clock } = tested;
  const { account, sessionId } = await signedUp(tested);
  const enter = async (browserToken: string | null = null, password = PASSWORD) => {
    clock.advance(1_000);
    const credentials = { email: EMAIL, password };
    return (await signIn(people, credentials, { ...CLIENT, browserToken }, null)).browserToken;
  };
  const isKnown = async (token: string | null) => (await knownBrowser(people.db, account.id, token)) !== null;
  const rows = () => people.db.selectFrom('knownBrowsers').selectAll().execute();
  const actor = { accountId: account.id, kind: 'session', credentialId: sessionId } as const;
  return { ...tested, account, actor, enter, isKnown, rows };
}

test('a browser becomes known with the first right password, and gets its token once', async () => {
  const { enter, isKnown, rows, people } = await signingIn();
  const token = (await enter())!;
  expect(token).toMatch(/^[\w-]{43}$/);
  expect(await isKnown(token)).toBe(true);
  expect(await enter(token)).toBeNull();
  await expect(enter(token, 'wrong password')).rejects.toMatchObject({ code: 'invalid_login' });
  expect((await rows()).map(({ tokenHash }) => tokenHash)).toContain(hashToken(token));
  expect(JSON.stringify(await rows())).not.toContain(token);
  const made = { id: 'acc_other', name: 'x', createdAt: '2026-01-02T03:04:05.678Z' };
  const nobody = { email: null, emailVerifiedAt: null, passwordHash: null, ownerProvenAt: null };
  await people.db
    .insertInto('accounts')
    .values({ ...made, ...nobody })
    .execute();
  expect(await knownBrowser(people.db, made.id, token)).toBeNull();
});

test('a made-up browser token is replaced by one of ours', async () => {
  const { enter, isKnown } = await signingIn();
  const token = await enter('made-up');
  expect([token === 'made-up', await isKnown('made-up'), await isKnown(token)]).toEqual([false, false, true]);
});

test('an account remembers twenty browsers, the most recently used ones', async () => {
  const { enter, isKnown, rows } = await signingIn();
  const tokens: string[] = [];
  for (let n = 0; n < 20; n++) tokens.push((await enter())!);
  await enter(tokens[0]);
  for (let n = 0; n < 5; n++) tokens.push((await enter())!);
  expect(await rows()).toHaveLength(20);
  expect(await Promise.all([0, 1, 5, 6, 24].map((n) => isKnown(tokens[n]!)))).toEqual([
    true,
    false,
    false,
    true,
    true,
  ]);
});

test('a new password forgets all browsers except the one it was set in', async () => {
  const { people, mails, enter, isKnown, rows, actor } = await signingIn();
  const former = await enter();
  const passwords = { current: PASSWORD, wanted: 'a new password' };
  const { browserToken } = await changePassword(people, actor, passwords, {
    ...CLIENT,
    browserToken: former,
  });
  expect([await isKnown(former), await isKnown(browserToken)]).toEqual([false, true]);
  await mails();
  forgotPassword(people, EMAIL, CLIENT.address);
  await resetPassword(people, tokenIn(mailTo(EMAIL, await mails())), 'a third password', CLIENT.address);
  expect(await rows()).toEqual([]);
});

test('a known browser signs in while others guess from many networks, and the owner gets one mail', async () => {
  const { people, enter, mails } = await signingIn();
  const token = (await enter())!;
  const guess = async (n: number, email: string) => {
    const client = { ...CLIENT, address: `10.0.${n}.1` };
    return await signIn(people, { email, password: 'wrong password' }, client, null).catch(
      ({ code }) => code,
    );
  };
  // An unknown address is treated the same way.
  for (const email of [EMAIL, 'nobody@example.com']) {
    const refusals = await Promise.all(Array.from({ length: 101 }, (_, n) => guess(n, email)));
    expect(refusals.toSorted()).toEqual([...Array(100).fill('invalid_login'), 'too_many_attempts']);
  }
  await expect(enter()).rejects.toMatchObject({ code: 'too_many_attempts' });
  expect(await enter(token)).toBeNull();
  const sent = await mails();
  expect(sent.map(({ to, subject }) => [to, subject])).toEqual([[EMAIL, 'Too many wrong passwords']]);
});
