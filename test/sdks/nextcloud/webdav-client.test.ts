import { expect, it, onTestFinished } from 'vitest';
import { createClient, type FileStat } from 'webdav';
import { FakeNextcloud } from '../../fakes/nextcloud/fake-nextcloud.ts';

/** An independent client of WebDAV as a second one of the fake. */
async function world() {
  const nextcloud = await FakeNextcloud.start();
  onTestFinished(() => nextcloud.stop());
  const ada = nextcloud.user('ada', 'Ada');
  const client = createClient(`${nextcloud.url}/remote.php/dav/files/ada`, {
    username: 'ada',
    password: ada.addAppPassword(),
  });
  return { nextcloud, ada, client };
}

it('puts files into folders, lists them, and gets them back', async () => {
  const { nextcloud, ada, client } = await world();
  await client.createDirectory('/Talk');
  const bytes = Buffer.from('two words');
  expect(await client.putFileContents('/Talk/a b & c.txt', bytes)).toBe(true);
  expect(await client.putFileContents('/Talk/a b & c.txt', bytes, { overwrite: false })).toBe(false);
  const [stat] = (await client.getDirectoryContents('/Talk')) as FileStat[];
  expect(stat).toMatchObject({
    filename: '/Talk/a b & c.txt',
    type: 'file',
    size: bytes.length,
    mime: 'text/plain',
  });
  expect(stat?.etag).toMatch(/^[0-9a-f]{32}$/);
  expect(await client.getFileContents('/Talk/a b & c.txt')).toEqual(bytes);
  expect(await client.stat('/')).toMatchObject({ type: 'directory' });
  await client.deleteFile('/Talk/a b & c.txt');
  expect(await client.exists('/Talk/a b & c.txt')).toBe(false);
  expect(ada.files.files.size).toBe(0);
  expect(nextcloud.mistakes).toEqual([]);
});

it('gets a file that another person shared with a conversation', async () => {
  const { nextcloud, ada, client } = await world();
  const bob = nextcloud.user('bob', 'Bob');
  const room = nextcloud.room({ kind: 'group', name: 'Team', members: [bob, ada] });
  room.write(bob, 'look', {
    file: { name: 'a.bin', mime: 'application/x-own', bytes: Buffer.from([0, 255, 1]) },
  });
  expect(await client.getFileContents('/Talk/a.bin')).toEqual(Buffer.from([0, 255, 1]));
});

it('is told what went wrong', async () => {
  const { nextcloud, client } = await world();
  await expect(client.getFileContents('/none')).rejects.toThrow('404');
  await expect(client.putFileContents('/none/a', 'x')).rejects.toThrow('409');
  const stranger = createClient(`${nextcloud.url}/remote.php/dav/files/ada`, {
    username: 'ada',
    password: 'no',
  });
  await expect(stranger.getDirectoryContents('/')).rejects.toThrow('401');
});
