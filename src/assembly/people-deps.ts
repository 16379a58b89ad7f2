import { join } from 'node:path';
import type { AccountDomain } from '../accounts/account/account-domain.ts';
import { AgentRoster } from '../accounts/account/agent-roster.ts';
import type { KeyCache } from '../accounts/keys/key-cache.ts';
import { endLogins } from '../accounts/logins/end-logins.ts';
import { Mailer } from '../accounts/mail/mailer.ts';
import { OutboxFolder } from '../accounts/mail/outbox-folder.ts';
import { SmtpTransport } from '../accounts/mail/smtp-transport.ts';
import { AttemptLimits } from '../accounts/passwords/attempt-limits.ts';
import { FailedAttempts } from '../accounts/passwords/failed-attempts.ts';
import { GuessLimits } from '../accounts/passwords/guess-limits.ts';
import { argon2id } from '../accounts/passwords/passwords.ts';
import type { People } from '../accounts/people/people.ts';
import { SessionCache } from '../accounts/sessions/session-cache.ts';
import type { GrantCache } from '../authorization/grant-cache.ts';
import type { PartDeps } from './gateway-deps.ts';

interface PeopleNeeds {
  readonly keys: KeyCache;
  readonly grants: GrantCache;
  readonly accounts: AccountDomain;
}

/** Creates the dependencies for people, their sessions and their mails. */
export async function openPeople(
  { settings, clock, store: { db }, closers, events, publicUrl }: PartDeps,
  { keys, grants, accounts }: PeopleNeeds,
): Promise<People> {
  const { signup: mode, signupCode: code, loginAttempts } = settings.people;
  const transport = settings.mail
    ? new SmtpTransport(settings.mail.smtpUrl, settings.mail.from)
    : new OutboxFolder(join(settings.dataDir, 'outbox'), () => clock.nowIso(), events);
  const mailer = new Mailer(transport, clock, events);
  // Takes half of the time, so that a mail server that does not respond leaves time for the parts that close later.
  closers.push((deadlineMs) => mailer.close(deadlineMs / 2));
  const roster = await AgentRoster.load(db);
  const limits = new AttemptLimits(clock, loginAttempts);
  return {
    db,
    clock,
    roster,
    sessions: await SessionCache.load(db, clock, roster, (error) =>
      events.writeFailed('the last use of a session', error),
    ),
    mailer,
    limits,
    hasher: argon2id,
    guesses: new GuessLimits(clock, loginAttempts, limits),
    failedPasswords: new FailedAttempts('password.fail', db, clock, {
      failed: (error) => events.writeFailed('failed password attempts', error),
      dropped: () => events.queueFull('failed_passwords'),
    }),
    signup: { mode, code },
    publicUrl,
    followAccess: async (accountId, gone) => {
      await keys.refresh(accountId);
      await grants.refresh(accountId);
      if (gone !== null) await endLogins(accounts, accountId, gone);
    },
  };
}
