import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { reply } from '../../../src/api/http/answer/reply.ts';
import { IdempotentRequests } from '../../../src/api/http/idempotency/idempotent-requests.ts';
import { accountRoutes } from '../../../src/api/rest/account.ts';
import { botRoutes } from '../../../src/api/rest/bots.ts';
import { uploadInline } from '../../../src/files/upload-file.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { testFiles } from '../files/test-files.ts';
import { NOW, seedAccount, temporaryStore } from '../store/temporary.ts';
import { accountServer } from './account-server.ts';

const HOUR_MS = 3_600_000;

/** The numbers 1 to `count` as the rows of `n`. */
const upTo = (count: number) =>
  sql.raw(`with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${count})`);

test('an account with 10,000 connections gets no further invite link, but another account does', async () => {
  const { settings, stranger, domain, owner } = await accountServer(botRoutes);
  const { db } = domain.store;
  const connect = (count: number) =>
    sql`insert into connections (id, account_id, provider, label, status, sealed_credentials, created_at, updated_at)
      ${upTo(count)} select 'con_' || n, ${owner.accountId}, 'whatsapp', '', 'ok', '', ${NOW}, ${NOW} from numbers`.execute(
      db,
    );
  await connect(9_999);
  expect((await settings.post('/api/invite-link')).status).toBe(200);
  await sql`update connections set id = 'con_first' where id = 'con_1'`.execute(db);
  await connect(1);
  const { status, body } = await settings.post('/api/invite-link');
  expect([status, body]).toEqual([
    409,
    { detail: 'An account may have at most 10000 connections', code: 'cap_reached' },
  ]);
  expect((await stranger.post('/api/invite-link')).status).toBe(200);
});

test('an account keeps its newest 500 feedback messages', async () => {
  const { settings, domain, clock, owner } = await accountServer(accountRoutes);
  const { db } = domain.store;
  const kept = async () =>
    (
      await db
        .selectFrom('feedback')
        .select('message')
        .where('accountId', '=', owner.accountId)
        .orderBy('createdAt')
        .execute()
    ).map(({ message }) => message);
  await sql`insert into feedback (id, account_id, message, created_at)
    ${upTo(500)} select 'fbk_' || n, ${owner.accountId}, 'old ' || n, '2020-01-01T00:00:00.000Z' from numbers`.execute(
    db,
  );
  for (let n = 0; n < 20; n++)
    expect((await settings.post('/api/feedback', { message: `new ${n}` })).status).toBe(200);
  expect((await settings.post('/api/feedback', { message: 'one too many' })).status).toBe(429);
  expect(await kept()).toHaveLength(500);
  expect((await kept()).filter((message) => message.startsWith('new'))).toHaveLength(20);
  clock.turn(HOUR_MS + 1);
  expect((await settings.post('/api/feedback', { message: 'an hour later' })).status).toBe(200);
});

test('an account has at most 10,000 files of any size, and another account has its own limit', async () => {
  const { files, store } = await testFiles();
  await sql`insert into files (id, account_id, origin, name, mime, size_bytes, token_hash, sealed_token, state, created_at, expires_at)
    ${upTo(10_000)} select 'f_' || n, 'acc_a', 'upload', '', '', 0, n, '', 'stored', ${NOW}, ${NOW} from numbers`.execute(
    store.db,
  );
  const upload = (accountId: string) =>
    uploadInline(files, accountId, new Uint8Array(1), { name: 'a', mime: null });
  await expect(upload('acc_a')).rejects.toMatchObject({
    code: 'storage_full',
    message: 'An account may have at most 10000 files',
  });
  await upload('acc_b');
  await store.db.deleteFrom('files').where('id', '=', 'f_1').execute();
  await upload('acc_a');
});

test('an account keeps 100,000 requests with an idempotency key, and other accounts have their own limit', async () => {
  const store = await temporaryStore();
  const [a, b] = [await seedAccount(store, 'a'), await seedAccount(store, 'b')];
  const clock = new ManualClock();
  const requests = new IdempotentRequests(store, clock, () => {});
  const once = ({ accountId }: { accountId: string }, key: string) =>
    requests.once(
      { ref: { accountId, credentialId: `key_${accountId}`, key }, fingerprint: key, resumes: false },
      async () => reply(200, key),
    );
  await sql`insert into idempotent_requests (account_id, credential_id, key, sealed_request, created_at)
    ${upTo(99_999)} select ${a.accountId}, 'key_old', n, '', ${NOW} from numbers`.execute(store.db);
  await once(a, 'the last');
  const detail = 'At most 100000 requests with an Idempotency-Key per account are stored for 24 hours';
  await expect(once(a, 'too many')).rejects.toMatchObject({ code: 'too_many_keys', message: detail });
  expect(await once(a, 'the last'), 'what is kept is told again').toMatchObject({ text: '"the last"' });
  await once(b, 'too many');
  await store.db.deleteFrom('idempotentRequests').where('credentialId', '=', 'key_old').execute();
  clock.advance(10_000);
  await once(a, 'too many');
});
