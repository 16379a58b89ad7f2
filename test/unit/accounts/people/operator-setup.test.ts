import { expect, test } from 'vitest';
import { ensureOperator } from '../../../../src/accounts/people/first-start.ts';
import { OperatorSetup } from '../../../../src/accounts/people/operator-setup.ts';
import { signIn } from '../../../../src/accounts/sessions/sessions.ts';
import { findAccount } from '../../../../src/store/people/accounts.ts';
import { auditEntriesAfter } from '../../store/audit-entries.ts';
import { NOW } from '../../store/temporary.ts';
import { CLIENT, EMAIL, PASSWORD, signedUp, testPeople } from '../test-people.ts';

const DAY_MS = 86_400_000;
const LOGIN = { email: EMAIL, password: PASSWORD };
const refused = (code: string) => expect.objectContaining({ code });

async function newGateway() {
  const world = await testPeople();
  const { accountId } = await ensureOperator(world.people.db, { agentKey: null, settingsKey: null }, NOW);
  const setup = new OperatorSetup(world.people);
  return { ...world, accountId, setup, token: (await setup.open())! };
}

test('the link gives the operator an address that counts as verified, and a password, once', async () => {
  const { people, setup, token, accountId, mails } = await newGateway();
  const { account, token: session } = await setup.finish({ token, ...LOGIN }, CLIENT);
  expect(account.id).toBe(accountId);
  expect(people.sessions.use(session)?.accountId).toBe(accountId);
  const stored = await findAccount(people.db, accountId);
  expect(stored).toMatchObject({
    email: EMAIL,
    emailVerifiedAt: expect.any(String),
    ownerProvenAt: expect.any(String),
  });
  expect((await signIn(people, LOGIN, CLIENT, null)).account.id).toBe(accountId);
  const actions = (await auditEntriesAfter(people.db, accountId, 0, 100)).map(({ action }) => action);
  expect(actions).toContain('account.set_up');
  expect(await mails()).toEqual([]);

  const mallory = { token, email: 'mallory@example.com', password: PASSWORD };
  await expect(setup.finish(mallory, CLIENT)).rejects.toEqual(refused('invalid_mail_token'));
  expect(await setup.open(), 'at the next start').toBeNull();
});

test('two who use it at the same time do not both get the account', async () => {
  const { people, setup, token, accountId } = await newGateway();
  const outcomes = await Promise.allSettled(
    ['one@example.com', 'two@example.com'].map((email) =>
      setup.finish({ token, email, password: PASSWORD }, CLIENT),
    ),
  );
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  const winner = outcomes.findIndex(({ status }) => status === 'fulfilled');
  expect((await findAccount(people.db, accountId))?.email).toBe(
    ['one@example.com', 'two@example.com'][winner],
  );
});

test('the link ends after a day and at the next start, and a wrong one does nothing', async () => {
  const { people, clock, setup, token } = await newGateway();
  await expect(setup.finish({ token: 'guessed', ...LOGIN }, CLIENT)).rejects.toEqual(
    refused('invalid_mail_token'),
  );
  const again = new OperatorSetup(people);
  expect(await again.open()).not.toBeNull();
  await expect(again.finish({ token, ...LOGIN }, CLIENT)).rejects.toEqual(refused('invalid_mail_token'));
  clock.advance(DAY_MS);
  await expect(setup.finish({ token, ...LOGIN }, CLIENT)).rejects.toEqual(refused('invalid_mail_token'));
});

test('the address of another account is refused, and the link still works', async () => {
  const gateway = await newGateway();
  await signedUp(gateway);
  const { setup, token } = gateway;
  await expect(setup.finish({ token, ...LOGIN }, CLIENT)).rejects.toEqual(refused('email_taken'));
  await setup.finish({ token, email: 'operator@example.com', password: PASSWORD }, CLIENT);
});
