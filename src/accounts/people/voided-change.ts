import type { MailToken } from '../../store/people/mail-tokens.ts';
import { changeVoidedMail } from '../mail/mails.ts';
import type { People } from './people.ts';

/** Notifies addresses that were to become the account's that their change links no longer work. */
export function tellOfVoidedChange({ mailer }: People, links: readonly MailToken[]): void {
  const wanted = links.filter(({ purpose }) => purpose === 'change_email').map(({ email }) => email);
  for (const email of new Set(wanted)) mailer.later(async () => changeVoidedMail(email));
}
