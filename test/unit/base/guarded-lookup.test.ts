import { describe, expect, it } from 'vitest';
import { guardedLookup, isClosedAddress } from '../../../src/base/find-addresses.ts';
import { isPublicAddress } from '../../../src/base/public-address.ts';

const HOSTS: Readonly<Record<string, readonly string[]>> = {
  'both.test': ['8.8.8.8', '2606:4700::1'],
  'inside.test': ['10.0.0.1'],
  'mixed.test': ['8.8.8.8', '127.0.0.1'],
  'none.test': [],
};

const lookup = guardedLookup(async (host) => {
  const addresses = HOSTS[host];
  if (!addresses) throw new Error('no such host');
  return addresses;
}, isPublicAddress);

function look(host: string, all: boolean): Promise<unknown> {
  return new Promise((resolve, reject) => {
    lookup(host, { all }, (error, address, family) => {
      if (error) reject(error);
      else resolve(all ? address : [address, family]);
    });
  });
}

describe('a lookup of a host', () => {
  it('gives one address, or all of them with their families', async () => {
    expect(await look('both.test', false)).toEqual(['8.8.8.8', 4]);
    expect(await look('both.test', true)).toEqual([
      { address: '8.8.8.8', family: 4 },
      { address: '2606:4700::1', family: 6 },
    ]);
  });

  it.each(['inside.test', 'mixed.test'])('gives none of %s, which is not public as a whole', async (host) => {
    await expect(look(host, true)).rejects.toSatisfy(isClosedAddress);
    await expect(look(host, false)).rejects.toSatisfy(isClosedAddress);
  });

  it.each(['none.test', 'unknown.test'])('does not find %s', async (host) => {
    await expect(look(host, true)).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });
});
