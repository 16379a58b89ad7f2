import { hash } from 'node:crypto';
import { GatewayError } from '../../base/errors.ts';
import { escapeHtml } from '../../base/html.ts';
import { type BytesReply, type ReplyHeaders, replyBytes } from '../http/answer/reply.ts';

/** A self-contained HTML page without external resources. */
export interface Page {
  readonly title: string;
  /** HTML with all external input escaped. */
  readonly content: string;
  /** JavaScript; empty for none. */
  readonly script?: string;
  /** CSS in addition to the common style. */
  readonly style?: string;
  /** Where its forms may be sent and redirected (sources of a Content-Security-Policy). Default: nowhere. */
  readonly formTargets?: readonly string[];
}

/**
 * Headers for a page with a form and a secret or long URL. `same-origin` sends the URL only to the gateway, which can
 * still tell its own forms from those of other sites: with `no-referrer`, browsers hide the origin.
 */
export const OWN_FORM_HEADERS = { 'Referrer-Policy': 'same-origin' } as const;

export const HTML_TYPE = 'text/html; charset=utf-8';

/** Describes an answer that is a page, for the OpenAPI description. */
export function pageAnswer(description: string) {
  return { description, contentType: HTML_TYPE } as const;
}

const STYLE = `
:root{color-scheme:light dark;--ground:#f4f5f7;--card:#fff;--ink:#1c2430;--quiet:#667085;--line:#d0d5dd;--accent:#2f5bea;--bad:#b42318;--good:#067647}
@media (prefers-color-scheme:dark){:root{--ground:#12161d;--card:#1b212b;--ink:#e7eaf0;--quiet:#98a2b3;--line:#384152;--accent:#4f74f3;--bad:#fda29b;--good:#75e0a7}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;place-items:center;padding:24px 16px;background:var(--ground);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif}
main{width:100%;max-width:400px;padding:32px;background:var(--card);border-radius:16px;box-shadow:0 1px 3px #0002,0 8px 24px #0001}
h1{margin:0 0 8px;font-size:22px;line-height:1.3}
p{margin:0 0 16px;color:var(--quiet)}
label{display:block;margin:16px 0 6px;font-weight:600;font-size:14px}
input{width:100%;padding:11px 12px;border:1px solid var(--line);border-radius:10px;background:transparent;color:inherit;font:inherit}
input:focus-visible,button:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
button{width:100%;margin-top:24px;padding:12px;border:0;border-radius:10px;background:var(--accent);color:#fff;font:inherit;font-weight:600;cursor:pointer}
button:disabled{opacity:.6;cursor:default}
[role=status]{min-height:24px;margin:16px 0 0}
.bad{color:var(--bad)}.good{color:var(--good)}`;

/** Answers a refusal with a page. Rethrows errors with any other status. */
export function refusalPage<Status extends number>(
  error: unknown,
  statuses: readonly Status[],
  pageOf: (reason: string) => Page,
): BytesReply<Status> {
  if (!(error instanceof GatewayError)) throw error;
  const status = statuses.find((known) => known === error.status);
  if (status === undefined) throw error;
  return pageReply(status, pageOf(error.message));
}

/** Answers with a page. Its URL may contain a token, so no referrer is sent. */
export function pageReply<Status extends number>(
  status: Status,
  page: Page,
  headers: ReplyHeaders = {},
): BytesReply<Status> {
  return replyBytes(status, HTML_TYPE, htmlOf(page), {
    'Cache-Control': 'no-store',
    'Content-Security-Policy': policyOf(page),
    'Referrer-Policy': 'no-referrer',
    'X-Frame-Options': 'DENY',
    ...headers,
  });
}

function htmlOf({ title, content, script = '', style = '' }: Page): string {
  const run = script === '' ? '' : `<script>${script}</script>`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${escapeHtml(title)}</title><style>${STYLE}${style}</style></head>
<body><main><h1>${escapeHtml(title)}</h1>${content}</main>${run}</body></html>
`;
}

/** The page's Content-Security-Policy: only its own style and script, and requests only to the gateway. */
function policyOf({ script = '', style = '', formTargets = ["'none'"] }: Page): string {
  const run = script === '' ? [] : [`script-src ${source(script)}`, "connect-src 'self'"];
  const rules = ["default-src 'none'", `style-src ${source(STYLE + style)}`, ...run];
  return [...rules, "base-uri 'none'", `form-action ${formTargets.join(' ')}`, "frame-ancestors 'none'"].join(
    '; ',
  );
}

function source(text: string): string {
  return `'sha256-${hash('sha256', text, 'base64')}'`;
}
