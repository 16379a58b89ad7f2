import type { Page } from './page.ts';

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
