import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { trustedHostsOr } from '../../../src/base/find-addresses.ts';
import { addressesIn } from '../../../src/base/public-address.ts';
import { temporaryDir } from '../store/temporary.ts';

const HOSTS = `
127.0.0.1   localhost runsc
# 10.0.0.9  commented
10.0.0.5    models.lan Models  # the rack
192.168.7.7 models.lan
not-an-ip   broken
`;

function find(allow: readonly string[]) {
  const path = join(temporaryDir(), 'hosts');
  writeFileSync(path, HOSTS);
  return trustedHostsOr(async (host) => [`dns of ${host}`], addressesIn(allow), path);
}

it.each([
  ['localhost', ['127.0.0.0/8'], ['127.0.0.1']],
  ['localhost', ['127.0.0.0/8', '::1'], ['127.0.0.1', '::1']],
  ['runsc', ['127.0.0.1'], ['127.0.0.1']],
  ['models.lan', ['10.0.0.0/8'], ['10.0.0.5']],
  ['models.lan', ['10.0.0.0/8', '192.168.0.0/16'], ['10.0.0.5', '192.168.7.7']],
  ['MODELS', ['10.0.0.0/8'], ['10.0.0.5']],
])('%s is trusted with %j', async (host, allow, found) => {
  expect(await find(allow)(host)).toEqual(found);
});

it.each([
  ['localhost', []],
  ['models.lan', ['127.0.0.0/8']],
  ['commented', ['10.0.0.0/8']],
  ['lan', ['10.0.0.0/8']],
  ['example.com', ['10.0.0.0/8']],
])('%s with %j is left to DNS', async (host, allow) => {
  expect(await find(allow)(host)).toEqual([`dns of ${host}`]);
});
