import type { Attack } from '../attack.ts';
import { Browser, pathOf } from '../browser.ts';
import { addressOf, leave, type Member, PASSWORD, signUp } from '../member.ts';
import type { Notes } from '../notes.ts';

const NUMBER = 10;

/** Mail scanners open every link before its reader does, or without the reader ever opening it. */
export const linkScanners: Attack = {
  number: NUMBER,
  name: 'mail scanners that follow links',
  async run(target, notes, mails) {
    const member = await signUp(target, NUMBER, 1);
    const scanner = new Browser(target.httpPort, addressOf(target, NUMBER, 2));
    const { link } = await mails.take(member.email, '/auth/verify');
    notes.act('a scanner gets and heads the link that proves an address');
    const page = await scan(scanner, link, member.browser);
    const isProven = await proven(member);
    notes.demand(!isProven, 'the address after the scanner', isProven ? 'proven' : 'not proven');
    if (!isProven) {
      const status = await press(scanner, link, page, notes);
      notes.demand(await proven(member), 'the address after the button', status);
    }
    notes.act('a scanner gets and heads the link that changes an address');
    const wanted = `wanted.${NUMBER}.${target.round}@example.com`;
    await member.browser.post('/api/change-email', { new_email: wanted, password: PASSWORD });
    const change = await mails.take(wanted, '/api/verify-email-change');
    await scan(scanner, change.link, member.browser);
    const { status } = await scanner.post('/auth/login', { email: member.email, password: PASSWORD });
    notes.demand(status === 200, 'the old address signs in after the scanner', status);
    await leave(status === 200 ? { ...member, browser: scanner } : member);
  },
};

/** Requests the link as scanners do, and as a browser does when it prefetches. Returns the page that people see. */
async function scan(scanner: Browser, link: string, owner: Browser): Promise<string> {
  await scanner.head(pathOf(link));
  await owner.head(pathOf(link));
  await scanner.get(pathOf(link), { Accept: '*/*' });
  const { text } = await scanner.get(pathOf(link), { Accept: 'text/html,application/xhtml+xml' });
  return text;
}

/** Presses the button on the page, which works in any browser. Returns the status. */
async function press(browser: Browser, link: string, page: string, notes: Notes): Promise<number> {
  const hasForm = /<form[^>]+method="post"/i.test(page);
  notes.demand(hasForm, 'the page has a button', hasForm ? 'yes' : 'no');
  const token = new URL(link).searchParams.get('token') ?? '';
  return (await browser.submit(pathOf(link), new URLSearchParams({ token }))).status;
}

async function proven({ browser, email }: Member): Promise<boolean> {
  const { json } = await browser.post('/auth/login', { email, password: PASSWORD });
  return json?.email_verified === true;
}
