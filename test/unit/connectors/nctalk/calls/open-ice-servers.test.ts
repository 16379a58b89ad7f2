import { expect, it } from 'vitest';
import { publicOr } from '../../../../../src/base/public-address.ts';
import { openIceServers } from '../../../../../src/connectors/nctalk/calls/open-ice-servers.ts';

const LOGIN = { username: 'u', credential: 'p' };
const ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  'turn.example': ['9.9.9.9', '2606:4700::1111'],
  'inside.example': ['10.0.0.1'],
  'both.example': ['9.9.9.9', '127.0.0.1'],
  'six.example': ['2606:4700::1111'],
  turn: ['9.9.9.8'],
};

let asked: string[] = [];

async function opened(urls: readonly string[], allowed: readonly string[] = []) {
  asked = [];
  const findAddresses = async (host: string) => {
    asked.push(host);
    return ADDRESSES[host] ?? [];
  };
  const servers = await openIceServers([{ urls, ...LOGIN }], { findAddresses, isOpen: publicOr(allowed) });
  for (const server of servers) expect(server).toMatchObject(LOGIN);
  return servers.map((server) => [...server.urls, server.serverName]);
}

it('names each server by its address, and finds it once', async () => {
  const urls = ['turn:turn.example:80?transport=tcp', 'turns:turn.example', 'stun:9.9.9.9', 'turn:turn:1'];
  expect(await opened(urls)).toEqual([
    ['turn:9.9.9.9:80?transport=tcp', 'turn.example'],
    ['turns:9.9.9.9', 'turn.example'],
    ['stun:9.9.9.9', undefined],
    ['turn:9.9.9.8:1', 'turn'],
  ]);
  expect(asked).toEqual(['turn.example', 'turn']);
});

it.each([
  'stun:127.0.0.1',
  'turn:169.254.169.254:80?transport=tcp',
  'turn:10.0.0.1:6379?transport=tcp',
  'turns:inside.example:443',
  'turn:both.example',
  'turn:six.example',
  'turn:nobody.example',
  'turn:0x7f000001',
  'turn:2130706433:22?transport=tcp',
  'turn:127.1:22?transport=tcp',
  'turn:localhost:22?transport=tcp',
  'http://10.0.0.1/',
])('leaves out %s', async (url) => {
  expect(await opened([url])).toEqual([]);
});

it('takes servers of the network that the operator has opened', async () => {
  expect(await opened(['turn:10.0.0.1', 'turn:inside.example', 'turn:10.0.1.1'], ['10.0.0.0/24'])).toEqual([
    ['turn:10.0.0.1', undefined],
    ['turn:10.0.0.1', 'inside.example'],
  ]);
});

it('looks at a few', async () => {
  expect(await opened(Array.from({ length: 1_000 }, (_, each) => `turn:h${each}.example`))).toEqual([]);
  expect(asked).toHaveLength(16);
});
