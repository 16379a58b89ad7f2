import { afterAll, beforeAll, expect, it } from 'vitest';
import { FakeTelegram } from '../fakes/telegram/fake-telegram.ts';
import { Gateway } from '../support/gateway.ts';
import { memberOf } from '../support/member.ts';
import type { Person } from '../support/person.ts';
import { waitFor } from '../support/wait-for.ts';

let telegram: FakeTelegram;
let gateway: Gateway;
let owner: Person;
let other: Person;

beforeAll(async () => {
  telegram = await FakeTelegram.start();
  gateway = await Gateway.start({
    env: {
      SVC_SIGNUP: 'open',
      SVC_DATABASE_ACCOUNT_QUOTA_MB: '1',
      SVC_TELEGRAM_API_URL: telegram.url,
      SVC_DM_TIMEOUT_TEXT: 'off',
    },
  });
  owner = await memberOf(gateway, 'full@example.com');
  other = await memberOf(gateway, 'other@example.com');
});
afterAll(async () => {
  await gateway?.stop();
  await telegram?.stop();
});

const storedBy = async (person: Person) => (await person.request('GET', '/api/usage')).body.database;

async function peerOf(person: Person): Promise<string> {
  const { status, body } = await person.request('POST', '/api/agents', { name: 'Peer' });
  expect(status).toBe(200);
  return body.id;
}

const write = (person: Person, text: string) =>
  person.request('POST', '/api/dm/chat', { platform: 'agent', peer: 'Peer', text });

it('a full account is refused what it writes, hears people, and is full for nobody else', async () => {
  const [peer] = [await peerOf(owner), await peerOf(other)];
  const bot = telegram.addBot('full_bot');
  gateway.secrets.add(bot.token);
  const body = { platform: 'telegram', bot_token: bot.token };
  expect((await owner.request('POST', '/api/bot-tokens', body)).status).toBe(200);

  let refused = await write(owner, 'x');
  for (let n = 0; n < 500 && refused.status === 200; n++) refused = await write(owner, 'x'.repeat(10_000));
  const full = { code: 'storage_full', detail: 'The account has reached its 1 MB of the database' };
  expect([refused.status, refused.body]).toEqual([507, full]);
  const { bytes, most_bytes } = await storedBy(owner);
  expect([bytes >= most_bytes, bytes < most_bytes * 1.05, most_bytes]).toEqual([true, true, 1_048_576]);

  const doors = {
    agent: await owner.request('POST', '/api/agents', { name: 'Another' }),
    prompt: await owner.request('PATCH', `/api/agents/${peer}/provider`, {}),
    key: await owner.request('POST', '/api/api-keys', { name: 'k' }),
    call: await owner.request('POST', '/api/call', { platform: 'sip', meeting_url: 'sip:1@pbx.example' }),
    feedback: await owner.request('POST', '/api/feedback', { message: 'm' }),
  };
  const statuses = Object.entries(doors).map(([door, { status }]) => [door, status]);
  expect(statuses).toEqual(Object.keys(doors).map((door) => [door, 507]));

  bot.person({ id: 42, first_name: 'Ada' }).says('Are you there?');
  const inbox = await waitFor('the message', async () => {
    const { conversations } = (await owner.request('GET', '/api/inbox?platform=telegram')).body;
    return conversations?.[0];
  });
  expect(inbox.messages).toMatchObject([{ text: 'Are you there?' }]);
  expect((await write(other, 'x')).status).toBe(200);

  expect((await owner.request('DELETE', `/api/agents/${peer}`)).status).toBe(200);
  expect((await storedBy(owner)).bytes).toBeLessThan(100_000);
  expect((await owner.request('POST', '/api/agents', { name: 'Another' })).status).toBe(200);
  const metrics = String((await gateway.api(null).get('/metrics')).body);
  expect(metrics).toContain('svc_account_writes_refused_total{reason="account_full"} 6');
});
