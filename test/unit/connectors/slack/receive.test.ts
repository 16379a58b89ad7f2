import { Hmac } from 'node:crypto';
import { expect, it, onTestFinished, vi } from 'vitest';
import { Envelope } from '../../../../src/connectors/slack/events/event-payload.ts';
import { BOT_ID, connectorTo, directEvent, LOGIN, NEVER, outbound, ownBot } from './slack-setup.ts';

it('stores who wrote what, where, and when', async () => {
  const { workspace, installation, ada, intake, tell } = await ownBot();
  const general = workspace.addChannel('general', [ada.user, installation.bot]);
  expect(await tell(directEvent(installation, ada.user.id, { ts: '1700000000.000100' }))).toMatchObject({
    status: 200,
  });
  await tell({
    type: 'message',
    channel: general.id,
    channel_type: 'channel',
    user: ada.user.id,
    text: `<@${installation.bot.id}> see <#${general.id}>`,
    ts: '1700000001.000100',
    thread_ts: '1700000000.000200',
  });
  expect(intake.messages).toEqual([
    {
      from: { login: LOGIN, space: { kind: 'direct', id: ada.user.id }, thread: null, person: ada.user.id },
      alias: null,
      remoteName: 'Ada',
      senderName: null,
      platformMessageId: '1700000000.000100',
      text: 'hello',
      sentAt: '2023-11-14T22:13:20.000Z',
      files: [],
      isFromBot: false,
    },
    {
      from: {
        login: LOGIN,
        space: { kind: 'channel', id: general.id },
        thread: '1700000000.000200',
        person: ada.user.id,
      },
      alias: null,
      remoteName: 'general',
      senderName: 'Ada',
      platformMessageId: '1700000001.000100',
      text: 'see #general',
      sentAt: '2023-11-14T22:13:21.000Z',
      files: [],
      isFromBot: false,
      replyTo: { platformMessageId: '1700000000.000200', author: null, text: '' },
    },
  ]);
});

it('hears a workflow, whose words may be in blocks only', async () => {
  const { workspace, installation, ada, intake, tell } = await ownBot();
  const { id: channel } = workspace.addChannel('intake', [ada.user, installation.bot]);
  await tell({
    type: 'message',
    subtype: 'bot_message',
    channel,
    channel_type: 'channel',
    bot_id: 'B0WORKFLOW',
    bot_profile: { id: 'B0WORKFLOW', name: 'Intake form', is_workflow_bot: true },
    text: '',
    blocks: [{ type: 'section', text: { type: 'mrkdwn', text: 'A form was sent' } }],
    ts: '1700000001.000100',
  });
  expect(intake.messages).toMatchObject([
    { from: { person: 'B0WORKFLOW' }, senderName: 'Intake form', text: 'A form was sent', isFromBot: true },
  ]);
});

it('ignores bots, notices and what the bot itself wrote', async () => {
  const { installation, ada, intake, tell } = await ownBot();
  const event = (more: object) =>
    tell(directEvent(installation, ada.user.id, { ts: '1700000000.000100', ...more }));
  for (const more of [
    { bot_id: 'B1' },
    { user: installation.bot.id },
    { user: undefined },
    { subtype: 'channel_join' },
    { subtype: 'bot_message' },
    { subtype: 'message_replied' },
    { ts: 'yesterday' },
    { channel: '../etc' },
    { text: '' },
    { type: 'reaction_added' },
    { type: 7 },
  ])
    expect(await event(more)).toMatchObject({ status: 200 });
  expect(intake.told).toBe(0);
});

it('stores a message once, however often and as whatever Slack tells of it', async () => {
  const { workspace, app, installation, ada, intake, post } = await ownBot();
  const general = workspace.addChannel('general', [ada.user, installation.bot]);
  const message = { channel: general.id, user: ada.user.id, text: 'hello', ts: '1700000000.000100' };
  const envelope = app.envelope(installation, { type: 'message', channel_type: 'channel', ...message });
  const request = app.delivery.signed(JSON.stringify(envelope));
  const replies = await Promise.all([post(request), post(request), post(request)]);
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(intake.told).toBe(1);
  const mention = app.envelope(installation, { type: 'app_mention', ...message });
  await post(app.delivery.signed(JSON.stringify(mention)));
  expect([intake.told, intake.messages.length]).toEqual([2, 1]);
});

it('is asked again for what it could not store', async () => {
  const { installation, ada, intake, tell, counts } = await ownBot();
  intake.failures = 1;
  const event = directEvent(installation, ada.user.id, { ts: '1700000000.000100' });
  expect(await tell(event)).toMatchObject({ status: 503 });
  expect(await tell(event)).toMatchObject({ status: 200 });
  expect([intake.texts, counts.get('event_failed')]).toEqual([['hello'], 1]);
});

it('follows edits and deletions in the order in which they happened', async () => {
  const { installation, ada, intake, tell } = await ownBot();
  const before = { user: ada.user.id, text: 'one', ts: '1700000000.000100' };
  const change = (text: string, atTs: string, more: object = {}) =>
    tell(
      directEvent(installation, ada.user.id, {
        subtype: 'message_changed',
        message: { ...before, text, ...more },
        previous_message: before,
        ts: atTs,
        event_ts: atTs,
      }),
    );
  await change('three', '1700000003.000100');
  await change('two', '1700000002.000100');
  await change('one', '1700000004.000100');
  await change('This message was deleted.', '1700000005.000100', { subtype: 'tombstone' });
  await tell(
    directEvent(installation, ada.user.id, {
      subtype: 'message_deleted',
      deleted_ts: '1700000009.000100',
      previous_message: { ...before, ts: '1700000009.000100' },
      ts: '1700000010.000100',
    }),
  );
  expect(intake.edits.map(({ platformMessageId, text }) => [platformMessageId, text])).toEqual([
    ['1700000000.000100', 'three'],
    ['1700000000.000100', null],
    ['1700000009.000100', null],
  ]);
});

it('tells when the bot leaves a channel, and when it is back', async () => {
  const { workspace, installation, ada, intake, tell } = await ownBot();
  const { id: channel } = workspace.addChannel('general', [ada.user]);
  for (const event of [
    { type: 'member_left_channel', user: ada.user.id, channel },
    { type: 'member_left_channel', user: installation.bot.id, channel },
    { type: 'member_joined_channel', user: installation.bot.id, channel },
    { type: 'channel_archive', user: ada.user.id, channel },
    { type: 'channel_unarchive', user: ada.user.id, channel },
    { type: 'channel_deleted', channel },
  ])
    await tell(event);
  expect(intake.reached.map(({ isReachable }) => isReachable)).toEqual([false, true, false, true, false]);
});

it('stores a message without names when Slack does not tell them', async () => {
  const { slack, installation, ada, intake, tell } = await ownBot();
  slack.fail('users.info', { kind: 'refuse', error: 'missing_scope' });
  await tell(directEvent(installation, ada.user.id, { ts: '1700000000.000100' }));
  expect(intake.messages).toMatchObject([{ remoteName: null, text: 'hello' }]);
});

it('knows its bot after a restart even while Slack cannot be reached', async () => {
  const { slack, app, installation, ada, records } = await ownBot();
  slack.fail('auth.test', { kind: 'gateway', status: 502 });
  const next = connectorTo(slack, records);
  const bot = { id: BOT_ID, accountId: 'acc_a', token: installation.token, signingSecret: app.signingSecret };
  expect((await next.connector.provides.bots!.addBot(bot)).status).not.toBe('ok');
  const event = directEvent(installation, ada.user.id, { ts: '1700000000.000100' });
  const reply = await next.post(app.delivery.signed(JSON.stringify(app.envelope(installation, event))));
  expect([reply.status, next.intake.texts]).toEqual([200, ['hello']]);
});

it('tells people of other workspaces from its own who have the same id', async () => {
  const { workspace, installation, ada, intake, tell, connector } = await ownBot();
  const shared = workspace.addChannel('shared', [ada.user, installation.bot]);
  const where = { type: 'message', channel: shared.id, channel_type: 'channel', user: ada.user.id };
  await tell({ ...where, text: 'own', ts: '1700000000.000100', user_team: workspace.id });
  const stranger = { user_team: 'T0STRANGE', user_profile: { real_name: 'Zoe' } };
  await tell({ ...where, ...stranger, text: 'stranger', ts: '1700000001.000100' });
  await tell({ ...where, ...stranger, user: 'U0UNKNOWN', text: 'unknown', ts: '1700000002.000100' });
  expect(intake.messages.map(({ from, senderName }) => [from.person, senderName])).toEqual([
    [ada.user.id, 'Ada'],
    [`T0STRANGE/${ada.user.id}`, 'Ada'],
    ['T0STRANGE/U0UNKNOWN', 'Zoe'],
  ]);

  const direct = directEvent(installation, ada.user.id, { ts: '1700000003.000100', ...stranger });
  await tell(direct);
  const { from } = intake.messages.at(-1)!;
  expect(from.space).toEqual({ kind: 'direct', id: `T0STRANGE/${ada.user.id}` });
  const outcome = await connector.provides.messenger!.send(outbound(from, 'hello, stranger'), NEVER);
  expect(outcome.kind).toBe('sent');
  expect(workspace.channels.get(direct.channel)!.messages.at(-1)!.text).toBe('hello, stranger');
});

it('does not parse a large body that is not signed', async () => {
  const { app, installation, ada, intake, post } = await ownBot();
  const parse = vi.spyOn(JSON, 'parse');
  onTestFinished(() => parse.mockRestore());
  const text = 'x'.repeat(100_000);
  const event = directEvent(installation, ada.user.id, { text, ts: '1700000000.000100' });
  const { body, headers } = app.delivery.signed(JSON.stringify(app.envelope(installation, event)));
  expect(await post({ body: body.replace('xx', 'xy'), headers })).toMatchObject({ status: 401 });
  expect(parse).not.toHaveBeenCalled();
  expect(await post({ body, headers })).toMatchObject({ status: 200 });
  expect(intake.messages).toHaveLength(1);
});

it('hashes a large body once for an app whose workspace it names, and twice for a stranger', async () => {
  const { slack, workspace, app, installation, ada, connector, post } = await ownBot();
  for (let n = 0; n < 5; n++) {
    const other = slack.addApp();
    const { token } = other.install(slack.addWorkspace());
    await connector.provides.bots!.addBot({
      id: `bot_${n}`,
      accountId: 'acc_a',
      token,
      signingSecret: other.signingSecret,
    });
  }
  const update = vi.spyOn(Hmac.prototype, 'update');
  onTestFinished(() => update.mockRestore());
  const hashed = () => update.mock.calls.splice(0).filter(([data]) => data.length > 900_000).length;
  const text = 'x'.repeat(900_000);
  const event = directEvent(installation, ada.user.id, { text, ts: '1700000000.000100' });
  const { body, headers } = app.delivery.signed(JSON.stringify(app.envelope(installation, event)));
  hashed();
  expect([await post({ body, headers }), hashed()]).toEqual([{ status: 200, text: '' }, 1]);
  const forged = body.replace('xx', 'xy').replaceAll(workspace.id, 'T0STRANGE');
  expect(await post({ body: forged, headers })).toMatchObject({ status: 401 });
  expect(hashed()).toBe(2);
});

it('reads no more than a few of the workspaces that a request names', () => {
  const named = Array.from({ length: 1_000 }, (_, n) => ({ team_id: `T${n}` }));
  const { authorizations } = Envelope.parse({ type: 'event_callback', authorizations: named });
  expect(authorizations.map(({ team_id }) => team_id)).toEqual(
    named.slice(0, 20).map(({ team_id }) => team_id),
  );
});
