import type { Person } from './person.ts';

const INPUT = /<input type="(hidden|checkbox)" name="(\w+)" value="([^"]*)"( checked)?>/g;

/**
 * What somebody who is signed in does with the page that an MCP client sends them to: ticks these platforms, and allows
 * or denies. Gives the address that the browser is sent to then.
 */
export async function answerConsent(
  person: Person,
  authorizationUrl: URL,
  platforms: readonly string[],
  decision: 'allow' | 'deny' = 'allow',
): Promise<URL> {
  const cookie = { Cookie: person.cookie ?? '' };
  const page = await fetch(authorizationUrl, {
    headers: { ...cookie, 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate' },
    redirect: 'manual',
  });
  const html = await page.text();
  if (page.status !== 200) throw new Error(`the consent page: ${page.status} ${html}`);
  const action = /<form method="post" action="([^"]+)"/.exec(html)?.[1];
  if (action === undefined) throw new Error(`no form on the consent page: ${html}`);
  const answer = await fetch(new URL(action, authorizationUrl), {
    method: 'POST',
    headers: { ...cookie, 'Sec-Fetch-Site': 'same-origin', Origin: authorizationUrl.origin },
    body: filled(html, platforms, decision),
    redirect: 'manual',
  });
  const location = answer.headers.get('location');
  if (location === null) throw new Error(`the answer: ${answer.status} ${await answer.text()}`);
  return new URL(location);
}

/** The form as a browser sends it. */
function filled(html: string, platforms: readonly string[], decision: string): URLSearchParams {
  const form = new URLSearchParams();
  for (const [, type, name = '', escaped = '', checked] of html.matchAll(INPUT)) {
    const value = unescaped(escaped);
    const isTicked = name === 'platform' ? platforms.includes(value) : checked !== undefined;
    if (type === 'hidden' || isTicked) form.append(name, value);
  }
  form.append('decision', decision);
  return form;
}

function unescaped(html: string): string {
  const named: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
  return html.replace(/&(?:#(\d+)|(\w+));/g, (all, code, name) =>
    code === undefined ? (named[name] ?? all) : String.fromCodePoint(Number(code)),
  );
}
