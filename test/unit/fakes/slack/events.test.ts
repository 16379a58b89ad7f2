import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { EventDelivery } from '../../../fakes/slack/events/event-delivery.ts';
import { FakeSlack } from '../../../fakes/slack/fake-slack.ts';
import { readBody } from '../../../fakes/slack/web-api/read-arguments.ts';
import type { AnyJson } from '../../../support/any-json.ts';
import { waitFor } from '../../../support/wait-for.ts';

interface Seen {
  readonly headers: IncomingMessage['headers'];
  readonly body: AnyJson;
}

/** An app's server, which answers with these statuses and then with 200. */
async function appServer(...statuses: readonly number[]) {
  const seen: Seen[] = [];
  const due = [...statuses];
  const server = createServer(async (request, response) => {
    const body = JSON.parse(`${await readBody(request)}`);
    if (body.type === 'url_verification') {
      response.end(body.challenge);
      return;
    }
    seen.push({ headers: request.headers, body });
    response.writeHead(
      due.shift() ?? 200,
      due.length === 0 && statuses.includes(418) ? { 'X-Slack-No-Retry': '1' } : {},
    );
    response.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`, seen };
}

async function world(url: string) {
  const slack = await FakeSlack.start({ retryDelays: [0, 5, 5] });
  onTestFinished(() => slack.stop());
  const workspace = slack.addWorkspace();
  const app = slack.addApp();
  const installation = app.install(workspace);
  await app.delivery.subscribe(url);
  return { slack, workspace, app, installation, ada: slack.addPerson(workspace, 'Ada') };
}

it("signs as Slack's documentation shows", () => {
  const body =
    'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c';
  const { headers } = new EventDelivery('8f742231b10e8888abcd99yyyzzz85a5', []).signed(body, 1_531_420_618);
  expect(headers['X-Slack-Signature']).toBe(
    'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
  );
});

it('delivers what is written where the bot is, and only that', async () => {
  const { url, seen } = await appServer();
  const { workspace, app, installation, ada } = await world(url);
  const general = workspace.addChannel('general', [ada.user]);
  ada.says(general, 'not for bots');
  ada.invites(installation, general);
  ada.says(ada.directMessages(installation), 'a < b');
  ada.says(general, 'for bots');
  ada.writesMarkup(general, `<@${installation.bot.id}> hello`);
  await app.delivery.settled();
  const events = seen.map(({ body }) => [body.event.type, body.event.channel_type, body.event.text]);
  expect(events).toHaveLength(5);
  expect(events).toEqual(
    expect.arrayContaining([
      ['member_joined_channel', 'C', undefined],
      ['message', 'im', 'a &lt; b'],
      ['message', 'channel', 'for bots'],
      ['message', 'channel', `<@${installation.bot.id}> hello`],
      ['app_mention', undefined, `<@${installation.bot.id}> hello`],
    ]),
  );
});

it('tries four times, with the same event id, and signs every attempt', async () => {
  const { url, seen } = await appServer(500, 503, 500, 500);
  const { app, installation, ada } = await world(url);
  ada.says(ada.directMessages(installation), 'hello');
  await app.delivery.settled();
  expect(seen.map(({ headers }) => headers['x-slack-retry-num'])).toEqual([undefined, '1', '2', '3']);
  expect(seen[1]!.headers['x-slack-retry-reason']).toBe('http_error');
  expect(new Set(seen.map(({ body }) => body.event_id)).size).toBe(1);
  expect(app.delivery.lost).toBe(1);
  for (const { headers } of seen) expect(headers['x-slack-signature']).toMatch(/^v0=[0-9a-f]{64}$/);
});

it('stops when it is told not to retry', async () => {
  const { url, seen } = await appServer(418);
  const { app, installation, ada } = await world(url);
  ada.says(ada.directMessages(installation), 'hello');
  await waitFor('the end', () => app.delivery.lost === 1);
  expect(seen).toHaveLength(1);
});

it('takes no URL that does not repeat the challenge', async () => {
  const server = createServer((_request, response) => void response.end('hello')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  await expect(world(`http://127.0.0.1:${port}/`)).rejects.toThrow('challenge');
});

it('is what a signature is over the bytes as they are sent', async () => {
  const { url, seen } = await appServer();
  const { app, installation, ada } = await world(url);
  ada.says(ada.directMessages(installation), 'naïve / path');
  await app.delivery.settled();
  const { body, headers } = app.delivery.signed('{"a":"b"}', 1_700_000_000);
  const hex = createHmac('sha256', app.signingSecret).update(`v0:1700000000:${body}`).digest('hex');
  expect(headers['X-Slack-Signature']).toBe(`v0=${hex}`);
  expect(seen[0]!.body.event.text).toBe('naïve / path');
});
