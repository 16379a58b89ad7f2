import { PASSWORD_MAX_LENGTH, PASSWORD_MIN_LENGTH } from '../../accounts/passwords/passwords.ts';
import type { SignupPolicy } from '../../accounts/people/people.ts';
import { escapeHtml } from '../../base/html.ts';
import { returnCookie } from '../auth/cookies.ts';
import type { Principal } from '../auth/principal.ts';
import type { BytesReply } from '../http/answer/reply.ts';
import { OWN_FORM_HEADERS, type Page, pageReply } from './page.ts';

const STYLE = `
button.other{margin-top:12px;background:transparent;color:var(--accent);border:1px solid var(--line)}
.provider{display:block;margin-top:12px;padding:12px;border:1px solid var(--line);border-radius:10px;color:inherit;font-weight:600;text-align:center;text-decoration:none}
.links{margin:20px 0 0;text-align:center;font-size:14px}
a{color:var(--accent)}
p[data-new]{margin:6px 0 0;font-size:14px}
[role=status]:empty{min-height:0;margin:0}
[hidden]{display:none}`;

/**
 * Signs in, after creating an account if requested, then reloads the current URL to show the page that required it. It
 * never redirects elsewhere. URLs are relative, because the gateway may be served under a path.
 */
const SCRIPT = `
{
  const form = document.querySelector('form');
  const status = document.querySelector('[role=status]');
  const [go, other] = form.querySelectorAll('button');
  const tell = (text, kind) => { status.textContent = text; status.className = kind; };
  const ask = async (path, body) => {
    const answer = await fetch('../auth/' + path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (answer.ok) return null;
    const { detail } = await answer.json().catch(() => ({}));
    return typeof detail === 'string' ? detail : 'Please check your input';
  };
  let isNew = false;
  const show = () => {
    document.querySelector('h1').textContent = isNew ? form.dataset.create : form.dataset.signIn;
    go.textContent = isNew ? form.dataset.create : form.dataset.signIn;
    other.textContent = isNew ? form.dataset.known : form.dataset.unknown;
    form.password.autocomplete = isNew ? 'new-password' : 'current-password';
    form.password.minLength = isNew ? form.dataset.minLength : 1;
    for (const part of form.querySelectorAll('[data-new]')) part.hidden = !isNew;
    if (form.invite_code) form.invite_code.required = isNew;
    tell('', '');
  };
  const goOn = () => {
    const url = new URL(location.href);
    if (url.searchParams.get('prompt') === 'login') url.searchParams.delete('prompt');
    location.replace(url);
  };
  other.addEventListener('click', () => { isNew = !isNew; show(); });
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const { email, password, invite_code } = Object.fromEntries(new FormData(form));
    go.disabled = true;
    tell('One moment …', '');
    try {
      const refused = isNew && await ask('signup', { email, password, ...(invite_code ? { invite_code } : {}) });
      const fault = refused || await ask('login', { email, password });
      if (!fault) return goOn();
      tell(isNew && !refused ? form.dataset.taken : fault, 'bad');
    } catch {
      tell('The gateway is not responding', 'bad');
    }
    go.disabled = false;
  });
}
`;

const INVITE_FIELD = `<div data-new hidden><label for="invite_code">Invite code</label>
<input id="invite_code" name="invite_code" maxlength="256" autocomplete="off"></div>`;

/** A link to an external provider. The cookie set with this page leads back to it after the sign-in. */
function providerLink(name: string): string {
  const shown = escapeHtml(name.charAt(0).toUpperCase() + name.slice(1));
  return `<a class="provider" href="../auth/oauth/${encodeURIComponent(name)}/start">Continue with ${shown}</a>`;
}

/** The page that requires a signed-in user. */
export interface SignInRequired {
  readonly path: `/${string}`;
  readonly query: Readonly<Record<string, string>>;
  /** What it is for, in words. */
  readonly why: string;
  readonly session: Principal | null;
}

/** What the gateway offers those who sign in. */
export interface SignInOffer {
  readonly signup: SignupPolicy;
  /** Route names of the external providers. */
  readonly providers: readonly string[];
  readonly publicUrl: () => string;
}

/**
 * Shows the sign-in page in place of another. A signed-in user gets no external providers, because with them a sign-in
 * would link another identity to the account.
 */
export function signInReply(
  { signup, providers: all, publicUrl }: SignInOffer,
  { path, query, why, session }: SignInRequired,
): BytesReply<200> {
  const providers = session === null ? all : [];
  const cookie = providers.length === 0 ? null : returnCookie(path, query, publicUrl());
  const headers = { ...OWN_FORM_HEADERS, ...(cookie !== null && { 'Set-Cookie': cookie }) };
  return pageReply(200, signInPage(signup, providers, why), headers);
}

function signInPage({ mode }: SignupPolicy, providers: readonly string[], why: string): Page {
  const other = mode === 'closed' ? 'hidden' : '';
  return {
    title: 'Sign in',
    content: `<p>${escapeHtml(why)}</p>
<noscript><p class="bad">This page needs JavaScript.</p></noscript>
<form data-sign-in="Sign in" data-create="Create account" data-known="I have an account"
 data-unknown="Create an account" data-min-length="${PASSWORD_MIN_LENGTH}"
 data-taken="This address may already have an account with another password. Check your email.">
<label for="email">Email address</label>
<input id="email" name="email" type="email" required autocomplete="username">
<label for="password">Password</label>
<input id="password" name="password" type="password" required maxlength="${PASSWORD_MAX_LENGTH}" autocomplete="current-password">
<p data-new hidden>At least ${PASSWORD_MIN_LENGTH} characters.</p>
${mode === 'invite' ? INVITE_FIELD : ''}
<button>Sign in</button><button type="button" class="other" ${other}>Create an account</button>
<p role="status"></p></form>
${providers.map(providerLink).join('')}
<p class="links"><a href="../auth/reset-password">Forgot your password?</a></p>`,
    style: STYLE,
    script: SCRIPT,
  };
}
