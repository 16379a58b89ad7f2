import { afterEach, beforeEach, expect, test } from 'vitest';
import { FakeNextcloud } from '../../../fakes/nextcloud/fake-nextcloud.ts';
import type { FakeNcUser } from '../../../fakes/nextcloud/world/fake-nc-user.ts';
import { OcsPerson } from './ocs-person.ts';

let nextcloud: FakeNextcloud;
let ada: FakeNcUser;
let bob: FakeNcUser;
let person: OcsPerson;

beforeEach(async () => {
  nextcloud = await FakeNextcloud.start();
  ada = nextcloud.user('ada', 'Ada');
  bob = nextcloud.user('bob', 'Bob');
  person = new OcsPerson(nextcloud, bob);
});

afterEach(() => nextcloud.stop());

function dav(method: string, path: string, body?: Buffer, headers: Readonly<Record<string, string>> = {}) {
  return fetch(`${nextcloud.url}/remote.php/dav/files/${path}`, {
    method,
    headers: { Authorization: person.authorization, ...headers },
    ...(body && { body: Uint8Array.from(body) }),
  });
}

async function share(body: object) {
  const response = await fetch(`${nextcloud.url}/ocs/v2.php/apps/files_sharing/api/v1/shares`, {
    method: 'POST',
    headers: {
      Authorization: person.authorization,
      'OCS-APIRequest': 'true',
      'Content-Type': 'application/json',
    },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

test('files are put, fetched and deleted', async () => {
  expect((await dav('PUT', 'bob/Talk/a.png', Buffer.from('abc'))).status).toBe(409);
  expect((await dav('MKCOL', 'bob/Talk')).status).toBe(201);
  expect((await dav('MKCOL', 'bob/Talk')).status).toBe(405);
  const put = await dav('PUT', 'bob/Talk/a%20b.png', Buffer.from('abc'), { 'Content-Type': 'text/plain' });
  expect(put.status).toBe(201);
  expect((await dav('PUT', 'bob/Talk/a%20b.png', Buffer.from('abcd'))).status).toBe(204);
  expect((await dav('PUT', 'bob/Talk/a%20b.png', Buffer.from('x'), { 'If-None-Match': '*' })).status).toBe(
    412,
  );
  const got = await dav('GET', 'bob/Talk/a%20b.png');
  expect([got.headers.get('content-type'), await got.text()]).toEqual(['image/png', 'abcd']);
  expect((await dav('DELETE', 'bob/Talk/a%20b.png')).status).toBe(204);
  const gone = await dav('GET', 'bob/Talk/a%20b.png');
  expect(gone.status).toBe(404);
  expect(await gone.text()).toContain('Sabre\\DAV\\Exception\\NotFound');
});

test('files of others are not found, and nobody comes in without a login', async () => {
  ada.files.folders.add('x');
  expect((await dav('PROPFIND', 'ada/x')).status).toBe(404);
  const answer = await fetch(`${nextcloud.url}/remote.php/dav/files/bob/`, { method: 'PROPFIND' });
  expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([
    401,
    'Basic realm="Nextcloud", charset="UTF-8"',
  ]);
});

test('a share with a conversation makes a message, and is mounted for its members', async () => {
  const room = nextcloud.room({ kind: 'group', name: 'Team', members: [bob, ada] });
  await dav('PUT', 'bob/a.txt', Buffer.from('abc'));
  const talkMetaData = JSON.stringify({ caption: 'look, @ada' });
  const body = { path: '/a.txt', shareType: 10, shareWith: room.token, referenceId: 'ref', talkMetaData };
  expect(await share(body)).toMatchObject({
    status: 200,
    body: { ocs: { data: { share_type: 10, path: '/a.txt' } } },
  });
  const { data } = await new OcsPerson(nextcloud, ada).ask(
    'GET',
    `api/v1/chat/${room.token}?lookIntoFuture=0&limit=1`,
  );
  expect(data).toMatchObject([
    {
      message: 'look, {mention-user1}',
      messageType: 'comment',
      systemMessage: '',
      referenceId: 'ref',
      messageParameters: {
        file: { type: 'file', name: 'a.txt', size: '3', path: 'Talk/a.txt', mimetype: 'text/plain' },
      },
    },
  ]);
  expect(ada.files.files.get('Talk/a.txt')?.bytes.toString()).toBe('abc');
  expect((await share(body)).status).toBe(403);
  expect((await share({ ...body, path: '/none' })).status).toBe(404);
  expect((await share({ ...body, shareWith: 'nowhere' })).status).toBe(404);
  room.delete(bob, data[0].id);
  expect(ada.files.files.size).toBe(0);
  expect(nextcloud.mistakes).toEqual([]);
});

test('what a person shares has a path of its own for each member, and for those who come later', () => {
  const eve = nextcloud.user('eve');
  const room = nextcloud.room({ kind: 'group', name: 'Team', members: [ada, bob] });
  const file = { name: 'a.txt', mime: 'text/plain', bytes: Buffer.from('abc') };
  room.write(ada, '', { file });
  room.write(ada, '', { file });
  room.add(eve);
  expect([...bob.files.files.keys()]).toEqual(['Talk/a.txt', 'Talk/a (2).txt']);
  expect(eve.files.files.size).toBe(2);
});
