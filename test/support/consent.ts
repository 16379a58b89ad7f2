import { answer } from './oauth-client.ts';
import type { Person } from './person.ts';

/**
 * Answers the consent page to which an MCP client sent a signed-in person: ticks these platforms, and allows or
 * denies. Returns the address to which the browser is sent.
 */
export async function answerConsent(
  person: Person,
  authorizationUrl: URL,
  platforms: readonly string[],
  decision: 'allow' | 'deny' = 'allow',
): Promise<URL> {
  const page = await person.visit(authorizationUrl.pathname + authorizationUrl.search);
  if (page.status !== 200) throw new Error(`the consent page: ${page.status} ${page.body}`);
  const { status, sentTo, html } = await answer(person, `${page.body}`, { platforms, decision });
  if (sentTo === null) throw new Error(`the answer: ${status} ${html}`);
  return sentTo;
}
