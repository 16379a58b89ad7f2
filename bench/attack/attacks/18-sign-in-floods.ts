import { setTimeout as pause } from 'node:timers/promises';
import type { Attack, Target } from '../attack.ts';
import { Browser } from '../browser.ts';
import { MainCpu } from '../gateway-watch.ts';
import { addressOf, leave, type Member, PASSWORD, verifiedMember } from '../member.ts';
import { type Knock, NetworkFlood } from '../network-flood.ts';
import type { Notes } from '../notes.ts';

const NUMBER = 18;
/** Before the owner tries for the first time, and between tries. */
const LEAD_MS = 2_000;
const TRIES = 3;
const MOST_MS = 2_000;
/** Of the main thread, for each request of the flood. */
const MOST_CPU_MS = 1.2;

/** A way for strangers to have the gateway work. */
interface Door {
  readonly name: string;
  /** Whether it counts against the owner's account, so that only a known browser may sign in. */
  readonly isOwners: boolean;
  knock(n: number, owner: string): Knock;
}

const DOORS: readonly Door[] = [
  {
    name: 'wrong sign-ins',
    isOwners: false,
    knock: (n) => ({ path: '/auth/login', body: { email: nobody(n), password: 'not the password' } }),
  },
  {
    name: 'sign-ups',
    isOwners: false,
    knock: (n) => ({ path: '/auth/signup', body: { email: nobody(n), password: PASSWORD } }),
  },
  {
    name: 'requests for links that reset passwords',
    isOwners: false,
    knock: (n) => ({ path: '/auth/forgot-password', body: { email: nobody(n) } }),
  },
  {
    name: 'registrations of MCP clients',
    isOwners: false,
    knock: () => ({
      path: '/oauth/register',
      body: { redirect_uris: ['http://127.0.0.1:33418/callback'], token_endpoint_auth_method: 'none' },
    }),
  },
  {
    name: 'wrong sign-ins as the owner',
    isOwners: true,
    knock: (_, email) => ({ path: '/auth/login', body: { email, password: 'not the password' } }),
  },
];

/** Strangers in many networks who keep the gateway busy, so that people cannot sign in. */
export const signInFloods: Attack = {
  number: NUMBER,
  name: 'floods of sign-ins from many networks',
  async run(target, notes, mails) {
    const owner = await verifiedMember(target, mails, NUMBER, 1);
    const cpu = await MainCpu.of(target.pid);
    for (const [index, door] of DOORS.entries()) {
      notes.act(`500 ${door.name} a second from 250 networks`);
      const flood = new NetworkFlood(target, (n) => door.knock(n, owner.email));
      const usedMs = await cpu.msOf(() => signInMeanwhile(target, notes, owner, { ...door, index }));
      flood.stop();
      judge(notes, door, flood, usedMs / flood.sent);
    }
    await leave(owner);
  },
};

async function signInMeanwhile(
  target: Target,
  notes: Notes,
  owner: Member,
  { name, isOwners, index }: Door & { readonly index: number },
): Promise<void> {
  for (let n = 0; n < TRIES; n++) {
    await pause(LEAD_MS);
    await signIn(notes, owner.browser, owner.email, `from a known browser during ${name}`);
    if (isOwners) continue;
    const elsewhere = new Browser(target.httpPort, addressOf(target, 100 + TRIES * index + n, 1));
    await signIn(notes, elsewhere, owner.email, `from another network during ${name}`);
  }
}

async function signIn(notes: Notes, browser: Browser, email: string, where: string): Promise<void> {
  const beganMs = performance.now();
  const { status } = await browser.post('/auth/login', { email, password: PASSWORD });
  const tookMs = Math.round(performance.now() - beganMs);
  notes.demand(status === 200 && tookMs < MOST_MS, `the owner signs in ${where}`, `${status}, ${tookMs} ms`);
}

function judge(notes: Notes, { name }: Door, flood: NetworkFlood, cpuMs: number): void {
  const answers = [...flood.answers].map(([status, count]) => `${count} × ${status}`).join(', ');
  notes.see(`answers to ${flood.sent} ${name}: ${answers}`);
  notes.demand(flood.timeless === 0, `refused ${name} without Retry-After`, flood.timeless);
  const errors = [...flood.answers.keys()].filter((status) => status >= 500);
  notes.demand(errors.length === 0, `errors of the gateway during ${name}`, errors.join() || 'none');
  notes.demand(cpuMs < MOST_CPU_MS, `the main thread’s CPU for one of ${name}, ms`, cpuMs.toFixed(2));
}

/** An address without an account, which differs between attempts: each has a limit of its own. */
function nobody(n: number): string {
  return `nobody${n}.${NUMBER}@example.com`;
}
