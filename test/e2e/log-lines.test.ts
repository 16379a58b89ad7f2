import { afterAll, beforeAll, expect, it } from 'vitest';
import type { FakeBot } from '../fakes/telegram/fake-bot.ts';
import type { FakePerson } from '../fakes/telegram/fake-person.ts';
import { FakeTelegram } from '../fakes/telegram/fake-telegram.ts';
import { Gateway } from '../support/gateway.ts';
import { plaintextsIn } from '../support/plaintext.ts';
import { Registrar } from '../support/registrar.ts';
import { waitFor } from '../support/wait-for.ts';

const HEARD = 'the badger sleeps at noon';
const SAID = 'so does the heron';
const TRUNK_PASSWORD = 'trunk-password-nobody-logs';

let telegram: FakeTelegram;
let registrar: Registrar;
let bot: FakeBot;
let ada: FakePerson;
let gateway: Gateway;

beforeAll(async () => {
  telegram = await FakeTelegram.start();
  registrar = await Registrar.start({ users: { desk: TRUNK_PASSWORD } });
  bot = telegram.addBot('own_bot');
  ada = bot.person({ id: 42_424_242, first_name: 'Adelheid' });
  gateway = await Gateway.start({ env: { SVC_TELEGRAM_API_URL: telegram.url } });
  for (const secret of [bot.token, TRUNK_PASSWORD]) gateway.secrets.add(secret);
});
afterAll(async () => {
  await gateway?.stop();
  await registrar?.stop();
  await telegram?.stop();
});

type Line = Readonly<Record<string, unknown>>;

function lines(msg: string): Line[] {
  return gateway.output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Line)
    .filter((line) => line.msg === msg);
}

const lineOf = (msg: string) => waitFor(`the line “${msg}”`, () => lines(msg)[0], 60_000);

it('is ready, once', async () => {
  expect(await lineOf('ready')).toMatchObject({
    level: 'info',
    part: 'main',
    publicUrl: gateway.baseUrl,
    sipPort: gateway.sipPort,
  });
  expect(lines('ready')).toHaveLength(1);
});

it('tells of a bot, and of each message that came or went', async () => {
  const registered = await gateway.settingsApi.post('/api/bot-tokens', {
    platform: 'telegram',
    bot_token: bot.token,
  });
  const { id: botId } = registered.body;
  expect(await lineOf('bot connected')).toMatchObject({ platform: 'telegram', botId });
  ada.says(HEARD);
  expect(await lineOf('message received')).toMatchObject({
    part: 'messaging',
    platform: 'telegram',
    accountId: expect.stringMatching(/^acc_/),
    messageId: expect.stringMatching(/^msg_/),
  });
  await gateway.agentApi.post('/api/dm/chat', { platform: 'telegram', text: SAID });
  const sent = await lineOf('message sent');
  expect(sent).toMatchObject({ platform: 'telegram', result: 'delivered' });
  expect(sent.conversationId).toBe(lines('message received')[0]!.conversationId);
  telegram.revoke(bot);
  expect(await lineOf('bot not connected')).toMatchObject({ level: 'warn', botId, status: 'Unauthorized' });
});

it('tells of a trunk that registers and is lost', async () => {
  const trunk = { host: '127.0.0.1', port: registrar.port, register: true };
  await gateway.putTrunk({ ...trunk, username: 'desk', password: TRUNK_PASSWORD });
  expect(await lineOf('SIP trunk registered')).toMatchObject({
    part: 'sip',
    accountId: expect.stringMatching(/^acc_/),
  });
  await gateway.putTrunk({ ...trunk, username: 'desk', password: 'not the password' });
  expect(await lineOf('SIP trunk registration failed')).toMatchObject({ level: 'warn', part: 'sip' });
});

it('tells of refused requests, with their account if there is one', async () => {
  await gateway.agentApi.get('/api/call/call_of_nobody');
  const known = await waitFor('the line', () =>
    lines('request refused').find(({ path }) => path === '/api/call/{call_id}'),
  );
  expect(known).toMatchObject({
    part: 'http',
    method: 'GET',
    status: 404,
    code: 'call_not_found',
    accountId: expect.stringMatching(/^acc_/),
  });
  await gateway.api(null).get('/api/calls');
  const stranger = await waitFor('the line', () =>
    lines('request refused').find(({ path }) => path === '/api/calls'),
  );
  expect(stranger).toMatchObject({ status: 401, code: 'unauthorized', accountId: null });
});

it('a stranger cannot flood the log, and an account still gets its lines', async () => {
  const before = lines('request refused').length;
  for (let n = 0; n < 10; n++) {
    const asks = Array.from({ length: 20 }, (_, m) =>
      gateway.api(null).get(`/secret-path-${n}-${m}?token=hidden`),
    );
    await Promise.all(asks);
  }
  await gateway.settingsApi.get('/api/agent-deliveries/dlv_of_nobody');
  await waitFor('the account’s line', () =>
    lines('request refused').some(({ path }) => path === '/api/agent-deliveries/{id}'),
  );
  const { count } = await lineOf('more requests were refused');
  const written = lines('request refused')
    .slice(before)
    .filter(({ accountId }) => accountId === null).length;
  // Two windows may have been open, and a line was written before.
  expect(written).toBeLessThanOrEqual(40);
  expect((count as number) + written).toBeGreaterThanOrEqual(200 - 40);
});

it('writes nothing of what was said, who said it, or what is secret', () => {
  const personal = [HEARD, SAID, 'Adelheid', '42424242', 'secret-path', 'hidden', ...gateway.secrets];
  const log = gateway.output.split('\n').filter((line) => line.startsWith('{'));
  expect(plaintextsIn(log.join('\n'), personal)).toEqual([]);
  expect(plaintextsIn(log.join('\n'), ['bot connected'])).not.toEqual([]);
});
