import { escapeHtml } from '../../base/html.ts';
import type { Page } from './page.ts';
import { QUESTION_STYLE, type Question, questionForm, sourceOf } from './question.ts';

/** The content of the page on which a person lets a server pair with their account. */
export interface PairingQuestion extends Question {
  /** The platform, for URLs and for people. */
  readonly platform: string;
  readonly title: string;
  /** The server's URL, and what people know it by. */
  readonly server: string;
  readonly host: string;
}

const STYLE = `
main{max-width:480px}
h1,strong{overflow-wrap:anywhere}
strong{color:var(--ink)}${QUESTION_STYLE}`;

/** The page on which a person agrees. Works without scripts. */
export function pairingPage(question: PairingQuestion): Page {
  const host = `<strong>${escapeHtml(question.host)}</strong>`;
  const form = questionForm(question, {
    action: question.platform,
    no: { value: 'decline', label: 'Decline' },
    yes: { value: 'connect', label: 'Connect' },
  });
  return {
    title: `Connect ${question.host}?`,
    content: `<p>${escapeHtml(question.title)} at ${host} asks to work with your agents. They get a user there,
who reads and writes messages and takes part in calls.</p>
<p>If you did not start this there yourself, decline.</p>
${form}`,
    style: STYLE,
    formTargets: ["'self'", sourceOf(question.server)],
  };
}
