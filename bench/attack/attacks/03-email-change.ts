import { setTimeout as pause } from 'node:timers/promises';
import type { Attack, Target } from '../attack.ts';
import { Browser, type Seen } from '../browser.ts';
import type { Mails } from '../mails.ts';
import { addressOf, type Member, PASSWORD, verifiedMember } from '../member.ts';
import type { Notes } from '../notes.ts';

const NUMBER = 3;
const NEW_PASSWORD = 'a password of the owner alone';

/** How an owner takes an account back. */
interface Remedy {
  readonly name: string;
  take(owner: Member, mails: Mails): Promise<Seen>;
}

const REMEDIES: readonly Remedy[] = [
  {
    name: 'a reset',
    async take({ email, browser }, mails) {
      await browser.post('/auth/forgot-password', { email });
      const { link } = await mails.take(email, '/auth/reset-password');
      const token = new URL(link).searchParams.get('token');
      return await browser.post('/auth/reset-password', { token, password: NEW_PASSWORD });
    },
  },
  {
    name: 'a change of the password',
    take: ({ browser }) =>
      browser.post('/api/change-password', { current_password: PASSWORD, new_password: NEW_PASSWORD }),
  },
];

/** A thief with the password requests another address, and follows the link after the owner recovered the account. */
export const emailChange: Attack = {
  number: NUMBER,
  name: 'a change of address that outlives a reset',
  async run(target, notes, mails) {
    for (const [index, remedy] of REMEDIES.entries()) {
      const owner = await verifiedMember(target, mails, NUMBER, 1 + index);
      const thief = await signedIn(target, owner, 101 + index);
      const stolen = `thief${index}.${NUMBER}.${target.round}@example.com`;
      notes.act(`a thief asks for another address before ${remedy.name}, and follows the link after it`);
      await thief.post('/api/change-email', { new_email: stolen, password: PASSWORD });
      const { link } = await mails.take(stolen, '/api/verify-email-change');
      const { status } = await remedy.take(owner, mails);
      if (status !== 200) throw new Error(`${remedy.name}: ${status}`);
      const session = await thief.get('/api/account');
      notes.demand(session.status === 401, `the thief's session after ${remedy.name}`, session.status);
      await follow(thief, link);
      await demandOwned(target, notes, owner, remedy.name);
    }
    await supersededRequest(target, notes, mails);
  },
};

/** A new request voids the one before. */
async function supersededRequest(target: Target, notes: Notes, mails: Mails): Promise<void> {
  notes.act('the link of a first request is followed after a second request');
  const owner = await verifiedMember(target, mails, NUMBER, 3);
  const links: string[] = [];
  for (const name of ['first', 'second']) {
    const address = `${name}.${NUMBER}.${target.round}@example.com`;
    await owner.browser.post('/api/change-email', { new_email: address, password: PASSWORD });
    links.push((await mails.take(address, '/api/verify-email-change')).link);
  }
  const [first = '', second = ''] = links;
  await follow(owner.browser, first);
  const { status, json } = await owner.browser.post('/auth/login', {
    email: owner.email,
    password: PASSWORD,
  });
  notes.demand(status === 200, 'the old address still signs in after the first link', status);
  if (json) await follow(owner.browser, second);
  const subjects = await tellings(mails, owner.email);
  notes.demand(
    subjects.length > 0,
    'mails to the old address about the change',
    subjects.join('; ') || 'none',
  );
}

/** Mails come after the answer. */
async function tellings(mails: Mails, address: string): Promise<string[]> {
  for (let tries = 0; tries < 30; tries++) {
    const subjects = await mails.subjects(address);
    if (subjects.length > 0) return subjects;
    await pause(100);
  }
  return [];
}

async function demandOwned(target: Target, notes: Notes, { email }: Member, after: string): Promise<void> {
  const browser = new Browser(target.httpPort, addressOf(target, NUMBER, 200));
  const { status } = await browser.post('/auth/login', { email, password: NEW_PASSWORD });
  notes.demand(status === 200, `the owner signs in by the old address after ${after} and the link`, status);
}

async function signedIn(target: Target, { email }: Member, who: number): Promise<Browser> {
  const browser = new Browser(target.httpPort, addressOf(target, NUMBER, who));
  await browser.post('/auth/login', { email, password: PASSWORD });
  return browser;
}

/** In every way that a link may be followed. */
async function follow(browser: Browser, link: string): Promise<void> {
  await browser.follow(link);
  const { pathname, searchParams } = new URL(link);
  const token = searchParams.get('token') ?? '';
  await browser.submit(`${pathname}?token=${token}`, new URLSearchParams({ token }));
}
