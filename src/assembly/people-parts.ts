import { join } from 'node:path';
import { AttemptLimits } from '../accounts/attempt-limits.ts';
import { Mailer } from '../accounts/mailer.ts';
import { OutboxFolder } from '../accounts/outbox-folder.ts';
import type { People } from '../accounts/people.ts';
import { SessionRing } from '../accounts/session-ring.ts';
import { SmtpTransport } from '../accounts/smtp-transport.ts';
import { AgentRoster } from '../agents/agent-roster.ts';
import type { BusinessEvents } from '../telemetry/business-events.ts';
import type { Parts } from './parts.ts';

/** People, their sessions and their mails. */
export async function openPeople(
  { settings, clock, store: { db }, closers }: Parts,
  events: BusinessEvents,
  publicUrl: () => string,
): Promise<People> {
  const { signup: mode, signupCode: code, loginAttempts } = settings.people;
  const transport = settings.mail
    ? new SmtpTransport(settings.mail.smtpUrl, settings.mail.from)
    : new OutboxFolder(join(settings.dataDir, 'outbox'), () => clock.nowIso(), events);
  const mailer = new Mailer(transport, clock, events);
  // Half of the time: what closes after it must not pay for a mail server that does not answer.
  closers.push((deadlineMs) => mailer.close(deadlineMs / 2));
  const roster = await AgentRoster.load(db);
  return {
    db,
    clock,
    roster,
    sessions: await SessionRing.load(db, clock, roster, (error) =>
      events.writeFailed('last use of a session', error),
    ),
    mailer,
    limits: new AttemptLimits(clock, loginAttempts),
    signup: { mode, code },
    publicUrl,
  };
}
