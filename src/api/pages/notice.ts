import { escapeHtml } from '../../base/html.ts';
import { PLATFORM_TRAITS, type Platform } from '../../base/platform.ts';
import type { Page } from './page.ts';

/** A page with a short message. `text` is trusted HTML. */
function notice(title: string, text: string): Page {
  return { title, content: `<p>${text}</p>` };
}

export const ADDRESS_CONFIRMED = notice('Address confirmed', 'Thank you. You can close this page.');

export const ADDRESS_CHANGED = notice(
  'Address changed',
  'Your account has its new address. You can close this page.',
);

export const LINK_INVALID = notice(
  'This link does not work',
  'It has expired, has been used already, or is incomplete. Request a new one.',
);

/** Beside the page that sends a new link. */
export const RESET_LINK_INVALID = notice(
  'This link does not work',
  'It has expired, has been used already, or is incomplete. <a href="reset-password">Request a new one</a>.',
);

export const ADDRESS_TAKEN = notice(
  'This address is in use',
  'Another account uses it now, so your account keeps its old address.',
);

export const CONFIRM_FIRST = notice(
  'Confirm your email address first',
  'We sent you an email with a link. Open it in this browser, then reload this page.',
);

/** Three folders up is the root of the gateway, which may be served under a path. */
export const SIGNED_IN = notice(
  'You are signed in',
  'You can close this page, or <a href="../../../dashboard">go to the dashboard</a>.',
);

export const IDENTITY_LINKED = notice('Identity linked', 'From now on you can sign in with it.');

/** The page for a failed sign-in. */
export function signInFailed(reason: string): Page {
  return notice('You are not signed in', `${escapeHtml(reason)}.`);
}

export const CONNECTED = notice(
  'Connected',
  'Your account of the platform is connected. You can close this page.',
);

export const DECLINED = notice('Not connected', 'You have declined. You can close this page.');

/** The page for a failed connection to a platform. */
export function connectFailed(reason: string): Page {
  return notice('Not connected', `${escapeHtml(reason)}.`);
}

export const APPROVED = notice(
  'Approved',
  'The gateway is approved for your organization. You can close this page.',
);

/** The page for an administrator's approval that failed. */
export function approvalFailed(reason: string): Page {
  return notice('Not approved', `${escapeHtml(reason)}.`);
}

/** The page for a refused authorization. It has no link to the client, whose identity may be forged. */
export function authorizationFailed(reason: string): Page {
  return notice('This cannot be connected', `${escapeHtml(reason)}.`);
}

/**
 * Asks for confirmation before a link from a mail takes effect. Programs that scan mails follow links but do not submit
 * forms.
 */
function confirmPage(title: string, text: string, button: string): Page {
  // Without an action, the form is sent to the page's own URL, which contains the token.
  return {
    title,
    content: `<p>${text}</p><form method="post"><button>${button}</button></form>`,
    formTargets: ["'self'"],
  };
}

export const CONFIRM_ADDRESS = confirmPage(
  'Confirm your email address',
  'Please confirm that you signed up here with this address. You sign in with your password afterwards.',
  'Confirm address',
);

export const CONFIRM_CHANGE = confirmPage(
  'Confirm your new email address',
  'Please confirm this as the new address of your account. From then on you sign in with it and your password.',
  'Confirm new address',
);

/** Asks a person whether the account of a platform that they signed in to may be used by an account of the gateway. */
export function confirmConnection(platform: Platform, owner: string): Page {
  return confirmPage(
    `Connect your account of ${PLATFORM_TRAITS[platform].title}?`,
    `Agents of <b>${escapeHtml(owner)}</b> will be able to use it. If this is not you, or you did not start this yourself, close this page.`,
    'Connect',
  );
}
