import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FakePerson } from '../fakes/slack/fake-person.ts';
import type { Visitor } from '../fakes/slack/oauth/authorization.ts';
import { readGatewayRows } from '../support/gateway-database.ts';
import { memberOf } from '../support/member.ts';
import { SlackWorld } from '../support/slack-world.ts';
import { waitFor } from '../support/wait-for.ts';

let world: SlackWorld;

beforeAll(async () => {
  world = await SlackWorld.start({ env: { SVC_SIGNUP: 'open', SVC_DM_TIMEOUT_TEXT: 'off' } }, [0, 50, 50]);
});
afterAll(async () => {
  await world?.stop();
  expect(world.slack.offences).toEqual([]);
});

const api = () => world.gateway.agentApi;

/** A new workspace with a person who installs the app there. */
function newWorkspace(name: string): { visitor: Visitor; olga: FakePerson } {
  const workspace = world.slack.addWorkspace(name);
  const olga = world.slack.addPerson(workspace, 'Olga');
  return { visitor: { workspace, user: olga.user }, olga };
}

async function conversationWith(remoteName: string, text: string): Promise<string> {
  let id: string | undefined;
  await waitFor(`"${text}"`, async () => {
    const { conversations } = (await api().get('/api/inbox?platform=slack')).body;
    const found = conversations?.find(
      (each: { remote_name: string; messages: { text: string }[] }) =>
        each.remote_name === remoteName && each.messages.some((message) => message.text === text),
    );
    id = found?.conversation_id;
    return id !== undefined;
  });
  return id!;
}

describe('a workspace that installs the shared app', () => {
  it('exchanges messages, and its installer gets the test message', async () => {
    const { visitor } = newWorkspace('Acme');
    const { id, installation } = await world.install(visitor);
    expect(await world.accounts()).toContainEqual({ type: 'connection', id, label: 'Acme', status: 'ok' });

    const ada = world.slack.addPerson(visitor.workspace, 'Ada');
    ada.says(ada.directMessages(installation), 'Hello');
    const conversation_id = await conversationWith('Ada', 'Hello');
    const reply = { platform: 'slack', conversation_id, text: 'Good day' };
    expect((await api().post('/api/dm/chat', reply)).status).toBe(200);
    expect(ada.received(installation).map(({ text }) => text)).toEqual(['Good day']);

    const test = () => world.gateway.settingsApi.post(`/api/platforms/slack/test-dm?connection_id=${id}`);
    expect((await test()).status).toBe(200);
    const direct = visitor.workspace.directMessages(visitor.user, installation.bot);
    expect(direct.messages.map(({ text }) => text)).toEqual([expect.stringContaining('test message')]);
    world.slack.fail('chat.postMessage', { kind: 'refuse', error: 'messages_tab_disabled' });
    const refused = await test();
    expect([refused.status, refused.body.detail]).toEqual([
      502,
      expect.stringContaining('messages_tab_disabled'),
    ]);
  });

  it('that removes the app shows it, and works again once it is installed again', async () => {
    const { visitor, olga } = newWorkspace('Removing');
    const { id, installation } = await world.install(visitor);
    installation.deadAs = 'account_inactive';
    world.slack.announcements.ended(installation, { type: 'app_uninstalled' });
    await waitFor('the status', async () => (await world.statusOf(id)) === 'account_inactive');

    const again = await world.install(visitor, { connection_id: id });
    expect(again.id).toBe(id);
    await waitFor('it to work', async () => (await world.statusOf(id)) === 'ok');
    olga.says(olga.directMessages(again.installation), 'Back again');
    await conversationWith('Olga', 'Back again');
  });

  it('is left when its connection is deleted; later events are no failure to Slack', async () => {
    const { visitor, olga } = newWorkspace('Leaving');
    const { id, installation } = await world.install(visitor);
    expect((await world.gateway.settingsApi.delete(`/api/connections/${id}`)).status).toBe(200);
    await waitFor('the revocation', () => installation.deadAs === 'token_revoked');
    installation.deadAs = null;
    const { deliveries } = olga.says(olga.directMessages(installation), 'Anyone?');
    await waitFor('the acknowledgement', () => deliveries.every((each) => each.isAcknowledged));
    const { conversations } = (await api().get('/api/inbox?platform=slack')).body;
    expect(JSON.stringify(conversations)).not.toContain('Anyone?');
  });

  it('in all of an organization hears every workspace of it', async () => {
    const corporation = world.slack.addEnterprise('Corporation');
    const workspace = world.slack.addWorkspace('Sales', corporation);
    const olga = world.slack.addPerson(workspace, 'Olga of Sales');
    const { installation } = await world.install({ workspace, user: olga.user, isOrgWide: true });
    olga.says(olga.directMessages(installation), 'From the organization');
    await conversationWith('Olga of Sales', 'From the organization');
  });
});

describe('tokens that expire', () => {
  it('are refreshed once for fifty requests at a time', async () => {
    world.app.rotatesTokens = true;
    const { visitor, olga } = newWorkspace('Rotating');
    const { installation } = await world.install(visitor);
    world.app.rotatesTokens = false;
    world.gateway.secrets.add(installation.refreshToken!);
    olga.says(olga.directMessages(installation), 'First');
    const conversation_id = await conversationWith('Olga', 'First');
    installation.expiresAtMs = 0;
    const refreshes = () => world.slack.calls.filter((method) => method === 'oauth.v2.access').length;
    const before = refreshes();
    const people = Array.from({ length: 50 }, (_, n) => world.slack.addPerson(visitor.workspace, `P${n}`));
    for (const person of people) person.says(person.directMessages(installation), 'Many');
    const stored = "select 1 from messages where text = 'Many'";
    await waitFor('all fifty', () => readGatewayRows(world.gateway.dataFolder, stored).length === 50);
    const reply = { platform: 'slack', conversation_id, text: 'Fresh' };
    expect((await api().post('/api/dm/chat', reply)).status).toBe(200);
    expect(refreshes() - before).toBe(1);
    world.gateway.secrets.add(installation.token);
  });

  it('whose grant is over make the connection dead, until it is renewed', async () => {
    world.app.rotatesTokens = true;
    const { visitor, olga } = newWorkspace('Revoking');
    const { id, installation } = await world.install(visitor);
    olga.says(olga.directMessages(installation), 'Before');
    const conversation_id = await conversationWith('Olga', 'Before');
    installation.expiresAtMs = 0;
    const { refreshToken } = installation;
    installation.refreshToken = 'xoxe-1-another';
    const reply = { platform: 'slack', conversation_id, text: 'Lost' };
    expect((await api().post('/api/dm/chat', reply)).status).toBe(502);
    await waitFor('the status', async () => (await world.statusOf(id))?.includes('invalid_refresh_token'));
    installation.refreshToken = refreshToken;
    await world.install(visitor, { connection_id: id });
    world.app.rotatesTokens = false;
    await waitFor('it to work', async () => (await world.statusOf(id)) === 'ok');
    expect((await api().post('/api/dm/chat', { ...reply, text: 'Found' })).status).toBe(200);
  });
});

describe('attacks', () => {
  it('another app in the workspace does not speak for the shared one', async () => {
    const { visitor, olga } = newWorkspace('Busy');
    const { installation } = await world.install(visitor);
    const mallory = await memberOf(world.gateway, 'mallory@example.com');
    const theirs = world.slack.addApp('Theirs').install(visitor.workspace);
    for (const secret of [theirs.token, theirs.app.signingSecret]) world.gateway.secrets.add(secret);
    const secrets = { bot_token: theirs.token, slack_signing_secret: theirs.app.signingSecret };
    expect((await mallory.request('POST', '/api/bot-tokens', { platform: 'slack', ...secrets })).status).toBe(
      200,
    );
    const { id: channel } = olga.directMessages(installation);
    const message = { channel, channel_type: 'im', user: olga.user.id, ts: '1700000000.000100' };
    const event = { type: 'message', text: 'Forged', ...message };
    const forged = theirs.app.delivery.signed(JSON.stringify(world.app.envelope(installation, event)));
    const answer = await fetch(world.app.delivery.url, { method: 'POST', ...forged });
    expect(answer.status).toBe(200);
    const owners = readGatewayRows<{ memberId: string }>(
      world.gateway.dataFolder,
      "select member_id as memberId from conversations join messages on conversations.id = conversation_id where text = 'Forged'",
    );
    // It is an event of their own app, so it reaches their own bot and nobody else.
    expect(owners.map(({ memberId }) => memberId.slice(0, 4))).toEqual(['bot_']);
  });

  it('a state works once, and only as it was issued', async () => {
    const { visitor } = newWorkspace('State');
    const back = await world.back(visitor);
    const forged = new URL(back);
    forged.searchParams.set('state', 'made-up');
    expect((await world.finish(forged)).status).toBe(400);
    expect((await world.finish(back)).status).toBe(200);
    expect((await world.finish(back)).status).toBe(400);
    const denied = await world.finish(await world.back({ ...visitor, refuses: true }));
    expect([denied.status, await denied.text()]).toEqual([400, expect.stringContaining('access_denied')]);
    const old = await world.back(visitor);
    old.searchParams.set('code', '1.2');
    const expired = await world.finish(old);
    expect([expired.status, await expired.text()]).toEqual([400, expect.stringContaining('invalid_code')]);
  });

  it('another account neither takes over a workspace nor reads it, also not by its organization', async () => {
    const umbrella = world.slack.addEnterprise('Umbrella');
    const workspace = world.slack.addWorkspace('Research', umbrella);
    const olga = world.slack.addPerson(workspace, 'Olga of Research');
    const { installation, id } = await world.install({ workspace, user: olga.user });
    const eve = await memberOf(world.gateway, 'eve@example.com');
    const keyOf = async (kind: string) =>
      (await eve.request('POST', `/api/${kind}`, { name: 'eve' })).body.key;
    const settings = world.gateway.api(await keyOf('settings-keys'));
    const agent = world.gateway.api(await keyOf('api-keys'));
    const { user } = world.slack.addPerson(workspace, 'Eve');

    expect((await world.finish(await world.back({ workspace, user }, {}, settings))).status).toBe(409);
    expect((await settings.post('/api/slack/install', { connection_id: id })).status).toBe(404);
    // The person who manages the organization may install there, but the gateway keeps Olga's messages Olga's.
    const orgWide = { workspace, user, isOrgWide: true };
    const theirs = await world.install(orgWide, {}, settings);
    await waitFor('the refusal', async () =>
      (await world.statusOf(theirs.id, settings))?.includes('Another'),
    );
    olga.says(olga.directMessages(installation), 'For Olga only');
    await conversationWith('Olga of Research', 'For Olga only');
    const viaOrg = olga.says(olga.directMessages(theirs.installation), 'By the organization');
    await waitFor('Slack to be answered', () => viaOrg.deliveries.every((each) => each.isAcknowledged));
    expect((await agent.get('/api/inbox')).body.conversations).toEqual([]);
    const sent = await settings.post(`/api/platforms/slack/test-dm?connection_id=${theirs.id}`);
    expect([sent.status, sent.body.detail]).toEqual([502, expect.stringContaining('Another account')]);
    expect(await world.statusOf(id)).toBe('ok');
  });
});
