import { GatewayApi } from '../../test/support/gateway-api.ts';
import type { Target } from './attack.ts';
import { Browser } from './browser.ts';
import type { Mails } from './mails.ts';

export const PASSWORD = 'correct horse battery';

/** A person with an account. */
export interface Member {
  readonly email: string;
  readonly browser: Browser;
}

/** Returns a loopback address that is unique in this round. */
export function addressOf({ round }: Target, attack: number, who: number): string {
  return `127.${round}.${attack}.${who}`;
}

/** Signs up and signs in without verifying the email address. */
export async function signUp(target: Target, attack: number, who: number): Promise<Member> {
  const browser = new Browser(target.httpPort, addressOf(target, attack, who));
  const email = `person${who}.${attack}.${target.round}@example.com`;
  const signedUp = await browser.post('/auth/signup', { email, password: PASSWORD });
  if (signedUp.status !== 200) throw new Error(`sign-up: ${signedUp.status} ${signedUp.text}`);
  const signedIn = await browser.post('/auth/login', { email, password: PASSWORD });
  if (signedIn.status !== 200) throw new Error(`sign-in: ${signedIn.status} ${signedIn.text}`);
  return { email, browser };
}

/** The same, with the email address verified. */
export async function verifiedMember(
  target: Target,
  mails: Mails,
  attack: number,
  who: number,
): Promise<Member> {
  const member = await signUp(target, attack, who);
  const { link } = await mails.take(member.email, '/auth/verify');
  await member.browser.follow(link);
  // Verifying an address may end the session, so sign in again.
  await member.browser.post('/auth/login', { email: member.email, password: PASSWORD });
  return member;
}

/** A person with an account and its keys. */
export interface Tenant extends Member {
  readonly agentKey: string;
  readonly agentApi: GatewayApi;
  readonly settingsApi: GatewayApi;
}

export async function newTenant(target: Target, mails: Mails, attack: number, who: number): Promise<Tenant> {
  const member = await verifiedMember(target, mails, attack, who);
  const agentKey = keyIn(await member.browser.post('/api/api-keys', { name: 'attack' }));
  const settingsKey = keyIn(await member.browser.post('/api/settings-keys', { name: 'attack' }));
  return {
    ...member,
    agentKey,
    agentApi: new GatewayApi(target.baseUrl, agentKey),
    settingsApi: new GatewayApi(target.baseUrl, settingsKey),
  };
}

/** Deletes the account, so that the next round starts from the same state. */
export async function leave({ browser }: Member, password = PASSWORD): Promise<void> {
  const { status, text } = await browser.delete('/api/account', { password, confirm: true });
  if (status !== 200) throw new Error(`deleting an account: ${status} ${text}`);
}

function keyIn({ status, text }: { status: number; text: string }): string {
  const key = /svc_[\w-]{30,}/.exec(text)?.[0];
  if (key === undefined) throw new Error(`no key: ${status} ${text}`);
  return key;
}
