import { createHash, randomBytes } from 'node:crypto';
import { checkedIn, fieldIn, ticksIn } from '../../test/support/oauth-client.ts';
import type { Target } from './attack.ts';
import type { Browser, Seen } from './browser.ts';

/** A self-registered MCP client with as much of OAuth as an attacker needs. */
export class McpClient {
  readonly id: string;
  readonly verifier = randomBytes(32).toString('base64url');
  readonly #baseUrl: string;

  private constructor(baseUrl: string, id: string) {
    this.#baseUrl = baseUrl;
    this.id = id;
  }

  static async register({ baseUrl }: Target, redirectUri: string): Promise<McpClient> {
    const answer = await fetch(`${baseUrl}/oauth/register`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({
        client_name: 'Attacker',
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: 'none',
      }),
    });
    const { client_id: id } = (await answer.json()) as { client_id?: string };
    if (id === undefined) throw new Error(`registering a client: ${answer.status}`);
    return new McpClient(baseUrl, id);
  }

  /** Opens the authorization endpoint in a browser. The result is a page or a redirect. */
  ask(browser: Browser, redirectUri: string, verifier = this.verifier): Promise<Seen> {
    const query = new URLSearchParams({
      client_id: this.id,
      redirect_uri: redirectUri,
      response_type: 'code',
      state: 'state',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    });
    return browser.get(`/oauth/authorize?${query}`, { 'Sec-Fetch-Site': 'cross-site' });
  }

  /** Presses "allow" on the page that `ask` showed, and takes the code out of the redirect. */
  async allow(browser: Browser, page: Seen): Promise<string> {
    const form = new URLSearchParams();
    for (const name of ['request', 'ticket']) form.set(name, fieldIn(page.text, name));
    for (const platform of ticksIn(page.text, 'platform')) form.append('platform', platform);
    for (const agent of checkedIn(page.text, 'agent')) form.append('agent', agent);
    form.set('decision', 'allow');
    const code = codeIn(await browser.submit('/oauth/authorize', form));
    if (code === null) throw new Error('no code after consent');
    return code;
  }

  redeem(code: string, redirectUri: string): Promise<{ access_token?: string; refresh_token?: string }> {
    const fields = { grant_type: 'authorization_code', code, redirect_uri: redirectUri };
    return this.#token({ ...fields, code_verifier: this.verifier });
  }

  refresh(refreshToken: string): Promise<{ access_token?: string }> {
    return this.#token({ grant_type: 'refresh_token', refresh_token: refreshToken });
  }

  async #token(fields: Readonly<Record<string, string>>): Promise<Record<string, string>> {
    const answer = await fetch(`${this.#baseUrl}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: this.id, ...fields }),
    });
    return (await answer.json()) as Record<string, string>;
  }
}

/** Returns the code in a redirect; null for a page or a refusal. */
export function codeIn({ headers }: Seen): string | null {
  const { location } = headers;
  if (typeof location !== 'string') return null;
  return new URL(location, 'http://127.0.0.1').searchParams.get('code');
}
