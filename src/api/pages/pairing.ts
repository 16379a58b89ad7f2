import { escapeHtml } from '../../base/html.ts';
import type { Page } from './page.ts';

/** The content of the page on which a person lets a server pair with their account. */
export interface PairingQuestion {
  /** The platform, for URLs and for people. */
  readonly platform: string;
  readonly title: string;
  /** The server's URL, and what people know it by. */
  readonly server: string;
  readonly host: string;
  /** What the server asked for, as text, and the proof that this page showed it. */
  readonly requestText: string;
  readonly ticket: string;
  /** The account by what its owner has proven. */
  readonly owner: string;
  /** URL of this page for signing in with another account. */
  readonly otherAccountUrl: string;
}

const STYLE = `
main{max-width:480px}
h1,strong{overflow-wrap:anywhere}
a{color:var(--accent)}
strong{color:var(--ink)}
.answers{display:grid;grid-template-columns:1fr 1fr;gap:12px;margin-top:24px}
.answers button{margin:0}
.answers .no{background:transparent;color:var(--ink);border:1px solid var(--line)}
.who{margin:20px 0 0;padding-top:16px;border-top:1px solid var(--line);font-size:14px;overflow-wrap:anywhere}`;

/** The page on which a person agrees. Works without scripts. */
export function pairingPage(question: PairingQuestion): Page {
  const host = `<strong>${escapeHtml(question.host)}</strong>`;
  return {
    title: `Connect ${question.host}?`,
    content: `<p>${escapeHtml(question.title)} at ${host} asks to work with your agents. They get a user there,
who reads and writes messages and takes part in calls.</p>
<p>If you did not start this there yourself, decline.</p>
<form method="post" action="${escapeHtml(question.platform)}">
<input type="hidden" name="request" value="${escapeHtml(question.requestText)}">
<input type="hidden" name="ticket" value="${escapeHtml(question.ticket)}">
<div class="answers"><button class="no" name="decision" value="decline">Decline</button>
<button name="decision" value="connect">Connect</button></div></form>
<p class="who">Signed in as <strong>${escapeHtml(question.owner)}</strong>.
<a href="${escapeHtml(question.otherAccountUrl)}">Use another account</a></p>`,
    style: STYLE,
    formTargets: ["'self'", sourceOf(question.server)],
  };
}

/**
 * Browsers apply the page's policy to the redirect after a form, too. For IPv6 addresses, policies support only the
 * scheme.
 */
function sourceOf(server: string): string {
  const { protocol, origin, hostname } = new URL(server);
  return hostname.startsWith('[') ? protocol : origin;
}
