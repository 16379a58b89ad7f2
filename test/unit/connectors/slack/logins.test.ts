import { expect, it } from 'vitest';
import { MemoryRecords } from '../../../support/memory-records.ts';
import { connectorTo, directEvent, fakeSlack, ownBot } from './slack-setup.ts';

it('refuses tokens that Slack refuses, and those that are no tokens', async () => {
  const slack = await fakeSlack();
  const { connector } = connectorTo(slack);
  const add = (token: string) =>
    connector.provides.bots!.addBot({ id: 'bot_1', accountId: 'acc_a', token, signingSecret: 'secret' });
  const refusal = { code: 'bot_refused', message: 'The platform refused the bot token: invalid_auth' };
  await expect(add('xoxb-nobody')).rejects.toMatchObject(refusal);
  for (const token of ['xoxb-', 'xoxb-a b', '1234', 'xapp-1-A0-1-2', 'xoxp-1-2-3', `${'0a'.repeat(16)}`])
    await expect(add(token)).rejects.toMatchObject({
      code: 'bot_token_malformed',
      message: expect.stringContaining('begins with xoxb-'),
    });
  await expect(
    connector.provides.bots!.addBot({
      id: 'bot_1',
      accountId: 'acc_a',
      token: 'xoxb-nobody',
      appToken: 'xoxb-nobody',
    }),
  ).rejects.toMatchObject({
    code: 'bot_token_malformed',
    message: expect.stringContaining('begins with xapp-'),
  });
  expect(slack.calls).toEqual(['auth.test']);
});

it('keeps a bot while Slack cannot be reached, and says so', async () => {
  const slack = await fakeSlack();
  const { connector } = connectorTo(slack);
  await slack.stop();
  const state = await connector.provides.bots!.addBot({
    id: 'bot_1',
    accountId: 'acc_a',
    token: 'xoxb-somebody',
    signingSecret: 'secret',
  });
  expect(state).toEqual({ name: null, status: 'Slack could not be reached: ECONNREFUSED' });
});

it('gives one bot of Slack’s to one account, also with another token', async () => {
  const { slack, workspace, app, installation, ada, intake, post, connector } = await ownBot();
  const again = app.install(workspace);
  for (const { token } of [installation, again])
    await expect(
      connector.provides.bots!.addBot({ id: 'bot_other', accountId: 'acc_a', token, signingSecret: 'mine' }),
    ).rejects.toMatchObject({
      code: 'bot_token_taken',
    });
  const event = directEvent(installation, ada.user.id, { ts: '1700000000.000100' });
  const reply = await post(app.delivery.signed(JSON.stringify(app.envelope(installation, event))));
  expect([reply.status, intake.messages.length]).toEqual([200, 1]);
  expect(slack.offences).toEqual([]);
});

it('keeps two workspaces of one app apart', async () => {
  const slack = await fakeSlack();
  const { connector, intake, post } = connectorTo(slack, new MemoryRecords());
  const app = slack.addApp();
  const [acme, umbrella] = [slack.addWorkspace('Acme'), slack.addWorkspace('Umbrella')];
  const at = { acme: app.install(acme), umbrella: app.install(umbrella) };
  for (const [id, { token }] of Object.entries(at))
    await connector.provides.bots!.addBot({
      id,
      accountId: 'acc_a',
      token,
      signingSecret: app.signingSecret,
    });
  const bob = slack.addPerson(umbrella, 'Bob');
  const event = directEvent(at.umbrella, bob.user.id, { ts: '1700000000.000100' });
  await post(app.delivery.signed(JSON.stringify(app.envelope(at.umbrella, event))));
  expect(intake.messages.map(({ from }) => from.login)).toEqual([{ kind: 'bot_token', id: 'umbrella' }]);
});

it('believes no one about another’s workspace', async () => {
  const { slack, app, installation, ada, intake, post, connector } = await ownBot();
  const theirs = slack.addApp('Theirs');
  const elsewhere = theirs.install(slack.addWorkspace('Elsewhere'));
  await connector.provides.bots!.addBot({
    id: 'bot_theirs',
    accountId: 'acc_a',
    token: elsewhere.token,
    signingSecret: theirs.signingSecret,
  });
  const event = directEvent(installation, ada.user.id, { ts: '1700000000.000100' });
  const envelope = JSON.stringify(app.envelope(installation, event));
  expect((await post(theirs.delivery.signed(envelope))).status).toBe(401);
  const mixed = { ...app.envelope(installation, event), team_id: elsewhere.workspace.id };
  expect((await post(theirs.delivery.signed(JSON.stringify(mixed)))).status).toBe(401);
  expect(intake.told).toBe(0);
});

it('takes no events for a bot without a signing secret', async () => {
  const slack = await fakeSlack();
  const { connector, intake, post } = connectorTo(slack);
  const app = slack.addApp();
  const installation = app.install(slack.addWorkspace());
  await connector.provides.bots!.addBot({
    id: 'bot_1',
    accountId: 'acc_a',
    token: installation.token,
    signingSecret: null,
  });
  const envelope = JSON.stringify(app.envelope(installation, { type: 'app_uninstalled' }));
  const { EventDelivery } = await import('../../../fakes/slack/events/event-delivery.ts');
  expect((await post(new EventDelivery('', []).signed(envelope))).status).toBe(401);
  expect((await post(app.delivery.signed(envelope))).status).toBe(401);
  expect(intake.told).toBe(0);
});
