import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { againAndAgain } from '../again-and-again.ts';
import type { Attack, Target } from '../attack.ts';
import { demandQuiet } from '../meanwhile.ts';
import { addressOf, leave, newTenant } from '../member.ts';

const NUMBER = 29;
/** Their network is not that of the account: who is in the same one shares its limits. */
const STRANGERS = 129;
const LASTS_MS = 4_000;
const AT_ONCE = 32;
const MAX_CPU_SHARE = 0.7;

/** What anybody may ask for, and what is expensive of it. */
const PATHS: Readonly<Record<string, readonly string[]>> = {
  metrics: ['/metrics'],
  'the longest document': ['/openapi.json'],
  'the pages for people': ['/dashboard/', '/docs', '/auth/options'],
  'what clients of OAuth ask': [
    '/.well-known/oauth-authorization-server',
    '/.well-known/oauth-protected-resource',
    '/oauth/authorize?client_id=nobody&response_type=code&code_challenge=a&redirect_uri=https://a.example',
  ],
  'files that do not exist': [`/api/files/${'a'.repeat(43)}`, `/api/files/upload/${'a'.repeat(43)}`],
  'wrong keys': [`/api/calls?api_key=svc_${'a'.repeat(43)}`],
};

type Ask = (address: string, n: number) => Promise<unknown>;

/** Strangers of one network who ask for as much as they are answered, or do not even wait for the answer. */
export const strangers: Attack = {
  number: NUMBER,
  name: 'strangers who ask without end',
  async run(target, notes, mails) {
    const quiet = await newTenant(target, mails, NUMBER, 1);
    const doors: [string, Ask][] = Object.entries(PATHS).map(([what, paths]) => [
      what,
      asking(target, paths),
    ]);
    doors.push(['requests whose clients leave at once', leaving(target, GET)]);
    doors.push(['connections that are opened and closed', leaving(target, '')]);
    for (const [what, ask] of doors) {
      notes.act(`${AT_ONCE} at once: ${what}`);
      let asked: Promise<number> | null = null;
      await demandQuiet(target, notes, { what, quiet, lastsMs: LASTS_MS, mostShare: MAX_CPU_SHARE }, () => {
        const endMs = performance.now() + LASTS_MS;
        asked = againAndAgain(AT_ONCE, endMs, (n) => ask(addressOf(target, STRANGERS, 1 + (n % 100)), n));
      });
      notes.see(`${what}: ${await asked} times`);
    }
    await leave(quiet);
  },
};

const GET = 'GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n';

function asking({ httpPort: port }: Target, paths: readonly string[]): Ask {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  return (_, n) =>
    new Promise((resolve, reject) => {
      const to = { host: '127.0.0.1', port, path: paths[n % paths.length], agent };
      request(to, (answer) => answer.resume().once('end', resolve).once('error', reject))
        .once('error', reject)
        .end();
    });
}

/** Opens a connection, sends what there is to send, and leaves. */
function leaving({ httpPort: port }: Target, text: string): Ask {
  return (localAddress) =>
    new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', localAddress });
      socket.once('error', reject).once('close', resolve);
      socket.once('connect', () => {
        if (text === '') socket.destroy();
        else socket.write(text, () => socket.destroy());
      });
    });
}
