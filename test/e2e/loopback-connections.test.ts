import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LoopbackWorld } from '../loopback/loopback-world.ts';
import { PLATFORM } from '../loopback/platform.ts';
import type { Account } from '../loopback/server/accounts.ts';
import type { Meeting } from '../loopback/server/meeting.ts';
import type { Message } from '../loopback/server/space.ts';
import { Agent } from '../support/agent.ts';
import type { Answer } from '../support/gateway-api.ts';
import { memberOf } from '../support/member.ts';
import { waitFor } from '../support/wait-for.ts';

let world: LoopbackWorld;
let ada: Account;

beforeAll(async () => {
  world = await LoopbackWorld.start({ env: { SVC_SIGNUP: 'open' } });
  ada = world.vendor.accounts.person('Ada');
});
afterAll(() => world?.stop());

const api = () => world.gateway.agentApi;

function place(meeting: Meeting, fields: object = {}): Promise<Answer> {
  const meeting_url = world.vendor.meetingUrl(meeting);
  return api().post('/api/call', { platform: PLATFORM, meeting_url, ...fields });
}

async function disconnect(connectionId: string): Promise<void> {
  expect((await world.gateway.settingsApi.delete(`/api/connections/${connectionId}`)).status).toBe(200);
}

describe('a connection', () => {
  it('places calls and exchanges messages as the person, and its end ends its call', async () => {
    expect((await world.platform()).status).toBe('not_configured');
    const id = await world.connect(ada);
    const shown = { type: 'connection', id, label: 'Ada', status: 'ok' };
    expect(await world.platform()).toMatchObject({ status: 'ok', accounts: [shown] });

    const ben = world.vendor.accounts.person('Ben');
    const space = world.vendor.direct(ben, ada);
    const { cursor } = (await api().get('/api/inbox')).body;
    space.write(ben, { text: 'Lunch?' });
    const inbox = `/api/inbox?wait=10&last_message_cursor=${encodeURIComponent(cursor)}`;
    const [conversation] = (await api().get(inbox)).body.conversations;
    expect(conversation).toMatchObject({ remote_name: 'Ben', messages: [{ text: 'Lunch?' }] });
    const { conversation_id } = conversation;
    const reply = { platform: PLATFORM, conversation_id, text: 'At noon' };
    expect((await api().post('/api/dm/chat', reply)).status).toBe(200);
    expect(space.messages.at(-1)).toMatchObject({ author: { name: 'Ada' }, text: 'At noon' });

    const meeting = world.vendor.meeting();
    const { body: call } = await place(meeting);
    await world.gateway.waitForState(call.call_id, 'active');
    expect(meeting.session.account).toBe(ada);
    const agent = await Agent.connect(call.audio.stream_url, world.gateway.agentKey, 48_000);
    await disconnect(id);
    const ended = await agent.waitFor('call_state', { state: 'ended' });
    expect(ended.termination).toEqual({
      result: 'completed',
      reason: 'the connection to the platform was deleted',
    });
    await waitFor('the vendor to notice', () => meeting.session.state === 'over');
    await waitFor('the tokens to be revoked', () => world.vendor.authorization.revocations > 0);
    expect((await place(meeting)).status).toBe(400);
    await agent.close();
  });

  it('gets each message once, in order, although the vendor repeats what is not acknowledged', async () => {
    const dora = world.vendor.accounts.person('Dora');
    const id = await world.connect(dora);
    const ben = world.vendor.accounts.person('Ben');
    const space = world.vendor.direct(ben, dora);
    const { cursor } = (await api().get('/api/inbox')).body;
    const feed = world.vendor.feedOf(dora);
    for (let i = 0; i < 20; i++) {
      space.write(ben, { text: `number ${i}` });
      if (i % 5 === 2) feed.disconnect();
    }
    await waitFor('all to be acknowledged', () => feed.pending === 0);
    const inbox = `/api/inbox?wait=10&last_message_cursor=${encodeURIComponent(cursor)}`;
    const { conversations } = (await api().get(inbox)).body;
    expect(conversations).toHaveLength(1);
    expect(conversations[0].messages.map(({ text }: Message) => text)).toEqual(
      Array.from({ length: 20 }, (_, i) => `number ${i}`),
    );
    await disconnect(id);
  });

  it('that its owner revokes at the vendor says so, and works again after it is renewed', async () => {
    const cleo = world.vendor.accounts.person('Cleo');
    const id = await world.connect(cleo);
    const feed = world.vendor.feedOf(cleo);
    await waitFor('the event stream', () => feed.isOpen);
    await world.vendor.authorization.revoke(cleo);
    feed.disconnect();
    // The words of the vendor's authorization server.
    const words = 'grant request is invalid';
    await waitFor('the status', async () => (await world.statusOf(id))?.includes(words));
    expect((await world.platform()).status).toContain(words);
    const meeting = world.vendor.meeting();
    const { body: refused } = await place(meeting);
    const path = `/api/call/${refused.call_id}`;
    await waitFor('the end', async () => (await api().get(path)).body.ended_at !== null);
    expect((await api().get(path)).body.termination.result).toBe('failed');

    expect((await world.consent(cleo, { connection_id: id })).status).toBe(200);
    await world.works(id);
    const { body: call } = await place(meeting);
    await world.gateway.waitForState(call.call_id, 'active');
    await disconnect(id);
  });
});

describe('another account', () => {
  it('cannot use, renew, take over or end a connection, and reads nothing of it', async () => {
    const { gateway, vendor } = world;
    const owner = vendor.accounts.person('Olga');
    const id = await world.connect(owner);
    const eve = await memberOf(gateway, 'eve@example.com');
    const keyOf = async (kind: string) =>
      (await eve.request('POST', `/api/${kind}`, { name: 'eve' })).body.key;
    const settings = gateway.api(await keyOf('settings-keys'));
    const agent = gateway.api(await keyOf('api-keys'));

    const meeting_url = vendor.meetingUrl(vendor.meeting());
    const call = (login_id: string) => agent.post('/api/call', { platform: PLATFORM, meeting_url, login_id });
    expect((await call(id)).status).toBe(404);
    expect((await call('')).status).toBe(400);
    expect((await settings.delete(`/api/connections/${id}`)).status).toBe(404);
    expect((await settings.post(`/api/oauth/start/${PLATFORM}`, { connection_id: id })).status).toBe(404);
    // Even with the consent of its owner at the vendor.
    expect((await world.consent(owner, {}, settings)).status).toBe(409);

    const frank = vendor.accounts.person('Frank');
    vendor.direct(frank, owner).write(frank, { text: 'For Olga only' });
    await waitFor('the message', () => vendor.feedOf(owner).pending === 0);
    expect((await agent.get('/api/inbox')).body.conversations).toEqual([]);
    expect(JSON.stringify((await api().get('/api/inbox')).body.conversations)).toContain('For Olga only');
    expect(await world.statusOf(id)).toBe('ok');
    await disconnect(id);
  });
});
