import { isPrivateUseRedirect } from '../../authorization/redirect-uris.ts';
import { escapeHtml } from '../../base/html.ts';

/** What any page needs on which a signed-in person decides about a request. */
export interface Question {
  /** The request as text, and the proof that this page showed it. */
  readonly requestText: string;
  readonly ticket: string;
  /** The account by its display name, or by what its owner has proven. */
  readonly account: string;
  /** URL of this page for signing in with another account. */
  readonly otherAccountUrl: string;
}

interface Answer {
  /** Of the form's field `decision`. */
  readonly value: string;
  readonly label: string;
}

interface QuestionForm {
  /** Where the decision is posted to. */
  readonly action: string;
  /** HTML above the buttons. */
  readonly content?: string;
  readonly no: Answer;
  readonly yes: Answer;
}

export const QUESTION_STYLE = `
a{color:var(--accent)}
.answers{display:grid;grid-template-columns:1fr 1fr;gap:12px;margin-top:24px}
.answers button{margin:0}
.answers .no{background:transparent;color:var(--ink);border:1px solid var(--line)}
.who{margin:20px 0 0;padding-top:16px;border-top:1px solid var(--line);font-size:14px;overflow-wrap:anywhere}`;

/** The form with both answers, and below it who is asked. */
export function questionForm(question: Question, { action, content = '', no, yes }: QuestionForm): string {
  return `<form method="post" action="${escapeHtml(action)}">
<input type="hidden" name="request" value="${escapeHtml(question.requestText)}">
<input type="hidden" name="ticket" value="${escapeHtml(question.ticket)}">
${content}<div class="answers"><button class="no" name="decision" value="${no.value}">${no.label}</button>
<button name="decision" value="${yes.value}">${yes.label}</button></div></form>
<p class="who">Signed in as <strong>${escapeHtml(question.account)}</strong>.
<a href="${escapeHtml(question.otherAccountUrl)}">Use another account</a></p>`;
}

/**
 * The Content-Security-Policy source of the URL that an answer redirects to. Browsers apply the page's policy to the
 * redirect after a form too. For IPv6 addresses and private-use schemes, policies support only the scheme.
 */
export function sourceOf(target: string): string {
  const { protocol, origin, hostname } = new URL(target);
  return hostname.startsWith('[') || isPrivateUseRedirect(target) ? protocol : origin;
}
