import { WebClient } from '@slack/web-api';
import { expect, it, onTestFinished } from 'vitest';
import { FakeSlack } from '../../fakes/slack/fake-slack.ts';
import { shownText } from '../../fakes/slack/world/fake-message.ts';

/** Slack's own client as a second one of the fake. */
async function world() {
  const slack = await FakeSlack.start();
  onTestFinished(() => slack.stop());
  const workspace = slack.addWorkspace();
  const installation = slack.addApp().install(workspace);
  const ada = slack.addPerson(workspace, 'Ada Lovelace');
  const client = (token = installation.token) =>
    new WebClient(token, {
      slackApiUrl: `${slack.settings.SVC_SLACK_API_URL}/`,
      retryConfig: { retries: 0 },
      rejectRateLimitedCalls: true,
    });
  return { slack, workspace, installation, ada, client };
}

it('tells who the bot, the people and the channels are', async () => {
  const { workspace, installation, ada, client } = await world();
  const general = workspace.addChannel('general', [ada.user, installation.bot]);
  const me = await client().auth.test();
  expect(me).toMatchObject({ ok: true, team_id: workspace.id, user_id: installation.bot.id });
  const { user } = await client().users.info({ user: ada.user.id });
  expect(user?.profile?.real_name).toBe('Ada Lovelace');
  const { channel } = await client().conversations.info({ channel: general.id });
  expect(channel).toMatchObject({ name: 'general', is_member: true, is_im: false });
});

it('takes messages, edits and deletions', async () => {
  const { slack, installation, ada, client } = await world();
  const { channel } = await client().conversations.open({ users: ada.user.id });
  const { ts } = await client().chat.postMessage({ channel: channel!.id!, text: 'a &lt; b' });
  expect(ada.received(installation).map(({ text }) => shownText(text))).toEqual(['a < b']);
  await client().chat.update({ channel: channel!.id!, ts: ts!, text: 'edited' });
  expect(ada.received(installation).map(({ text }) => text)).toEqual(['edited']);
  await client().chat.delete({ channel: channel!.id!, ts: ts! });
  expect(ada.received(installation)).toEqual([]);
  expect(slack.offences).toEqual([]);
});

it('takes files in three steps, and shows them to those who may read them', async () => {
  const { slack, installation, ada, client } = await world();
  const { id } = ada.directMessages(installation);
  const bytes = Buffer.from('some bytes');
  await client().filesUploadV2({
    channel_id: id,
    file: bytes,
    filename: 'a.pdf',
    initial_comment: 'the plan',
  });
  const [message] = ada.received(installation);
  expect([message?.text, message?.files[0]?.bytes.toString()]).toEqual(['the plan', 'some bytes']);
  const { file } = await client().files.info({ file: message!.files[0]!.id });
  const read = async (token: string) => {
    const answer = await fetch(file!.url_private_download!, {
      headers: { authorization: `Bearer ${token}` },
    });
    return [answer.headers.get('content-type'), await answer.text()];
  };
  expect(await read(installation.token)).toEqual(['application/pdf', 'some bytes']);
  expect((await read('xoxb-nobody'))[0]).toContain('text/html');
  expect(slack.offences).toEqual([]);
});

it('refuses as Slack does', async () => {
  const { slack, workspace, installation, ada, client } = await world();
  const errorOf = async (promise: Promise<unknown>) =>
    await promise.then(
      () => 'none',
      (error: { data?: { error?: string }; code?: string }) => error.data?.error ?? error.code,
    );
  const elsewhere = workspace.addChannel('secret', [ada.user], 'group');
  const outside = workspace.addChannel('random', [ada.user]);
  const write = (channel: string, more: object = {}, token = installation.token) =>
    errorOf(client(token).chat.postMessage({ channel, text: 'hi', ...more }));
  expect(await write('C0NOBODY')).toBe('channel_not_found');
  expect(await write(elsewhere.id)).toBe('channel_not_found');
  expect(await write(outside.id)).toBe('not_in_channel');
  expect(await write(outside.id, {}, 'xoxb-nobody')).toBe('invalid_auth');
  expect(await write(outside.id, { colour: 'red' })).toBe('invalid_arguments');
  expect(await errorOf(client().apiCall('chat.postMesage'))).toBe('unknown_method');
  slack.fail('chat.postMessage', { kind: 'throttle', retryAfterS: 7 });
  expect(await write(ada.directMessages(installation).id)).toBe('slack_webapi_rate_limited_error');
  ada.user.isDeleted = true;
  expect(await errorOf(client().conversations.open({ users: ada.user.id }))).toBe('user_disabled');
  installation.scopes.delete('chat:write');
  expect(await write(outside.id)).toBe('missing_scope');
  installation.deadAs = 'account_inactive';
  expect(await write(outside.id)).toBe('account_inactive');
  expect(slack.offences).toHaveLength(2);
});
