import type { Attack, Target } from '../attack.ts';
import { Browser } from '../browser.ts';
import type { Mails } from '../mails.ts';
import { addressOf, type Member, signUp } from '../member.ts';
import type { Notes } from '../notes.ts';
import { McpClient } from '../oauth-flow.ts';

const NUMBER = 4;
const REDIRECT = 'http://127.0.0.1:33418/callback';

/** An attacker signs up with another person's address, creates credentials and waits for the owner. */
export const preHijack: Attack = {
  number: NUMBER,
  name: 'credentials made before the owner came',
  async run(target, notes, mails) {
    await lieInWait(target, notes, 1, {
      name: 'the owner resets the password',
      run: async ({ email }, owner) => {
        await owner.post('/auth/forgot-password', { email });
        const { link } = await mails.take(email, '/auth/reset-password');
        const token = new URL(link).searchParams.get('token');
        return (await owner.post('/auth/reset-password', { token, password: 'chosen by the owner' })).status;
      },
    });
    await lieInWait(target, notes, 2, {
      name: 'the owner proves the address',
      run: (member, owner) => proveAddress(mails, member, owner),
    });
  },
};

/** How the owner takes the account back. `run` returns the status of the last answer. */
interface Recovery {
  readonly name: string;
  run(member: Member, owner: Browser): Promise<number>;
}

/** The owner follows the link of the mail, in a browser that is not the attacker's. */
async function proveAddress(mails: Mails, { email }: Member, owner: Browser): Promise<number> {
  const { link } = await mails.take(email, '/auth/verify');
  const { pathname, searchParams } = new URL(link);
  const token = searchParams.get('token') ?? '';
  const pressed = await owner.submit(`${pathname}?token=${token}`, new URLSearchParams({ token }));
  return pressed.status < 400 ? pressed.status : (await owner.follow(link)).status;
}

async function lieInWait(
  target: Target,
  notes: Notes,
  who: number,
  { name: what, run: recover }: Recovery,
): Promise<void> {
  notes.act(`sessions, a key and an MCP client are made with a foreign address; then ${what}`);
  const attacker = await signUp(target, NUMBER, who);
  const other = new Browser(target.httpPort, addressOf(target, NUMBER, who + 50));
  await other.post('/auth/login', { email: attacker.email, password: 'correct horse battery' });
  const key = /svc_[\w-]{30,}/.exec(
    (await attacker.browser.post('/api/api-keys', { name: 'mine' })).text,
  )?.[0];
  const client = await McpClient.register(target, REDIRECT);
  const page = await client.ask(attacker.browser, REDIRECT);
  const tokens = page.text.includes('name="ticket"')
    ? await client.redeem(await client.allow(attacker.browser, page), REDIRECT)
    : null;
  if (tokens === null) notes.see('an unproven account may approve no MCP client');
  const owner = new Browser(target.httpPort, addressOf(target, NUMBER, who + 100));
  const status = await recover(attacker, owner);
  if (status >= 400) throw new Error(`${what}: ${status}`);
  for (const [name, browser] of Object.entries({ first: attacker.browser, second: other })) {
    const seen = await browser.get('/api/account');
    notes.demand(seen.status === 401, `the ${name} session after ${what}`, seen.status);
  }
  if (key !== undefined) {
    const answer = await fetch(`${target.baseUrl}/api/calls`, { headers: { 'X-API-Key': key } });
    notes.demand(answer.status === 401, `the key after ${what}`, answer.status);
  }
  if (tokens?.access_token === undefined) return;
  const answered = await mcpStatus(target, tokens.access_token);
  notes.demand(answered === 401, `the MCP client's token after ${what}`, answered);
  const refreshed = await client.refresh(tokens.refresh_token ?? '');
  const isRefused = refreshed.access_token === undefined;
  notes.demand(isRefused, `its refresh token after ${what}`, isRefused ? 'refused' : 'gave a new token');
}

async function mcpStatus({ baseUrl }: Target, token: string): Promise<number> {
  const call = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'svc_account', arguments: {} },
  };
  const answer = await fetch(`${baseUrl}/mcp/`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify(call),
  });
  await answer.body?.cancel();
  return answer.status;
}
