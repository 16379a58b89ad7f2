import { escapeHtml } from '../../base/html.ts';

/** A mail to one person. `text` and `html` have the same content. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

interface Letter {
  readonly subject: string;
  readonly lines: readonly string[];
  /** The action that the reader is asked to take, and its link. */
  readonly action?: { readonly label: string; readonly url: string };
  /** The text after the link. */
  readonly closing: string;
}

const NOT_YOU = 'If this was not you, there is nothing to do: forget this mail.';

export function verificationMail(to: string, url: string): Mail {
  return compose(to, {
    subject: 'Confirm your email address',
    lines: ['Welcome. Please confirm that this is your address; the link works for 24 hours.'],
    action: { label: 'Confirm address', url },
    closing: NOT_YOU,
  });
}

/** To somebody who signed up with an address that already has an account. `lost` as for a reset mail. */
export function alreadySignedUpMail(to: string, url: string, lost: string): Mail {
  return compose(to, {
    subject: 'You have an account already',
    lines: [
      'Somebody, probably you, signed up with this address, which has an account already.',
      'If you forgot your password, set a new one.',
      ...warningOf(lost),
    ],
    action: { label: 'Set a new password', url },
    closing: NOT_YOU,
  });
}

/**
 * `lost`: access that a new password removes, because the present password was never proven to be the owner's; '' for
 * none.
 */
export function resetMail(to: string, url: string, lost: string): Mail {
  return compose(to, {
    subject: 'Set a new password',
    lines: ['You asked for a new password. The link works once, within an hour.', ...warningOf(lost)],
    action: { label: 'Set a new password', url },
    closing: NOT_YOU,
  });
}

function warningOf(lost: string): string[] {
  if (lost === '') return [];
  return [
    `A new password also removes what opens the account now (${lost}) and its logins at platforms: somebody else may have signed up with your address and made them.`,
    'If you know the password, sign in, have the mail that confirms your address sent once more, and open its link in the same browser: then they stay.',
  ];
}

export function changeEmailMail(to: string, url: string): Mail {
  return compose(to, {
    subject: 'Confirm your new email address',
    lines: ['Please confirm that your account shall have this address; the link works for 24 hours.'],
    action: { label: 'Confirm new address', url },
    closing: NOT_YOU,
  });
}

/** To the owner of an address that another account tried to take. */
export function addressWantedMail(to: string): Mail {
  return compose(to, {
    subject: 'Your address is in use',
    lines: [
      'Somebody wanted to give this address to another account. It stays with yours.',
      'If this was you, delete one of your accounts first.',
    ],
    closing: NOT_YOU,
  });
}

/** To the current address of an account that asked for another one. */
export function changeAskedMail(to: string, url: string): Mail {
  return compose(to, {
    subject: 'A new email address was asked for',
    lines: [
      'Somebody who knows your password asked to give your account another email address.',
      'It changes once the link that was sent to the new address is followed.',
    ],
    action: { label: 'This was not me', url },
    closing: 'If this was you, there is nothing to do. A new password stops the change.',
  });
}

/** To an address when the change of an account to it was voided. */
export function changeVoidedMail(to: string): Mail {
  return compose(to, {
    subject: 'The change of email address was stopped',
    lines: ['The link that would have given this address to an account does not work any more.'],
    closing: 'If this was you, ask for the change again.',
  });
}

/** To the new address of an account. */
export function newAddressMail(to: string): Mail {
  return compose(to, {
    subject: 'Your account has this address now',
    lines: ['From now on you sign in with this address, and mails about your account come here.'],
    closing: 'If this was not you, set a new password, or tell whoever runs this gateway.',
  });
}

/** To the owner of an account with too many password guesses. */
export function tooManyGuessesMail(to: string, url: string): Mail {
  return compose(to, {
    subject: 'Too many wrong passwords',
    lines: [
      'Somebody tried many wrong passwords for your account within an hour.',
      'Until the hour is over you can sign in only with a browser in which you signed in before, or by setting a new password.',
    ],
    action: { label: 'Set a new password', url },
    closing: 'If your password is long and you use it nowhere else, there is nothing to do.',
  });
}

/** `standing`: access to the account that needs no password; '' for none. */
export function passwordChangedMail(to: string, url: string, standing: string): Mail {
  const left = `Still valid without the password: ${standing}. Remove what you do not know.`;
  return compose(to, {
    subject: 'Your password was changed',
    lines: [
      'The password of your account was changed, and all other sessions were signed out.',
      ...(standing === '' ? [] : [left]),
    ],
    action: { label: 'This was not me', url },
    closing: 'If this was you, there is nothing to do.',
  });
}

/** To the former address of an account. */
export function emailChangedMail(to: string): Mail {
  return compose(to, {
    subject: 'Your email address was changed',
    lines: [
      'Your account now has another address, and all other sessions were signed out. This address gets no more mail.',
    ],
    closing: 'If this was not you, tell whoever runs this gateway at once.',
  });
}

function compose(to: string, { subject, lines, action, closing }: Letter): Mail {
  const linked = action ? [action.url] : [];
  const text = `${[...lines, ...linked, closing].join('\n\n')}\n`;
  return { to, subject, text, html: htmlOf(subject, lines, action, closing) };
}

const FONT = 'font-family:system-ui,-apple-system,sans-serif';

function htmlOf(
  subject: string,
  lines: readonly string[],
  action: Letter['action'],
  closing: string,
): string {
  const paragraphs = lines.map((line) => `<p style="margin:0 0 16px">${escapeHtml(line)}</p>`).join('');
  return `<!doctype html><html lang="en"><body style="margin:0;padding:32px 16px;background:#f4f5f7;${FONT}">
<div style="max-width:480px;margin:0 auto;padding:32px;background:#fff;border-radius:12px;color:#1c2430;line-height:1.5">
<h1 style="margin:0 0 16px;font-size:20px">${escapeHtml(subject)}</h1>
${paragraphs}${action ? button(action) : ''}
<p style="margin:24px 0 0;font-size:13px;color:#667085">${escapeHtml(closing)}</p>
</div></body></html>`;
}

function button({ label, url }: NonNullable<Letter['action']>): string {
  const style =
    'display:inline-block;padding:12px 20px;background:#2f5bea;color:#fff;border-radius:8px;text-decoration:none';
  return `<p style="margin:0"><a href="${escapeHtml(url)}" style="${style}">${escapeHtml(label)}</a></p>`;
}
