import type { AuthorizationRequest } from '../../authorization/authorization-request.ts';
import { isPrivateUseRedirect } from '../../authorization/redirect-uris.ts';
import { escapeHtml } from '../../base/html.ts';
import { PLATFORM_TRAITS, type Platform } from '../../base/platform.ts';
import type { Page } from './page.ts';
import { QUESTION_STYLE, type Question, questionForm, sourceOf } from './question.ts';

/** A checkbox. */
export interface Tick<Id extends string = string> {
  readonly id: Id;
  readonly name: string;
  readonly isChosen: boolean;
}

/** A platform's checkbox. `isConnected`: the account is logged in there. */
export interface PlatformTick extends Tick<Platform> {
  readonly isConnected: boolean;
}

/** The content of the consent page. */
export interface ConsentQuestion extends Question {
  readonly request: AuthorizationRequest;
  readonly platforms: readonly PlatformTick[];
  /** Shown only if there are several. */
  readonly agents: readonly Tick[];
  /** What is wrong with the previous answer; '' at first. */
  readonly complaint: string;
}

const STYLE = `
main{max-width:520px}
strong{color:var(--ink);overflow-wrap:anywhere}
fieldset{margin:20px 0 0;padding:0;border:0}
legend{margin:0 0 8px;padding:0;font-weight:600;font-size:14px}
.ticks{display:grid;gap:8px}
@media (min-width:480px){.ticks{grid-template-columns:1fr 1fr}}
.ticks label{display:flex;align-items:center;gap:12px;margin:0;padding:10px 12px;min-height:56px;border:1px solid var(--line);border-radius:10px;font-weight:500;font-size:15px;line-height:1.3;cursor:pointer;overflow-wrap:anywhere}
.ticks label:has(:checked){border-color:var(--accent);background:color-mix(in srgb,var(--accent) 8%,transparent)}
.ticks input{flex:none;width:18px;height:18px;margin:0;accent-color:var(--accent)}
.ticks small{display:block;color:var(--quiet);font-weight:400;font-size:13px}
.fine{margin:16px 0 0;font-size:14px}
[role=alert]{margin:12px 0 0;font-weight:600}${QUESTION_STYLE}`;

/** The page on which a user authorizes an MCP client. Works without scripts. */
export function consentPage(question: ConsentQuestion): Page {
  const { request, agents, platforms, complaint } = question;
  const fault = complaint === '' ? '' : `<p class="bad" role="alert">${escapeHtml(complaint)}</p>`;
  const form = questionForm(question, {
    action: 'authorize',
    content: `${ticks('Platforms it may use', 'platform', platforms, platformHint)}
${agents.length > 1 ? ticks('Agents it acts for', 'agent', agents, () => '') : ''}
<p class="fine">It can read messages, take calls, and write and speak in your name there.${wholeHint(request)}
You can take this back at any time.</p>${fault}
`,
    no: { value: 'deny', label: 'Deny' },
    yes: { value: 'allow', label: 'Allow' },
  });
  return {
    title: `Connect ${request.client.clientName}?`,
    content: `<p>It asks to act for you, ${identityOf(request)}. Your answer takes you to
<strong>${escapeHtml(destinationOf(request.redirectUri))}</strong>.</p>
${form}`,
    style: STYLE,
    formTargets: ["'self'", sourceOf(request.redirectUri)],
  };
}

function ticks<T extends Tick>(
  legend: string,
  field: string,
  all: readonly T[],
  hintOf: (tick: T) => string,
): string {
  const rows = all.map((tick) => {
    const hint = hintOf(tick);
    const small = hint === '' ? '' : `<small>${hint}</small>`;
    return `<label><input type="checkbox" name="${field}" value="${escapeHtml(tick.id)}"${tick.isChosen ? ' checked' : ''}><span>${escapeHtml(tick.name)}${small}</span></label>`;
  });
  return `<fieldset><legend>${legend}</legend><div class="ticks">${rows.join('\n')}</div></fieldset>`;
}

function platformHint({ id, isConnected }: PlatformTick): string {
  const { capabilities } = PLATFORM_TRAITS[id];
  const calls = capabilities.includes('audio_in') ? ['Calls'] : [];
  const words = [...calls, ...(capabilities.includes('write') ? ['messages'] : [])].join(', ');
  const shown = `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
  return isConnected ? `${shown} · <span class="good">connected</span>` : shown;
}

/** Explains that ticking every platform includes future ones. Only for requests without a platform list. */
function wholeHint({ platforms }: AuthorizationRequest): string {
  if (platforms !== null) return '';
  return ' With every platform ticked, it may also use platforms added later and write to your other agents.';
}

/**
 * Describes the client's identity. It is verified only if its description was fetched from its own site; otherwise the
 * name is only claimed.
 */
function identityOf({ client }: AuthorizationRequest): string {
  if (client.fetchedAt === null) return 'and chose this name itself';
  return `and is known to <strong>${escapeHtml(new URL(client.clientId).host)}</strong> by this name`;
}

function destinationOf(redirectUri: string): string {
  const { protocol, host } = new URL(redirectUri);
  if (protocol === 'https:') return host;
  return `a program on this computer (${isPrivateUseRedirect(redirectUri) ? `whichever opens ${protocol}` : host})`;
}
