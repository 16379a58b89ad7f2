import { Agent, request } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Gateway } from '../support/gateway.ts';
import { Person } from '../support/person.ts';

const TRIES = 200;
const MOST_DIFFERENCE = 0.05;
/** More tries remove a difference made by chance, but not a real one. */
const ROUNDS = 5;
const KNOWN = 'ada@example.com';

let gateway: Gateway;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

beforeAll(async () => {
  gateway = await Gateway.start({ env: { SVC_SIGNUP: 'open', SVC_LOGIN_ATTEMPTS: '1000000' } });
  expect((await new Person(gateway.baseUrl, KNOWN).signUp()).status).toBe(200);
});
afterAll(async () => {
  agent.destroy();
  await gateway?.stop();
});

/** How long an answer takes, from the last byte sent to the last byte received; over one connection that stays. */
function timeMs(path: string, body: object, status: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const startMs = performance.now();
    const asked = request(`${gateway.baseUrl}${path}`, { method: 'POST', agent }, (answer) => {
      answer.resume();
      answer.once('end', () => {
        if (answer.statusCode === status) resolve(performance.now() - startMs);
        else reject(new Error(`${path}: ${answer.statusCode}`));
      });
    });
    asked.once('error', reject);
    asked.end(JSON.stringify(body));
  });
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}

it.each([
  ['/auth/login', { password: 'not the password' }, 401],
  ['/auth/forgot-password', {}, 200],
])(
  '%s takes as long for an unknown address as for a known one',
  async (path, fields, status) => {
    const ask = (email: string) => timeMs(path, { email, ...fields }, status);
    const [known, unknown]: [number[], number[]] = [[], []];
    const difference = () => Math.abs(median(known) / median(unknown) - 1);
    for (let i = 0; i < 20; i++) await ask(KNOWN);
    for (let round = 0; round < ROUNDS && (round === 0 || difference() >= MOST_DIFFERENCE); round++) {
      for (let i = 0; i < TRIES; i++) {
        // Alternating, also in which comes first, so that other load on the machine affects both.
        const first = i % 2 === 0;
        const one = await ask(first ? KNOWN : 'nobody@example.com');
        const other = await ask(first ? 'nobody@example.com' : KNOWN);
        known.push(first ? one : other);
        unknown.push(first ? other : one);
      }
    }
    const [knownMs, unknownMs] = [median(known), median(unknown)];
    const figures = `known ${knownMs.toFixed(3)} ms, unknown ${unknownMs.toFixed(3)} ms, ${known.length} tries each`;
    console.log(`${path}: ${figures}`);
    expect(difference(), figures).toBeLessThan(MOST_DIFFERENCE);
  },
  240_000,
);
