import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FakeNextcloud } from '../../../fakes/nextcloud/fake-nextcloud.ts';
import type { FakeNcUser } from '../../../fakes/nextcloud/world/fake-nc-user.ts';
import type { FakeRoom } from '../../../fakes/nextcloud/world/fake-room.ts';
import { OcsPerson } from './ocs-person.ts';

let nextcloud: FakeNextcloud;
let ada: FakeNcUser;
let bob: FakeNcUser;
let room: FakeRoom;
let client: OcsPerson;

beforeEach(async () => {
  nextcloud = await FakeNextcloud.start();
  ada = nextcloud.user('ada', 'Ada Lovelace');
  bob = nextcloud.user('bob', 'Bob');
  room = nextcloud.room({ kind: 'group', name: 'Team', members: [ada, bob] });
  client = new OcsPerson(nextcloud, bob);
});

afterEach(() => nextcloud.stop());

describe('logins', () => {
  test('a wrong password is refused as Nextcloud does, and many are throttled', async () => {
    const wrong = () =>
      fetch(`${nextcloud.url}/ocs/v2.php/cloud/user`, {
        headers: { Authorization: `Basic ${btoa('bob:no')}`, 'OCS-APIRequest': 'true' },
      });
    const refused = await wrong();
    expect(refused.status).toBe(401);
    expect(await refused.json()).toEqual({
      ocs: {
        meta: { status: 'failure', statuscode: 997, message: 'Current user is not logged in' },
        data: [],
      },
    });
    nextcloud.guard.failures = nextcloud.guard.mostFailures;
    expect((await wrong()).status).toBe(429);
    expect(nextcloud.mistakes).toEqual([]);
  });

  test('a request without the header of OCS is a mistake', async () => {
    const answer = await fetch(`${nextcloud.url}/ocs/v2.php/apps/spreed/api/v4/room`, {
      headers: { Authorization: client.authorization },
    });
    expect(answer.status).toBe(412);
    expect(await answer.json()).toEqual({ message: 'CSRF check failed' });
    expect(nextcloud.mistakes).toHaveLength(1);
  });

  test('in maintenance mode nothing is done', async () => {
    nextcloud.policy.isInMaintenance = true;
    const { status, meta } = await client.ask('GET', 'api/v4/room');
    expect([status, meta.message]).toEqual([503, 'Service unavailable']);
  });
});

describe('messages', () => {
  test('come in order from a known one, with mentions as parameters', async () => {
    const first = room.write(ada, 'hello @bob');
    const second = room.write(ada, 'again', { replyTo: first });
    const { status, data, headers } = await client.ask(
      'GET',
      `api/v1/chat/${room.token}?lookIntoFuture=1&timeout=0&lastKnownMessageId=${first - 1}`,
    );
    expect(status).toBe(200);
    expect(data).toMatchObject([
      {
        id: first,
        actorType: 'users',
        actorId: 'ada',
        message: 'hello {mention-user1}',
        messageParameters: { 'mention-user1': { type: 'user', id: 'bob', name: 'Bob' } },
        systemMessage: '',
        markdown: true,
      },
      { id: second, message: 'again', messageParameters: [], parent: { id: first } },
    ]);
    expect(headers.get('x-chat-last-given')).toBe(`${second}`);
    const empty = await client.ask(
      'GET',
      `api/v1/chat/${room.token}?lookIntoFuture=1&timeout=0&lastKnownMessageId=${second}`,
    );
    expect(empty.status).toBe(304);
  });

  test('end a long poll', async () => {
    const known = room.messages.at(-1)!.id;
    const waiting = client.ask(
      'GET',
      `api/v1/chat/${room.token}?lookIntoFuture=1&lastKnownMessageId=${known}`,
    );
    const id = room.write(ada, 'now');
    expect((await waiting).data).toMatchObject([{ id, message: 'now' }]);
  });

  test('are sent, edited and deleted, and Talk tells of it without counting it as activity', async () => {
    const sent = await client.ask('POST', `api/v1/chat/${room.token}`, { message: 'one', referenceId: 'r1' });
    expect(sent).toMatchObject({ status: 201, data: { message: 'one', referenceId: 'r1', actorId: 'bob' } });
    const edited = await client.ask('PUT', `api/v1/chat/${room.token}/${sent.data.id}`, { message: 'two' });
    expect(edited.data).toMatchObject({ systemMessage: 'message_edited', parent: { message: 'two' } });
    const deleted = await client.ask('DELETE', `api/v1/chat/${room.token}/${sent.data.id}`);
    expect(deleted.data).toMatchObject({
      systemMessage: 'message_deleted',
      parent: { messageType: 'comment_deleted', deleted: true, message: 'Message deleted by you' },
    });
    expect(room.chat.lastActivity).toBe(sent.data.timestamp);
  });

  test('of 32,000 characters are sent, longer ones refused', async () => {
    const send = (message: string) => client.ask('POST', `api/v1/chat/${room.token}`, { message });
    expect((await send('🙂'.repeat(32_000))).status).toBe(201);
    expect(await send('🙂'.repeat(32_001))).toMatchObject({ status: 413, data: { error: 'message' } });
    expect(await send('  ')).toMatchObject({ status: 400, data: { error: 'message' } });
  });

  test('carry reactions, which are messages too', async () => {
    const id = room.write(ada, 'good?');
    const path = `api/v1/reaction/${room.token}/${id}`;
    expect((await client.ask('POST', path, { reaction: '👍' })).status).toBe(201);
    expect((await client.ask('POST', path, { reaction: '👍' })).status).toBe(200);
    expect((await client.ask('POST', path, { reaction: 'no' })).status).toBe(400);
    const { data } = await client.ask(
      'GET',
      `api/v1/chat/${room.token}?lookIntoFuture=1&timeout=0&lastKnownMessageId=${id - 1}`,
    );
    expect(data).toMatchObject([
      { id, reactions: { '👍': 1 }, reactionsSelf: ['👍'] },
      { messageType: 'system', systemMessage: 'reaction', message: '👍', parent: { id } },
    ]);
    await client.ask('DELETE', path, { reaction: '👍' });
    expect(room.messages.slice(-2).map(({ verb, system }) => system ?? verb)).toEqual([
      'reaction_deleted',
      'reaction_revoked',
    ]);
  });

  test('with an unknown field are a mistake', async () => {
    const { status } = await client.ask('POST', `api/v1/chat/${room.token}`, { message: 'x', text: 'y' });
    expect(status).toBe(400);
    expect(nextcloud.mistakes[0]).toContain('Unrecognized key');
  });
});

describe('conversations', () => {
  test('with one user are made once', async () => {
    const body = { roomType: 1, invite: 'ada' };
    const made = await client.ask('POST', 'api/v4/room', body);
    const again = await client.ask('POST', 'api/v4/room', body);
    expect([made.status, again.status]).toEqual([201, 200]);
    expect(again.data).toMatchObject({
      token: made.data.token,
      name: 'ada',
      displayName: 'Ada Lovelace',
      type: 1,
    });
  });

  test('are listed when something was written since', async () => {
    const all = await client.ask('GET', 'api/v4/room');
    expect(all.data).toMatchObject([{ token: room.token, displayName: 'Team' }]);
    room.chat.lastActivity -= 10;
    const since = all.headers.get('x-nextcloud-talk-modified-before');
    expect((await client.ask('GET', `api/v4/room?modifiedSince=${since}`)).data).toEqual([]);
  });

  test('have sessions that are tied to cookies', async () => {
    const joined = await client.ask('POST', `api/v4/room/${room.token}/participants/active`, { force: true });
    expect((await client.ask('GET', `api/v4/room/${room.token}`)).data.sessionId).toBe(joined.data.sessionId);
    const stranger = new OcsPerson(nextcloud, bob);
    expect((await stranger.ask('GET', `api/v4/room/${room.token}`)).data.sessionId).toBe('0');
  });

  test('with a lobby keep people out who are no moderators', async () => {
    room.changeLobby(true);
    expect((await client.ask('GET', `api/v1/chat/${room.token}?lookIntoFuture=0`)).status).toBe(412);
    expect((await client.ask('GET', `api/v4/room/${room.token}`)).data).toMatchObject({
      lobbyState: 1,
      lastMessage: [],
    });
    const owner = new OcsPerson(nextcloud, ada);
    expect((await owner.ask('GET', `api/v1/chat/${room.token}?lookIntoFuture=0`)).status).toBe(200);
  });

  test('that a user is not in are not found', async () => {
    room.remove(bob);
    expect((await client.ask('GET', `api/v4/room/${room.token}`)).status).toBe(404);
  });
});

test('faults', async () => {
  nextcloud.fail('chat.send', { kind: 'throttle', retryAfterS: 3 }, { kind: 'drop', isDone: true });
  const send = () => client.ask('POST', `api/v1/chat/${room.token}`, { message: 'x' });
  const throttled = await send();
  expect([throttled.status, throttled.headers.get('retry-after')]).toEqual([429, '3']);
  await expect(send()).rejects.toThrow();
  expect(room.writtenBy(bob)).toHaveLength(1);
});
