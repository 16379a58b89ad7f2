import { describe, expect, it } from 'vitest';
import { changePassword } from '../../../../src/accounts/passwords/change-password.ts';
import type { PasswordHasher } from '../../../../src/accounts/passwords/passwords.ts';
import { forgotPassword, resetPassword } from '../../../../src/accounts/passwords/reset-password.ts';
import { changeEmail, confirmEmailChange } from '../../../../src/accounts/people/change-email.ts';
import { signUp } from '../../../../src/accounts/people/sign-up.ts';
import { resendVerification, verifyEmail } from '../../../../src/accounts/people/verify-email.ts';
import { signIn } from '../../../../src/accounts/sessions/sessions.ts';
import type { Tables } from '../../../../src/store/database/tables.ts';
import { findAccount } from '../../../../src/store/people/accounts.ts';
import { auditEntriesAfter } from '../../store/audit-entries.ts';
import { fillAccount } from '../full-account.ts';
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

const IP = CLIENT.address;
const NEW_EMAIL = 'new@example.com';
const NEW_PASSWORD = 'a new password';
const code = (code: string) => expect.objectContaining({ code });

/** Everything that grants access to the account or receives what the account receives. */
const ACCESS = [
  'sessions',
  'knownBrowsers',
  'identities',
  'signIns',
  'inviteLinks',
  'mcpAuthorizations',
  'agentAuthorizations',
  'oauthGrants',
  'oauthTokens',
  'agentKeys',
  'internalBearers',
  'agentAccounts',
  'agentProviders',
  'connections',
  'connectionStates',
  'botTokens',
  'sipTrunks',
  'sipDids',
] as const satisfies readonly (keyof Tables)[];

async function counts({ store }: TestPeople): Promise<Record<string, number>> {
  const all = ACCESS.map(async (table) => {
    const rows = await store.db
      .selectFrom(table as 'accounts')
      .selectAll()
      .execute();
    return [table, rows.length] as const;
  });
  return Object.fromEntries(await Promise.all(all));
}

const NONE = Object.fromEntries(ACCESS.map((table) => [table, 0]));

async function validKeys({ store }: TestPeople): Promise<number> {
  const rows = await store.db.selectFrom('apiKeys').select('id').where('revokedAt', 'is', null).execute();
  return rows.length;
}

/** A person who signed up, is signed in, and has one of everything. */
async function fullPerson() {
  const tested = await testPeople();
  const person = await signedUp(tested);
  const session = tested.people.sessions.use(person.token)!;
  await fillAccount(tested.store, 'foreign', { accountId: person.account.id, agentId: session.agentIds[0]! });
  const actor = { accountId: person.account.id, kind: 'session', credentialId: session.id } as const;
  const resetToken = async () => {
    forgotPassword(tested.people, EMAIL, IP);
    return tokenIn(mailTo(EMAIL, await tested.mails()));
  };
  const account = async () => (await findAccount(tested.store.db, person.account.id))!;
  /** Marks the address as proven by the person who is signed in. */
  const prove = async () => {
    await verifyEmail(tested.people, tokenIn(person.welcome), { ip: IP, session });
  };
  return { ...tested, tested, ...person, session, actor, resetToken, account, prove };
}

describe('an attacker who signed up with the owner’s address', () => {
  it('loses access when the owner proves the address elsewhere', async () => {
    const { tested, people, welcome, token, account, followed } = await fullPerson();
    await verifyEmail(people, tokenIn(welcome), STRANGER);
    expect(await counts(tested)).toEqual(NONE);
    expect([await validKeys(tested), people.sessions.use(token)]).toEqual([0, null]);
    expect(await account()).toMatchObject({ emailVerifiedAt: expect.any(String), ownerProvenAt: null });
    expect(followed).toMatchObject([[expect.any(String), { bots: [{ platform: 'slack' }], dids: [{}] }]]);
  });

  it('loses access when the owner sets a password', async () => {
    const { tested, people, token, resetToken, account } = await fullPerson();
    await resetPassword(people, await resetToken(), NEW_PASSWORD, IP);
    expect(await counts(tested)).toEqual(NONE);
    expect([await validKeys(tested), people.sessions.use(token)]).toEqual([0, null]);
    const now = tested.clock.nowIso();
    expect(await account()).toMatchObject({ emailVerifiedAt: now, ownerProvenAt: now });
  });

  it('loses everything made with the password once the owner proves the address', async () => {
    const { tested, store, people, welcome, account, resetToken } = await fullPerson();
    await verifyEmail(people, tokenIn(welcome), STRANGER);
    const { token } = await signIn(people, { email: EMAIL, password: PASSWORD }, CLIENT, null);
    const { agentIds } = people.sessions.use(token)!;
    const made = { accountId: (await account()).id, agentId: agentIds[0]! };
    await store.db.deleteFrom('apiKeys').execute();
    await fillAccount(store, 'later', made, ACCESS);
    await resetPassword(people, await resetToken(), NEW_PASSWORD, IP);
    expect(await counts(tested)).toEqual(NONE);
  });

  it('loses everything once an account of theirs changes to the owner’s address', async () => {
    const { tested, people, mails, actor, prove, account } = await fullPerson();
    await prove();
    await changeEmail(people, actor, { email: NEW_EMAIL, password: PASSWORD }, CLIENT);
    await confirmEmailChange(people, tokenIn(mailTo(NEW_EMAIL, await mails())), STRANGER);
    expect((await account()).ownerProvenAt).toBeNull();
    const { token } = await signIn(people, { email: NEW_EMAIL, password: PASSWORD }, CLIENT, null);
    const agentId = people.sessions.use(token)!.agentIds[0]!;
    await tested.store.db.deleteFrom('apiKeys').execute();
    await fillAccount(tested.store, 'later', { accountId: actor.accountId, agentId }, ACCESS);
    forgotPassword(people, NEW_EMAIL, IP);
    const mail = mailTo(NEW_EMAIL, await mails());
    expect(mail?.text).toContain(
      'A new password also removes the existing access to the account (1 API key, ',
    );
    await resetPassword(people, tokenIn(mail), NEW_PASSWORD, IP);
    expect(await counts(tested)).toEqual(NONE);
  });
});

describe('the owner of an address', () => {
  it('stays signed in where the address is proven, and is signed out elsewhere', async () => {
    const { people, token, prove, account, clock } = await fullPerson();
    const elsewhere = (await signIn(people, { email: EMAIL, password: PASSWORD }, CLIENT, null)).token;
    await prove();
    expect([people.sessions.use(token) !== null, people.sessions.use(elsewhere)]).toEqual([true, null]);
    expect((await account()).ownerProvenAt).toBe(clock.nowIso());
  });

  it('keeps keys, clients and logins after a forgotten password, but no session and no code', async () => {
    const { tested, store, people, actor, session, prove, resetToken, followed } = await fullPerson();
    await prove();
    await store.db.deleteFrom('apiKeys').execute();
    await fillAccount(store, 'own', { accountId: actor.accountId, agentId: session.agentIds[0]! }, ACCESS);
    const before = await counts(tested);
    followed.splice(0);
    await resetPassword(people, await resetToken(), NEW_PASSWORD, IP);
    const codes = { oauthGrants: 0, oauthTokens: 0 };
    const ended = { sessions: 0, knownBrowsers: 0, signIns: 0, connectionStates: 0, ...codes };
    expect(await counts(tested)).toEqual({ ...before, ...ended });
    expect(followed).toEqual([[actor.accountId, null]]);
    const told = mailTo(EMAIL, await tested.mails());
    expect(told?.text).toContain(
      'Still valid without the password: 1 API key, 1 connected assistant, 1 linked sign-in.',
    );
  });

  it('is confirmed by following the link again while signed in', async () => {
    const { people, mails, welcome, account } = await fullPerson();
    const link = tokenIn(welcome);
    await verifyEmail(people, link, STRANGER);
    const { token } = await signIn(people, { email: EMAIL, password: PASSWORD }, CLIENT, null);
    const session = people.sessions.use(token);
    await verifyEmail(people, link, { ip: IP, session });
    expect((await account()).ownerProvenAt).not.toBeNull();

    const actor = { accountId: session!.accountId, kind: 'session', credentialId: session!.id } as const;
    await changeEmail(people, actor, { email: NEW_EMAIL, password: PASSWORD }, CLIENT);
    const change = tokenIn(mailTo(NEW_EMAIL, await mails()));
    await confirmEmailChange(people, change, STRANGER);
    expect((await account()).ownerProvenAt).toBeNull();
    const again = (await signIn(people, { email: NEW_EMAIL, password: PASSWORD }, CLIENT, null)).token;
    await confirmEmailChange(people, change, { ip: IP, session: people.sessions.use(again) });
    expect((await account()).ownerProvenAt).not.toBeNull();
  });

  it('is not confirmed by a session of another account', async () => {
    const { tested, people, welcome, token, account } = await fullPerson();
    const other = await signedUp(tested, 'mallory@example.com');
    await verifyEmail(people, tokenIn(welcome), { ip: IP, session: people.sessions.use(other.token) });
    expect((await account()).ownerProvenAt).toBeNull();
    expect([people.sessions.use(token), people.sessions.use(other.token) !== null]).toEqual([null, true]);
  });
});

describe('an attacker who is signed in and knows the password', () => {
  /** The attacker asked to change to their own address, and has the link. */
  async function asked() {
    const tested = await fullPerson();
    await tested.prove();
    await tested.mails();
    await changeEmail(tested.people, tested.actor, { email: NEW_EMAIL, password: PASSWORD }, CLIENT);
    const sent = await tested.mails();
    return { ...tested, sent, kept: tokenIn(mailTo(NEW_EMAIL, sent)) };
  }

  const subjects = (mails: readonly { to: string; subject: string }[]) =>
    mails.map(({ to, subject }) => [to, subject]).sort();

  it('cannot request another address without the owner being notified', async () => {
    const { sent } = await asked();
    expect(subjects(sent)).toEqual([
      [EMAIL, 'A change of your email address was requested'],
      [NEW_EMAIL, 'Confirm your new email address'],
    ]);
  });

  it('cannot use the link after the owner sets a new password, and both addresses are notified', async () => {
    const { people, mails, kept, resetToken, account } = await asked();
    const reset = await resetToken();
    await resetPassword(people, reset, NEW_PASSWORD, IP);
    await expect(confirmEmailChange(people, kept, STRANGER)).rejects.toEqual(code('invalid_mail_token'));
    expect(subjects(await mails())).toEqual([[EMAIL, 'Your password was changed']]);
    expect((await account()).email).toBe(EMAIL);
  });

  it('cannot use the link after the password is changed either', async () => {
    const { people, mails, kept, actor } = await asked();
    await changePassword(people, actor, { current: PASSWORD, wanted: NEW_PASSWORD }, CLIENT);
    await expect(confirmEmailChange(people, kept, STRANGER)).rejects.toEqual(code('invalid_mail_token'));
    expect(subjects(await mails())).toEqual([
      [EMAIL, 'Your password was changed'],
      [NEW_EMAIL, 'The change of email address was canceled'],
    ]);
  });

  it.each([
    [
      'another address',
      (t: Awaited<ReturnType<typeof asked>>) =>
        changeEmail(t.people, t.actor, { email: 'carol@example.com', password: PASSWORD }, CLIENT),
    ],
    ['a new password', async (t: Awaited<ReturnType<typeof asked>>) => forgotPassword(t.people, EMAIL, IP)],
    [
      'an account with the same address',
      (t: Awaited<ReturnType<typeof asked>>) =>
        signUp(t.people, { email: EMAIL, password: 'whatever it is', name: 'x', inviteCode: null }, IP),
    ],
  ])('cannot use the link once someone requests %s', async (_what, request) => {
    const tested = await asked();
    await request(tested);
    await tested.mails();
    const confirming = confirmEmailChange(tested.people, tested.kept, STRANGER);
    await expect(confirming).rejects.toEqual(code('invalid_mail_token'));
  });

  it('gets no link for a request made just before the owner’s new password', async () => {
    const { people, mails, actor } = await asked();
    const owner = await signIn(people, { email: EMAIL, password: PASSWORD }, CLIENT, null);
    const { id: credentialId } = people.sessions.use(owner.token)!;
    await changeEmail(people, actor, { email: 'carol@example.com', password: PASSWORD }, CLIENT);
    // The mail is written shortly after it is requested.
    const passwords = { current: PASSWORD, wanted: NEW_PASSWORD };
    await changePassword(people, { ...actor, credentialId }, passwords, CLIENT);
    expect(mailTo('carol@example.com', await mails())).toBeUndefined();
  });

  it('cannot void the owner’s links repeatedly', async () => {
    const { people, actor } = await asked();
    const ask = (n: number) =>
      changeEmail(people, actor, { email: `${n}@example.com`, password: PASSWORD }, CLIENT);
    for (let n = 0; n < 2; n++) await ask(n);
    await expect(ask(3)).rejects.toEqual(code('too_many_attempts'));
    const passwords = { current: PASSWORD, wanted: NEW_PASSWORD };
    await expect(changePassword(people, actor, passwords, CLIENT)).rejects.toEqual(code('too_many_attempts'));
  });

  it('loses all links except the one followed, of every kind', async () => {
    const tested = await testPeople();
    const { people, mails } = tested;
    const { account: made, welcome, sessionId } = await signedUp(tested);
    const actor = { accountId: made.id, kind: 'session', credentialId: sessionId } as const;
    await resendVerification(people, made.id, IP);
    const resent = tokenIn(mailTo(EMAIL, await mails()));
    await expect(verifyEmail(people, tokenIn(welcome), STRANGER)).rejects.toEqual(code('invalid_mail_token'));
    await changePassword(people, actor, { current: PASSWORD, wanted: NEW_PASSWORD }, CLIENT);
    await expect(verifyEmail(people, resent, STRANGER)).rejects.toEqual(code('invalid_mail_token'));
  });

  it('cannot overwrite the owner’s new password by a change that had already started', async () => {
    const { people, actor, resetToken } = await asked();
    const reset = await resetToken();
    // The attacker's password is checked before the owner's is stored, and would be stored after it.
    const hash: PasswordHasher['hash'] = async (...asked) => {
      await resetPassword(people, reset, NEW_PASSWORD, IP);
      return people.hasher.hash(...asked);
    };
    const late = { ...people, hasher: { verify: people.hasher.verify.bind(people.hasher), hash } };
    const passwords = { current: PASSWORD, wanted: 'the password of the thief' };
    await expect(changePassword(late, actor, passwords, CLIENT)).rejects.toEqual(code('unauthorized'));
    await signIn(people, { email: EMAIL, password: NEW_PASSWORD }, CLIENT, null);
  });

  it('gets no session by the old password that outlives the new one', async () => {
    const { people, store, actor, resetToken } = await asked();
    const reset = await resetToken();
    const login = () => signIn(people, { email: EMAIL, password: PASSWORD }, CLIENT, null);
    const logins = Promise.allSettled([login(), login()]);
    await resetPassword(people, reset, NEW_PASSWORD, IP);
    await logins;
    await expect(login()).rejects.toEqual(code('invalid_login'));
    expect(people.sessions.of(actor.accountId)).toEqual([]);
    expect(await store.db.selectFrom('sessions').selectAll().execute()).toEqual([]);
  });
});

describe('changing the address', () => {
  it('ends every session except that of the browser that followed the link', async () => {
    const { people, mails, actor, session, token, prove } = await fullPerson();
    await prove();
    const elsewhere = (await signIn(people, { email: EMAIL, password: PASSWORD }, CLIENT, null)).token;
    await changeEmail(people, actor, { email: NEW_EMAIL, password: PASSWORD }, CLIENT);
    await confirmEmailChange(people, tokenIn(mailTo(NEW_EMAIL, await mails())), { ip: IP, session });
    expect([people.sessions.use(token) !== null, people.sessions.use(elsewhere)]).toEqual([true, null]);
  });

  it('is written to the audit log with both addresses', async () => {
    const { people, mails, actor, prove } = await fullPerson();
    await prove();
    await changeEmail(people, actor, { email: NEW_EMAIL, password: PASSWORD }, CLIENT);
    await confirmEmailChange(people, tokenIn(mailTo(NEW_EMAIL, await mails())), STRANGER);
    forgotPassword(people, NEW_EMAIL, IP);
    await resetPassword(people, tokenIn(mailTo(NEW_EMAIL, await mails())), NEW_PASSWORD, IP);
    const entries = await auditEntriesAfter(people.db, actor.accountId, 0, 100);
    const detailOf = (action: string) => entries.find((entry) => entry.action === action)?.detail;
    expect(detailOf('account.verify_email')).toEqual({ address: IP });
    expect(detailOf('account.ask_email_change')).toEqual({ to: NEW_EMAIL, address: IP });
    expect(detailOf('account.change_email')).toEqual({ from: EMAIL, to: NEW_EMAIL, address: IP });
    expect(detailOf('account.reset_password')).toEqual({ address: IP });
  });
});
