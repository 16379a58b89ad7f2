import type { NcAnswer } from './nc-answer.ts';
import { headerOf, type NcRequest } from './nc-request.ts';

/** A page of the Nextcloud, as its own layout shows it to browsers. */
export function pageAnswer(title: string, content: string, status = 200): NcAnswer {
  return {
    status,
    headers: { 'Content-Type': 'text/html; charset=UTF-8', 'X-Frame-Options': 'SAMEORIGIN' },
    body: `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${escaped(title)} - Nextcloud</title>
<style>
body { background: #00679e; font: 16px/1.5 system-ui, sans-serif; margin: 0; }
main { background: #fff; border-radius: 12px; margin: 60px auto; max-width: 420px; padding: 30px; }
label, input, button { box-sizing: border-box; display: block; font: inherit; margin-bottom: 12px; width: 100%; }
input, button { border: 1px solid #7d7d7d; border-radius: 8px; padding: 8px; }
button { background: #00679e; color: #fff; cursor: pointer; }
</style>
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
${content}
</main>
</body>
</html>
`,
  };
}

export function redirect(location: string): NcAnswer {
  return { status: 303, headers: { Location: location } };
}

export function wantsPage(request: NcRequest): boolean {
  return headerOf(request, 'accept').includes('text/html');
}

export function hidden(fields: Readonly<Record<string, string>>): string {
  return Object.entries(fields)
    .map(([name, value]) => `<input type="hidden" name="${name}" value="${escaped(value)}">`)
    .join('\n');
}

export function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
