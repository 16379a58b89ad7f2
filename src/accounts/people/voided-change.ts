import type { MailToken } from '../../store/people/mail-tokens.ts';
import { changeVoidedMail } from '../mail/mails.ts';
import type { People } from './people.ts';

/** Tells an address that was to be an account's, by a link that works no more. */
export function tellOfVoidedChange({ mailer }: People, links: readonly MailToken[]): void {
  const wanted = links.filter(({ purpose }) => purpose === 'change_email').map(({ email }) => email);
  for (const email of new Set(wanted)) mailer.later(async () => changeVoidedMail(email));
}
