import { describe, expect, it, test } from 'vitest';
import { changePassword } from '../../../../src/accounts/passwords/change-password.ts';
import { forgotPassword, resetPassword } from '../../../../src/accounts/passwords/reset-password.ts';
import { changeEmail, confirmEmailChange } from '../../../../src/accounts/people/change-email.ts';
import { signUp } from '../../../../src/accounts/people/sign-up.ts';
import { resendVerification, verifyEmail } from '../../../../src/accounts/people/verify-email.ts';
import { signIn } from '../../../../src/accounts/sessions/sessions.ts';
import { findAccountByEmail } from '../../../../src/store/people/accounts.ts';
import { auditEntriesAfter } from '../../store/audit-entries.ts';
import {
  CLIENT,
  EMAIL,
  mailTo,
  PASSWORD,
  STRANGER,
  signedUp,
  type TestPeople,
  testPeople,
  tokenIn,
} from '../test-people.ts';

const HOUR_MS = 3_600_000;
const IP = CLIENT.address;
const OTHER = 'bob@example.com';

const account = ({ people }: TestPeople, email = EMAIL) => findAccountByEmail(people.db, email);
const code = (code: string) => expect.objectContaining({ code });
const actions = async ({ people }: TestPeople, accountId: string) =>
  (await auditEntriesAfter(people.db, accountId, 0, 100)).map(({ action }) => action);
const login = ({ people }: TestPeople, password: string, email = EMAIL) =>
  signIn(people, { email, password }, CLIENT, null);

describe('signing up', () => {
  it('creates an account with its default agent, and verifies the address by mail', async () => {
    const tested = await testPeople();
    const { people } = tested;
    const { welcome, account: made, token } = await signedUp(tested);
    expect(made).toMatchObject({ name: 'Ada', email: EMAIL, emailVerifiedAt: null });
    expect(made.passwordHash).toMatch(/^\$argon2id\$/);
    expect(people.sessions.use(token)?.agentIds).toEqual([expect.stringMatching(/^agt_/)]);
    expect(welcome).toMatchObject({ to: EMAIL, subject: 'Confirm your email address' });
    expect(welcome?.text).toContain('https://voice.example.com/gateway/auth/verify?token=');

    await verifyEmail(people, tokenIn(welcome), STRANGER);
    const { emailVerifiedAt } = (await account(tested))!;
    expect(emailVerifiedAt).toBe(tested.clock.nowIso());
    tested.clock.advance(HOUR_MS);
    await verifyEmail(people, tokenIn(welcome), STRANGER);
    expect((await account(tested))?.emailVerifiedAt).toBe(emailVerifiedAt);
    expect(await actions(tested, made.id)).toEqual([
      'account.sign_up',
      'session.open',
      'account.end_foreign_access',
      'account.verify_email',
    ]);
  });

  it('reveals only by mail that an address already has an account', async () => {
    const tested = await testPeople();
    const { people, mails } = tested;
    const first = await signedUp(tested);
    const again = { email: EMAIL, password: 'another password', name: 'Eve', inviteCode: null };
    expect(await signUp(people, again, IP)).toBeUndefined();
    const [mail] = await mails();
    expect(mail).toMatchObject({ to: EMAIL, subject: 'You already have an account' });
    expect(await account(tested)).toEqual(first.account);
    await resetPassword(people, tokenIn(mail), 'a third password', IP);
    await login(tested, 'a third password');
  });

  it('sends mails that void links no more often than mails for a forgotten password', async () => {
    const tested = await testPeople();
    await signedUp(tested);
    const again = { email: EMAIL, password: 'another password', name: 'Eve', inviteCode: null };
    for (let i = 0; i < 5; i++) await signUp(tested.people, again, IP);
    expect(await tested.mails()).toHaveLength(3);
    forgotPassword(tested.people, EMAIL, IP);
    expect(await tested.mails()).toEqual([]);
  });

  it.each([
    [{ mode: 'closed', code: 'letmeinplease' }, 'letmeinplease', 'signup_closed'],
    [{ mode: 'invite', code: null }, '', 'signup_closed'],
    [{ mode: 'invite', code: 'letmeinplease' }, null, 'invalid_invite_code'],
    [{ mode: 'invite', code: 'letmeinplease' }, 'letmeinpleasd', 'invalid_invite_code'],
  ] as const)('is refused under %j with the code %j', async (policy, inviteCode, refusal) => {
    const tested = await testPeople(policy);
    const person = { email: EMAIL, password: PASSWORD, name: 'Ada', inviteCode };
    await expect(signUp(tested.people, person, IP)).rejects.toEqual(code(refusal));
    expect([await account(tested), await tested.mails()]).toEqual([undefined, []]);
  });

  it('succeeds with the invite code', async () => {
    const tested = await testPeople({ mode: 'invite', code: 'letmeinplease' });
    const person = { email: EMAIL, password: PASSWORD, name: 'Ada', inviteCode: 'letmeinplease' };
    await signUp(tested.people, person, IP);
    expect(await account(tested)).toMatchObject({ email: EMAIL });
  });
});

describe('signing in', () => {
  it('gives the same refusal for a wrong password and an unknown address', async () => {
    const tested = await testPeople();
    await signedUp(tested);
    await expect(login(tested, 'wrong password')).rejects.toEqual(code('invalid_login'));
    await expect(login(tested, PASSWORD, OTHER)).rejects.toEqual(code('invalid_login'));
  });

  it('ends the previous session of the browser', async () => {
    const tested = await testPeople();
    const { people } = tested;
    const { token } = await signedUp(tested);
    const elsewhere = (await login(tested, PASSWORD)).token;
    const next = await signIn(people, { email: EMAIL, password: PASSWORD }, CLIENT, token);
    expect(next.token).not.toBe(token);
    expect(people.sessions.use(token)).toBeNull();
    expect(people.sessions.use(next.token)).not.toBeNull();
    expect(people.sessions.use(elsewhere)).not.toBeNull();
  });

  it('limits attempts, but a right password uses none', async () => {
    const tested = await testPeople();
    await signedUp(tested);
    for (let i = 0; i < 20; i++) await login(tested, PASSWORD);
    for (let i = 0; i < 10; i++)
      await expect(login(tested, 'wrong password')).rejects.toEqual(code('invalid_login'));
    await expect(login(tested, PASSWORD)).rejects.toEqual(code('too_many_attempts'));
    await expect(login(tested, PASSWORD, OTHER)).rejects.toEqual(code('invalid_login'));
    tested.clock.advance(90_000);
    await login(tested, PASSWORD);
  });
});

describe('a forgotten password', () => {
  it('is replaced through a link, once, which signs out everywhere', async () => {
    const tested = await testPeople();
    const { people, mails } = tested;
    const { token } = await signedUp(tested);
    forgotPassword(people, EMAIL, IP);
    forgotPassword(people, OTHER, IP);
    const sent = await mails();
    expect(sent.map(({ to }) => to)).toEqual([EMAIL]);
    expect(sent[0]?.text).toContain('/gateway/auth/reset-password?token=');

    await resetPassword(people, tokenIn(sent[0]), 'a new password', IP);
    expect(people.sessions.use(token)).toBeNull();
    expect(await people.db.selectFrom('sessions').selectAll().execute()).toEqual([]);
    await expect(login(tested, PASSWORD)).rejects.toEqual(code('invalid_login'));
    await login(tested, 'a new password');
    const again = resetPassword(people, tokenIn(sent[0]), 'another one', IP);
    await expect(again).rejects.toEqual(code('invalid_mail_token'));
  });

  it('gets links that expire after an hour and verify the address', async () => {
    const tested = await testPeople();
    const { people, mails, clock } = tested;
    const { account: made } = await signedUp(tested);
    await insertIdentity(tested, made.id);
    forgotPassword(people, EMAIL, IP);
    const late = tokenIn((await mails())[0]);
    clock.advance(HOUR_MS);
    await expect(resetPassword(people, late, 'a new password', IP)).rejects.toEqual(
      code('invalid_mail_token'),
    );
    forgotPassword(people, EMAIL, IP);
    await resetPassword(people, tokenIn((await mails())[0]), 'a new password', IP);
    expect((await account(tested))?.emailVerifiedAt).not.toBeNull();
    // A person who signed up with someone else’s address keeps no other way in.
    expect(await people.db.selectFrom('identities').selectAll().execute()).toEqual([]);
  });

  it('sends at most three mails to an address in a burst, and drops the rest silently', async () => {
    const tested = await testPeople();
    const { people, mails } = tested;
    await signedUp(tested);
    for (let i = 0; i < 8; i++) forgotPassword(people, EMAIL, IP);
    expect(await mails()).toHaveLength(3);
  });

  it('sends no mail after too many requests from one IP address, without saying so', async () => {
    const tested = await testPeople();
    const { people, mails } = tested;
    await signedUp(tested);
    for (let i = 0; i < 100; i++) forgotPassword(people, `${i}@example.com`, IP);
    forgotPassword(people, EMAIL, IP);
    expect(await mails()).toEqual([]);
    forgotPassword(people, EMAIL, '192.0.2.77');
    expect(await mails()).toHaveLength(1);
  });

  test.each(['verify', 'change_email'])('cannot be replaced with a %s link', async (purpose) => {
    const tested = await testPeople();
    const { people, mails } = tested;
    const { welcome, account: made, sessionId } = await signedUp(tested);
    const actor = { accountId: made.id, kind: 'session', credentialId: sessionId } as const;
    await changeEmail(people, actor, { email: OTHER, password: PASSWORD }, CLIENT);
    const token = tokenIn(purpose === 'verify' ? welcome : mailTo(OTHER, await mails()));
    await expect(resetPassword(people, token, 'a new password', IP)).rejects.toEqual(
      code('invalid_mail_token'),
    );
  });
});

describe('changing the password', () => {
  it('requires the current one, and signs out all other browsers', async () => {
    const tested = await testPeople();
    const { people, mails } = tested;
    const { account: made, token, sessionId } = await signedUp(tested);
    const elsewhere = (await login(tested, PASSWORD)).token;
    const actor = { accountId: made.id, kind: 'session', credentialId: sessionId } as const;
    const wrong = changePassword(people, actor, { current: 'wrong', wanted: 'a new password' }, CLIENT);
    await expect(wrong).rejects.toEqual(code('wrong_password'));
    const next = await changePassword(people, actor, { current: PASSWORD, wanted: 'a new password' }, CLIENT);
    expect([token, elsewhere, next.token].map((each) => people.sessions.use(each) !== null)).toEqual([
      false,
      false,
      true,
    ]);
    expect(await people.db.selectFrom('sessions').selectAll().execute()).toHaveLength(1);
    await login(tested, 'a new password');
    expect((await mails()).map(({ subject }) => subject)).toEqual(['Your password was changed']);
    expect(await actions(tested, made.id)).toContain('account.change_password');
  });

  it('voids reset links', async () => {
    const tested = await testPeople();
    const { people, mails } = tested;
    const { account: made, sessionId } = await signedUp(tested);
    forgotPassword(people, EMAIL, IP);
    const token = tokenIn((await mails())[0]);
    const actor = { accountId: made.id, kind: 'session', credentialId: sessionId } as const;
    await changePassword(people, actor, { current: PASSWORD, wanted: 'a new password' }, CLIENT);
    await expect(resetPassword(people, token, 'another one', IP)).rejects.toEqual(code('invalid_mail_token'));
  });
});

describe('changing the address', () => {
  async function asking(email: string) {
    const tested = await testPeople();
    const { people, mails } = tested;
    const { account: made, sessionId } = await signedUp(tested);
    const actor = { accountId: made.id, kind: 'session', credentialId: sessionId } as const;
    const ask = async (to: string) => {
      await changeEmail(people, actor, { email: to, password: PASSWORD }, CLIENT);
      return mailTo(to, await mails());
    };
    return { ...tested, tested, made, actor, ask, mail: await ask(email) };
  }

  it('takes effect when the link is followed, and notifies the old address', async () => {
    const { tested, people, mails, mail, made } = await asking(OTHER);
    expect(mail).toMatchObject({ to: OTHER });
    expect(await account(tested, OTHER)).toBeUndefined();
    await confirmEmailChange(people, tokenIn(mail), STRANGER);
    await confirmEmailChange(people, tokenIn(mail), STRANGER);
    expect(await account(tested, OTHER)).toMatchObject({ id: made.id, emailVerifiedAt: expect.any(String) });
    expect((await mails()).map(({ to, subject }) => [to, subject]).sort()).toEqual([
      [EMAIL, 'Your email address was changed'],
      [OTHER, 'Your account now uses this address'],
    ]);
    await login(tested, PASSWORD, OTHER);
    await expect(login(tested, PASSWORD)).rejects.toEqual(code('invalid_login'));
  });

  it('uses the last requested address', async () => {
    const { people, mail, ask } = await asking(OTHER);
    const second = await ask('carol@example.com');
    await expect(confirmEmailChange(people, tokenIn(mail), STRANGER)).rejects.toEqual(
      code('invalid_mail_token'),
    );
    await confirmEmailChange(people, tokenIn(second), STRANGER);
  });

  it('refuses an address of another account, at the request and at the confirmation', async () => {
    const { tested, people, mail, ask } = await asking(OTHER);
    await signedUp(tested, OTHER);
    await expect(confirmEmailChange(people, tokenIn(mail), STRANGER)).rejects.toEqual(code('email_taken'));
    expect(await ask(OTHER)).toMatchObject({ to: OTHER, subject: 'Your address is in use' });
  });

  it('requires the password', async () => {
    const { people, actor } = await asking(OTHER);
    const change = changeEmail(people, actor, { email: OTHER, password: 'wrong' }, CLIENT);
    await expect(change).rejects.toEqual(code('wrong_password'));
  });
});

describe('the link that verifies an address', () => {
  it('is sent again until it is followed in a signed-in browser', async () => {
    const tested = await testPeople();
    const { people, mails } = tested;
    const { account: made } = await signedUp(tested);
    const resent = async () => {
      await resendVerification(people, made.id, IP);
      return await mails();
    };
    await verifyEmail(people, tokenIn((await resent())[0]), STRANGER);
    const [mail] = await resent();
    const session = people.sessions.use((await login(tested, PASSWORD)).token);
    await verifyEmail(people, tokenIn(mail), { ip: IP, session });
    expect(await resent()).toEqual([]);
  });

  it('is refused when made up, and expires after a day', async () => {
    const tested = await testPeople();
    const { welcome } = await signedUp(tested);
    await expect(verifyEmail(tested.people, 'made-up', STRANGER)).rejects.toEqual(code('invalid_mail_token'));
    tested.clock.advance(24 * HOUR_MS);
    await expect(verifyEmail(tested.people, tokenIn(welcome), STRANGER)).rejects.toEqual(
      code('invalid_mail_token'),
    );
  });
});

test('the database contains no password and no token', async () => {
  const tested = await testPeople();
  const { people, mails } = tested;
  const { welcome, token } = await signedUp(tested);
  forgotPassword(people, EMAIL, IP);
  const reset = tokenIn((await mails())[0]);
  const tables = ['accounts', 'sessions', 'mailTokens', 'auditLog'] as const;
  const dump = await Promise.all(tables.map((table) => people.db.selectFrom(table).selectAll().execute()));
  for (const secret of [PASSWORD, token, tokenIn(welcome), reset]) {
    expect(JSON.stringify(dump)).not.toContain(secret);
  }
});

async function insertIdentity({ people, clock }: TestPeople, accountId: string): Promise<void> {
  const nowIso = clock.nowIso();
  await people.db
    .insertInto('identities')
    .values({
      id: 'idn_1',
      accountId,
      provider: 'google',
      subject: '1',
      email: null,
      createdAt: nowIso,
      lastUsedAt: nowIso,
    })
    .execute();
}
