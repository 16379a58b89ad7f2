import { hash, verify } from '@node-rs/argon2';
import { AgentRoster } from '../../../src/accounts/account/agent-roster.ts';
import { Mailer, type MailTransport } from '../../../src/accounts/mail/mailer.ts';
import type { Mail } from '../../../src/accounts/mail/mails.ts';
import { AttemptLimits } from '../../../src/accounts/passwords/attempt-limits.ts';
import { FailedAttempts } from '../../../src/accounts/passwords/failed-attempts.ts';
import { GuessLimits } from '../../../src/accounts/passwords/guess-limits.ts';
import type { PasswordHasher } from '../../../src/accounts/passwords/passwords.ts';
import type { Client, People, SignupPolicy } from '../../../src/accounts/people/people.ts';
import { signUp } from '../../../src/accounts/people/sign-up.ts';
import type { LinkVisitor } from '../../../src/accounts/people/verify-email.ts';
import { SessionCache } from '../../../src/accounts/sessions/session-cache.ts';
import { signIn } from '../../../src/accounts/sessions/sessions.ts';
import type { GoneLogins } from '../../../src/store/people/account-access.ts';
import type { Store } from '../../../src/store/store.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { temporaryStore } from '../store/temporary.ts';

export const CLIENT: Client = { address: '203.0.113.5', userAgent: 'test', browserToken: null };
/** A person who follows a link in a browser that is not signed in. */
export const STRANGER: LinkVisitor = { ip: CLIENT.address, session: null };
export const EMAIL = 'ada@example.com';
export const PASSWORD = 'correct horse';

/** Argon2id with the least work: what the gateway's own takes is tested by itself. */
const CHEAP_HASHER: PasswordHasher = {
  hash: (password) => hash(password, { memoryCost: 8, timeCost: 1, parallelism: 1 }),
  verify: async (hashed, password) => hashed !== null && (await verify(hashed, password)),
};

export interface TestPeople {
  readonly store: Store;
  readonly clock: ManualClock;
  readonly people: People;
  /** All mails sent since the last call. */
  mails(): Promise<Mail[]>;
  /** Accounts whose access ended, with the removed logins. */
  readonly followed: [string, GoneLogins | null][];
}

/** A people domain over a real database, whose mails are captured. */
export async function testPeople(signup: SignupPolicy = { mode: 'open', code: null }): Promise<TestPeople> {
  const store = await temporaryStore();
  const clock = new ManualClock();
  const sent: Mail[] = [];
  const transport: MailTransport = { send: async (mail) => void sent.push(mail), close: () => {} };
  const roster = await AgentRoster.load(store.db);
  const fail = (error: unknown) => {
    throw error;
  };
  const limits = new AttemptLimits(clock, 10);
  const followed: TestPeople['followed'] = [];
  const people: People = {
    db: store.db,
    clock,
    roster,
    hasher: CHEAP_HASHER,
    sessions: await SessionCache.load(store.db, clock, roster, () => {}),
    mailer: new Mailer(transport, clock, { mailFailed: fail }),
    limits,
    guesses: new GuessLimits(clock, 10, limits),
    failedPasswords: new FailedAttempts({
      action: 'password.fail',
      db: store.db,
      clock,
      failed: fail,
      dropped: () => {},
    }),
    signup,
    publicUrl: () => 'https://voice.example.com/gateway',
    followAccess: async (accountId, gone) => void followed.push([accountId, gone]),
  };
  const mails = async () => {
    clock.advance(1_000);
    await people.mailer.settled();
    return sent.splice(0);
  };
  return { store, clock, people, mails, followed };
}

/** The last mail to an address. */
export function mailTo(email: string, mails: readonly Mail[]): Mail | undefined {
  return mails.findLast(({ to }) => to === email);
}

/** The token in the link of a mail. */
export function tokenIn(mail: Mail | undefined): string {
  const token = /\?token=([\w-]+)/.exec(mail?.text ?? '')?.[1];
  if (token === undefined) throw new Error(`no link in ${mail?.text}`);
  return token;
}

/** A person who signed up and in, and whose mails were read. */
export async function signedUp({ people, mails }: TestPeople, email = EMAIL, password = PASSWORD) {
  await signUp(people, { email, password, name: 'Ada', inviteCode: null }, CLIENT.address);
  const [welcome] = await mails();
  const { account, token } = await signIn(people, { email, password }, CLIENT, null);
  return { welcome, account, token, sessionId: people.sessions.use(token)!.id };
}
