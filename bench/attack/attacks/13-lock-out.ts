import { setTimeout as pause } from 'node:timers/promises';
import type { Attack, Target } from '../attack.ts';
import { Browser } from '../browser.ts';
import type { Mails } from '../mails.ts';
import { addressOf, leave, PASSWORD, verifiedMember } from '../member.ts';

const NUMBER = 13;
const WRONG = 'not the password';
const MANY_ADDRESSES = 13;
const FROM_EACH = 10;

/** Wrong passwords that are meant to lock the owner out. */
export const lockOut: Attack = {
  number: NUMBER,
  name: 'wrong passwords that lock the owner out',
  async run(target, notes, mails) {
    const owner = await verifiedMember(target, mails, NUMBER, 1);
    notes.act('30 wrong passwords from one address');
    const tried = await guess(target, owner.email, 2, 30);
    notes.demand(tried <= 12, 'guesses that one address may make at once', tried);
    const elsewhere = new Browser(target.httpPort, addressOf(target, NUMBER, 3));
    const { status } = await elsewhere.post('/auth/login', { email: owner.email, password: PASSWORD });
    notes.demand(status === 200, 'the owner signs in from another address', status);
    notes.act(`${FROM_EACH} wrong passwords from each of ${MANY_ADDRESSES} addresses`);
    let total = tried;
    for (let n = 0; n < MANY_ADDRESSES; n++) total += await guess(target, owner.email, 10 + n, FROM_EACH);
    notes.demand(total <= 110, 'guesses that all addresses may make in an hour', total);
    const known = await owner.browser.post('/auth/login', { email: owner.email, password: PASSWORD });
    notes.demand(known.status === 200, 'the owner signs in from a known browser', known.status);
    const subjects = await told(mails, owner.email);
    notes.demand(subjects.length > 0, 'mails that tell the owner', subjects.join('; ') || 'none');
    await leave(known.status === 200 || status !== 200 ? owner : { ...owner, browser: elsewhere });
  },
};

/** Makes wrong guesses and returns how many were checked. */
async function guess(target: Target, email: string, who: number, count: number): Promise<number> {
  const browser = new Browser(target.httpPort, addressOf(target, NUMBER, who));
  let looked = 0;
  for (let n = 0; n < count; n++) {
    const { status } = await browser.post('/auth/login', { email, password: WRONG });
    if (status === 401) looked++;
    // One that was refused will be refused again.
    else if (status === 429) break;
  }
  return looked;
}

async function told(mails: Mails, address: string): Promise<string[]> {
  for (let tries = 0; tries < 20; tries++) {
    const subjects = await mails.subjects(address);
    if (subjects.length > 0) return subjects;
    await pause(100);
  }
  return [];
}
