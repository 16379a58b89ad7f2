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

const NOT_YOU = 'If this was not you, you can ignore this mail.';

export function verificationMail(to: string, url: string): Mail {
  return compose(to, {
    subject: 'Confirm your email address',
    lines: ['Welcome. Please confirm your email address. The link works for 24 hours.'],
    action: { label: 'Confirm address', url },
    closing: NOT_YOU,
  });
}

/** To someone who signed up with an address that already has an account. `lost` as for a reset mail. */
export function alreadySignedUpMail(to: string, url: string, lost: string): Mail {
  return compose(to, {
    subject: 'You already have an account',
    lines: [
      'Someone, probably you, tried to sign up with this address, but it already has an account.',
      'If you have forgotten your password, set a new one.',
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
    lines: ['You requested a new password. The link works once and expires in an hour.', ...warningOf(lost)],
    action: { label: 'Set a new password', url },
    closing: NOT_YOU,
  });
}

function warningOf(lost: string): string[] {
  if (lost === '') return [];
  return [
    `A new password also removes the existing access to the account (${lost}) and its platform logins, because someone else may have signed up with your address and created them.`,
    'To keep them, sign in with the current password, request the confirmation mail again, and open its link in the same browser.',
  ];
}

export function changeEmailMail(to: string, url: string): Mail {
  return compose(to, {
    subject: 'Confirm your new email address',
    lines: ['Please confirm this address as the new one of your account. The link works for 24 hours.'],
    action: { label: 'Confirm new address', url },
    closing: NOT_YOU,
  });
}

/** To the owner of an address that another account tried to take. */
export function addressWantedMail(to: string): Mail {
  return compose(to, {
    subject: 'Your address is in use',
    lines: [
      'Someone tried to use this address for another account. It remains with your account.',
      'If this was you, delete one of the two accounts first.',
    ],
    closing: NOT_YOU,
  });
}

/** To the current address of an account that asked for another one. */
export function changeAskedMail(to: string, url: string): Mail {
  return compose(to, {
    subject: 'A change of your email address was requested',
    lines: [
      'Someone who knows your password requested a new email address for your account.',
      'The address changes when the link sent to the new address is opened.',
    ],
    action: { label: 'This was not me', url },
    closing: 'If this was you, there is nothing to do. Setting a new password cancels the change.',
  });
}

/** To an address when the change of an account to it was voided. */
export function changeVoidedMail(to: string): Mail {
  return compose(to, {
    subject: 'The change of email address was canceled',
    lines: ['The link to use this address for an account is no longer valid.'],
    closing: 'If you still want the change, request it again.',
  });
}

/** To the new address of an account. */
export function newAddressMail(to: string): Mail {
  return compose(to, {
    subject: 'Your account now uses this address',
    lines: ['From now on, sign in with this address. Mails about your account are sent here.'],
    closing: 'If this was not you, set a new password or contact the operator of this gateway.',
  });
}

/** To the owner of an account with too many password guesses. */
export function tooManyGuessesMail(to: string, url: string): Mail {
  return compose(to, {
    subject: 'Too many wrong passwords',
    lines: [
      'Someone tried many wrong passwords for your account within an hour.',
      'For the rest of the hour you can sign in only in a browser that you have used before, or after setting a new password.',
    ],
    action: { label: 'Set a new password', url },
    closing: 'If your password is long and not used anywhere else, there is nothing to do.',
  });
}

/** `spent` says which budget, and until when. */
export function budgetSpentMail(to: string, spent: string): Mail {
  return compose(to, {
    subject: 'A budget of your agents is used up',
    lines: [
      `${spent}.`,
      'Until then the gateway calls no model for it and begins no new calls. Messages are still received and kept.',
    ],
    closing:
      'If this is more than you expected, look at the deliveries of your agents: they may be answering a machine.',
  });
}

/** `standing`: access to the account that needs no password; '' for none. */
export function passwordChangedMail(to: string, url: string, standing: string): Mail {
  const left = `Still valid without the password: ${standing}. Remove anything that you do not recognize.`;
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
      'Your account now uses a different address, and all other sessions were signed out. No more mail will be sent here.',
    ],
    closing: 'If this was not you, contact the operator of this gateway immediately.',
  });
}

/** To the owner of an account that stores as much as it may. */
export function accountFullMail(to: string): Mail {
  return compose(to, {
    subject: 'Your account is full',
    lines: [
      'Your account stores as much as it may in the database of the gateway. Its agents can send and change nothing for now. What people write to it is still stored, for a while.',
      'Deleting agents frees room, and so does the operator of the gateway, by a larger quota or a shorter time for which messages are kept.',
    ],
    closing: 'This mail is sent once, until there is room again.',
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
