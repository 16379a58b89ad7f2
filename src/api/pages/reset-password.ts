import { PASSWORD_MAX_LENGTH, PASSWORD_MIN_LENGTH } from '../../accounts/passwords/passwords.ts';
import { escapeHtml } from '../../base/html.ts';
import type { Page } from './page.ts';

/** Sends the form as JSON and shows the outcome. URLs are relative, because the gateway may be served under a path. */
const SCRIPT = `
{
  const form = document.querySelector('form');
  const status = document.querySelector('[role=status]');
  const tell = (text, kind) => { status.textContent = text; status.className = kind; };
  const reasonOf = async (answer) => {
    const { detail } = await answer.json().catch(() => ({}));
    return typeof detail === 'string' ? detail : 'Please check your input';
  };
  history.replaceState(null, '', location.pathname);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const { again, ...body } = Object.fromEntries(new FormData(form));
    if (again !== undefined && again !== body.password) return tell('The two passwords differ', 'bad');
    const button = form.querySelector('button');
    button.disabled = true;
    tell('One moment …', '');
    try {
      const answer = await fetch(form.dataset.target, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });
      if (answer.ok) { form.reset(); return tell(form.dataset.done, 'good'); }
      tell(await reasonOf(answer), 'bad');
    } catch {
      tell('The gateway is not responding', 'bad');
    }
    button.disabled = false;
  });
}
`;

const NO_SCRIPT = '<noscript><p class="bad">This page needs JavaScript.</p></noscript>';

/**
 * The page that a reset mail links to. Asks for the new password or, without a token, for the address to send a link
 * to.
 */
export function resetPasswordPage(token: string): Page {
  return token === '' ? askForLink() : askForPassword(token);
}

function askForPassword(token: string): Page {
  const limits = `minlength="${PASSWORD_MIN_LENGTH}" maxlength="${PASSWORD_MAX_LENGTH}"`;
  const field = (name: string, label: string) =>
    `<label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="password" required ${limits} autocomplete="new-password">`;
  return {
    title: 'Set a new password',
    content: `<p>At least ${PASSWORD_MIN_LENGTH} characters. You will be signed out everywhere.</p>${NO_SCRIPT}
<form data-target="reset-password" data-done="Your password was changed. You can sign in with it now.">
<input type="hidden" name="token" value="${escapeHtml(token)}">
${field('password', 'New password')}
${field('again', 'Repeat the password')}
<button>Set password</button><p role="status"></p></form>`,
    script: SCRIPT,
  };
}

function askForLink(): Page {
  return {
    title: 'Forgot your password?',
    content: `<p>We will send you a link to set a new one.</p>${NO_SCRIPT}
<form data-target="forgot-password" data-done="If the address has an account, an email is on its way.">
<label for="email">Email address</label>
<input id="email" name="email" type="email" required autocomplete="email">
<button>Send link</button><p role="status"></p></form>`,
    script: SCRIPT,
  };
}
