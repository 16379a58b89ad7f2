import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import type { Principal } from '../../../src/api/auth/principal.ts';
import { reply } from '../../../src/api/http/answer/reply.ts';
import { type Route, route } from '../../../src/api/http/routing/route.ts';
import { ReadingTime } from '../../../src/base/reading-time.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { AGENT, eventually, served } from './served.ts';

const TAKES_MS = 5;
/** What an account may use at once. */
const ALLOWED = 25 / TAKES_MS;
/** Of 900 kB each. */
const MOST_BODIES = 9;

let clock: ManualClock;
let handled: string[];
let revoked: Set<string>;

/** A server on which each request takes 5 ms of the main thread. The key of a request names its account. */
async function site() {
  const work: Route = route({
    method: 'post',
    path: '/work',
    access: 'runtime',
    operationId: 'work',
    summary: 'work',
    tags: [],
    body: z.object({ text: z.string().default('') }),
    responses: { 200: { description: 'ok', schema: z.any() } },
    handler: ({ principal, body }) => {
      clock.leap(TAKES_MS);
      handled.push(principal.accountId);
      return reply(200, { text: body.text });
    },
  });
  const authenticate = (key: string | null): Principal | null =>
    key === null || revoked.has(key) ? null : { ...AGENT, accountId: key, credentialId: key };
  const routes = [work, openTo('/open'), openTo('/probe', { isProbe: true })];
  const { url } = await served(routes, { authenticate, time: new ReadingTime(clock) });
  const ask = (key: string, text = '', signal?: AbortSignal) =>
    fetch(`${url}/work`, {
      method: 'POST',
      headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
      body: JSON.stringify({ text }),
      ...(signal && { signal }),
    });
  return Object.assign(ask, { stranger: (path: string) => fetch(`${url}${path}`) });
}

/** A page for strangers that takes as long. */
function openTo(path: `/${string}`, asked: { readonly isProbe?: true } = {}): Route {
  return route({
    method: 'get',
    path,
    access: 'public',
    operationId: path,
    summary: path,
    tags: [],
    ...asked,
    responses: { 200: { description: 'ok', schema: z.any() } },
    handler: () => {
      clock.leap(TAKES_MS);
      handled.push(path);
      return reply(200, {});
    },
  });
}

/** Lets time pass fast, so that whoever waits gets its turn. */
function passTime(): void {
  const timer = setInterval(() => clock.advance(20), 1);
  onTestFinished(() => clearInterval(timer));
}

beforeEach(() => {
  clock = new ManualClock();
  handled = [];
  revoked = new Set();
});

describe('requests', () => {
  it('are all handled at once while no other account asks for anything', async () => {
    const ask = await site();
    const answers = await Promise.all(Array.from({ length: 50 }, () => ask('alone')));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
  });

  it('of an account that has used up its allowance wait, and those of another do not', async () => {
    const ask = await site();
    await ask('quiet');
    const greedy = Array.from({ length: 20 }, (_, n) => ask('greedy', `${n}`));
    await eventually(() => handled.length >= ALLOWED);
    const { status } = await ask('quiet');
    expect(status).toBe(200);
    expect(handled.filter((key) => key === 'greedy').length).toBeLessThanOrEqual(ALLOWED + 2);
    passTime();
    const texts = await Promise.all(
      greedy.map(async (answer) => ((await (await answer).json()) as { text: string }).text),
    );
    expect(texts).toEqual(Array.from({ length: 20 }, (_, n) => `${n}`));
  });

  it('of an account that uses less than another never wait', async () => {
    const ask = await site();
    for (let n = 0; n < 30; n++) await ask('greedy');
    const answers = Array.from({ length: 10 }, async () => (await ask('quiet')).status);
    expect(await Promise.all(answers)).toEqual(Array.from({ length: 10 }, () => 200));
  });

  it('of strangers in one network wait like those of an account, but never a probe', async () => {
    const ask = await site();
    await ask('quiet');
    const greedy = Array.from({ length: 30 }, () => ask.stranger('/open'));
    await eventually(() => handled.length >= ALLOWED);
    const answers = await Promise.all([ask('quiet'), ask.stranger('/probe')]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(handled.filter((path) => path === '/open').length).toBeLessThan(greedy.length / 2);
    passTime();
    expect((await Promise.all(greedy)).every(({ status }) => status === 200)).toBe(true);
  });

  it('with more bodies than may wait for the account are refused', async () => {
    const ask = await site();
    await ask('quiet');
    const text = 'x'.repeat(900_000);
    const answers = Array.from({ length: ALLOWED + MOST_BODIES + 5 }, () => ask('greedy', text));
    const refusal = await Promise.any(
      answers.map(async (answer) => ((await answer).status === 200 ? await Promise.reject() : await answer)),
    );
    expect(refusal.status).toBe(429);
    expect(refusal.headers.get('retry-after')).toBe('1');
    expect(await refusal.json()).toMatchObject({ code: 'too_many_requests' });
    passTime();
    const statuses = await Promise.all(answers.map(async (answer) => (await answer).status));
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(MOST_BODIES);
  });

  it('are not handled when their credential is revoked while they wait', async () => {
    const ask = await site();
    await ask('quiet');
    const answers = Array.from({ length: 20 }, () => ask('greedy'));
    await eventually(() => handled.length >= ALLOWED);
    revoked.add('greedy');
    passTime();
    const statuses = await Promise.all(answers.map(async (answer) => (await answer).status));
    expect(statuses).toContain(401);
    expect(handled.filter((key) => key === 'greedy').length).toBe(
      statuses.filter((status) => status === 200).length,
    );
  });

  it('are not handled when their client leaves while they wait', async () => {
    const ask = await site();
    await ask('quiet');
    const leaving = new AbortController();
    const answers = Array.from({ length: 20 }, () => ask('greedy', '', leaving.signal).catch(() => null));
    await eventually(() => handled.length >= ALLOWED);
    leaving.abort();
    await Promise.all(answers);
    // A request of another account goes through the same event loop afterwards.
    await ask('quiet');
    const before = handled.filter((key) => key === 'greedy').length;
    passTime();
    await ask('greedy');
    expect(handled.filter((key) => key === 'greedy').length).toBeLessThanOrEqual(before + 2);
  });
});
