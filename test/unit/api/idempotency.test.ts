import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { reply, replyEmpty } from '../../../src/api/http/answer/reply.ts';
import { IdempotentRequests } from '../../../src/api/http/idempotency/idempotent-requests.ts';
import { type Route, route } from '../../../src/api/http/routing/route.ts';
import { GatewayError } from '../../../src/base/errors.ts';
import { noteSubject, subjectOf } from '../../../src/store/keys/idempotent-requests.ts';
import { insertAccount } from '../../../src/store/people/accounts.ts';
import type { Store } from '../../../src/store/store.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { NOW, temporaryStore } from '../store/temporary.ts';
import { AGENT, SETTINGS, served } from './served.ts';

const HOUR_MS = 3_600_000;
const ANSWERS = {
  200: { description: 'ok', schema: z.any() },
  202: { description: 'taken' },
  400: 'no',
  502: 'no',
  503: 'no',
};

type Handler = Parameters<typeof route<'account', typeof ANSWERS>>[0]['handler'];

function post(path: `/${string}`, handler: Handler, more: Partial<Route> = {}): Route {
  const { idempotency = 'stored' } = more;
  return route({
    method: 'post',
    path,
    access: 'account',
    operationId: path,
    summary: path,
    tags: [],
    body: z.object({ n: z.number() }).optional() as never,
    idempotency,
    responses: ANSWERS,
    handler,
  });
}

/** A server whose routes count how often they take effect. */
async function startServer(more: (store: Store) => Route[] = () => []) {
  const store = await temporaryStore();
  await insertAccount(store.db, { id: AGENT.accountId, name: 'a', createdAt: NOW });
  const clock = new ManualClock();
  const effects: string[] = [];
  const keepFailures: unknown[] = [];
  const done = (what: string) => effects.push(what);
  const gate = Promise.withResolvers<void>();
  onTestFinished(() => gate.resolve());
  const routes = [
    post('/count', () => reply(200, { count: done('count') }, { 'X-Is': 'kept' })),
    post('/empty', () => {
      done('empty');
      return replyEmpty(202);
    }),
    post('/slow', async () => {
      done('slow');
      await gate.promise;
      return reply(200, {});
    }),
    post('/refuse', () => {
      done('refuse');
      throw new GatewayError('meeting_url_required');
    }),
    post('/fail', () => {
      done('fail');
      throw new GatewayError('platform_failed');
    }),
    post('/busy', () => {
      done('busy');
      throw new GatewayError('not_ready');
    }),
    post('/bug', () => {
      done('bug');
      throw new Error('a bug');
    }),
    post('/free', () => reply(200, { count: done('free') }), { idempotency: 'none' }),
    ...more(store),
  ];
  const idempotency = new IdempotentRequests(store, clock, (error) => keepFailures.push(error));
  const { url, failures } = await served(routes, { idempotency });
  const ask = async (path: string, key: string | null, body = '', credential = 'svc_agent') => {
    const answer = await fetch(url + path, {
      method: 'POST',
      headers: { 'X-API-Key': credential, ...(key === null ? {} : { 'Idempotency-Key': key }) },
      ...(body === '' ? {} : { body }),
    });
    const text = await answer.text();
    return {
      status: answer.status,
      body: text === '' ? null : JSON.parse(text),
      isReplayed: answer.headers.get('idempotent-replayed') === 'true',
      headers: answer.headers,
    };
  };
  return { store, clock, effects, failures, keepFailures, gate, ask };
}

it('returns the stored answer for the same request, and does not repeat the effect', async () => {
  const { ask, effects } = await startServer();
  const first = await ask('/count', 'k', '{"n":1}');
  expect([first.status, first.body, first.isReplayed]).toEqual([200, { count: 1 }, false]);
  for (let i = 0; i < 3; i++) {
    const again = await ask('/count', 'k', '{"n":1}');
    expect([again.status, again.body, again.isReplayed]).toEqual([200, { count: 1 }, true]);
    expect([again.headers.get('x-is'), again.headers.get('content-type')]).toEqual([
      'kept',
      'application/json',
    ]);
  }
  const empty = [await ask('/empty', 'e'), await ask('/empty', 'e')];
  expect(empty.map(({ status, body, isReplayed }) => [status, body, isReplayed])).toEqual([
    [202, null, false],
    [202, null, true],
  ]);
  expect(effects).toEqual(['count', 'empty']);
});

it('repeats the effect without a key, or where keys have no meaning', async () => {
  const { ask, effects } = await startServer();
  for (let i = 0; i < 2; i++) {
    await ask('/count', null);
    expect((await ask('/free', 'k')).isReplayed).toBe(false);
  }
  expect(effects).toEqual(['count', 'free', 'count', 'free']);
});

it('refuses a key that was used with another request', async () => {
  const { ask, effects } = await startServer();
  await ask('/count', 'k', '{"n":1}');
  const others = [
    ['/count', '{"n":2}'],
    ['/count', '{"n": 1}'],
    ['/count', ''],
    ['/count?x=1', '{"n":1}'],
    ['/empty', '{"n":1}'],
  ] as const;
  for (const [path, body] of others) {
    const answer = await ask(path, 'k', body);
    expect([answer.status, answer.body.detail[0]], path + body).toEqual([
      422,
      {
        loc: ['header', 'Idempotency-Key'],
        type: 'idempotency_key_reused',
        msg: 'This key was used for a different request',
      },
    ]);
  }
  expect(effects).toEqual(['count']);
});

it('keeps the keys of two credentials apart', async () => {
  const { ask, effects } = await startServer();
  expect((await ask('/count', 'k')).body).toEqual({ count: 1 });
  expect((await ask('/count', 'k', '', 'svc_settings')).body).toEqual({ count: 2 });
  expect(effects).toHaveLength(2);
});

it('returns 409 while the first request is still running', async () => {
  const { ask, effects, gate } = await startServer();
  const first = ask('/slow', 'k');
  await expect.poll(() => effects).toEqual(['slow']);
  const [second, other] = [await ask('/slow', 'k'), await ask('/slow', 'k', '{"n":1}')];
  expect([second.status, second.body.detail]).toEqual([
    409,
    'A request with this Idempotency-Key is still running',
  ]);
  expect(other.status).toBe(422);
  gate.resolve();
  expect((await first).status).toBe(200);
  expect((await ask('/slow', 'k')).isReplayed).toBe(true);
  expect(effects).toEqual(['slow']);
});

it('handles a hundred simultaneous copies as one request', async () => {
  const { ask, effects } = await startServer();
  const answers = await Promise.all(Array.from({ length: 100 }, () => ask('/count', 'k')));
  expect(effects).toEqual(['count']);
  const statuses = new Set(answers.map(({ status }) => status));
  expect([...statuses].filter((status) => status !== 200 && status !== 409)).toEqual([]);
  for (const { status, body } of answers) if (status === 200) expect(body).toEqual({ count: 1 });
});

it('stores answers to requests that may have taken effect, and lets the others be retried', async () => {
  const { ask, effects } = await startServer();
  for (const [path, status] of [
    ['/refuse', 400],
    ['/busy', 503],
    ['/fail', 502],
  ] as const) {
    expect((await ask(path, path)).status).toBe(status);
    expect((await ask(path, path)).status).toBe(status);
  }
  expect(effects).toEqual(['refuse', 'refuse', 'busy', 'busy', 'fail']);
});

it('returns an unknown outcome for a request that ended with a fault', async () => {
  const { ask, effects, failures } = await startServer();
  expect((await ask('/bug', 'k')).status).toBe(500);
  const again = await ask('/bug', 'k');
  expect([again.status, again.body.detail]).toEqual([
    409,
    'The first request with this Idempotency-Key was interrupted; its outcome is unknown',
  ]);
  expect([effects, failures.length]).toEqual([['bug'], 1]);
});

it('lets a handler resume what it started before a crash', async () => {
  const { ask, effects } = await startServer((store) => [
    post(
      '/resume',
      async ({ idempotency }) => {
        const before = await subjectOf(store.db, idempotency!);
        if (before !== null) return reply(200, { found: before });
        await noteSubject(store.db, idempotency!, 'msg_1');
        throw new Error('a crash');
      },
      { idempotency: 'resumed' },
    ),
  ]);
  expect((await ask('/resume', 'k')).status).toBe(500);
  expect((await ask('/resume', 'k')).body).toEqual({ found: 'msg_1' });
  expect((await ask('/resume', 'k')).isReplayed).toBe(true);
  expect((await ask('/resume', 'k', '{"n":1}')).status).toBe(422);
  expect(effects).toEqual([]);
});

it('forgets an answer after 24 hours', async () => {
  const { ask, clock } = await startServer();
  await ask('/count', 'k');
  clock.advance(24 * HOUR_MS - 1);
  expect((await ask('/count', 'k')).body).toEqual({ count: 1 });
  clock.advance(1);
  expect((await ask('/count', 'k', '{"n":9}')).body).toEqual({ count: 2 });
  expect((await ask('/count', 'k', '{"n":9}')).isReplayed).toBe(true);
});

it('accepts keys of 1 to 255 printable characters', async () => {
  const { ask } = await startServer();
  for (const key of ['x', '~', 'a b', 'x'.repeat(255)]) expect((await ask('/count', key)).status).toBe(200);
  for (const key of ['x'.repeat(256), 'aéb', 'a\tb']) {
    const { status, body } = await ask('/count', key);
    expect([key, status, body.detail?.[0].loc]).toEqual([key, 422, ['header', 'Idempotency-Key']]);
  }
});

it('stores neither bodies nor answers as plain text', async () => {
  const { ask, store } = await startServer();
  await ask('/count', 'k', '{"n":123456789}');
  await ask('/count', 'k', '{"n":123456789}', 'svc_settings');
  const rows = await store.db.selectFrom('idempotentRequests').selectAll().orderBy('credentialId').execute();
  expect(rows.map(({ credentialId, status }) => [credentialId, status])).toEqual([
    [AGENT.credentialId, 200],
    [SETTINGS.credentialId, 200],
  ]);
  const stored = JSON.stringify(rows);
  expect(stored).not.toMatch(/123456789|"count"/);
  expect(new Set(rows.map(({ sealedRequest }) => sealedRequest)).size).toBe(2);
});
