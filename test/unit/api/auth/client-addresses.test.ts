import { expect, test } from 'vitest';
import { ClientAddresses, plainAddress } from '../../../../src/api/auth/client-addresses.ts';

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['0000:0000:0000:0000:0000:ffff:c000:0201', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:0db8:0000:0001:0000:0000:0000:00AB', '2001:db8:0:1:0:0:0:ab'],
  ['2001:db8::', '2001:db8:0:0:0:0:0:0'],
  ['::', '0:0:0:0:0:0:0:0'],
  ['::1', '0:0:0:0:0:0:0:1'],
  ['fe80::1%eth0', 'fe80:0:0:0:0:0:0:1'],
  ['192.0.2', ''],
  ['unknown', ''],
  ['[::1]:80', ''],
  ['', ''],
])('%j is normalized to %j', (text, address) => {
  expect(plainAddress(text)).toBe(address);
});

test('forwarded addresses are ignored unless the operator trusts a proxy', () => {
  const believed = new ClientAddresses([]);
  expect(believed.trustsAny).toBe(false);
  expect(believed.of('192.0.2.1', '198.51.100.7')).toBe('192.0.2.1');
});

test.each([
  ['a stranger forges the header', '192.0.2.1', '198.51.100.7', '192.0.2.1'],
  ['a proxy forwards its client', '10.1.2.3', '198.51.100.7', '198.51.100.7'],
  ['a client forges an earlier entry', '10.1.2.3', '203.0.113.9, 198.51.100.7', '198.51.100.7'],
  ['through two proxies', '10.1.2.3', '198.51.100.7, 127.0.0.1', '198.51.100.7'],
  ['a proxy forwards only another proxy', '10.1.2.3', '10.9.9.9', '10.9.9.9'],
  ['a proxy forwards nothing', '10.1.2.3', '', '10.1.2.3'],
  ['a proxy forwards garbage', '10.1.2.3', '198.51.100.7, unknown', '10.1.2.3'],
  ['over IPv6', 'fd00:0000:0000:0000:0000:0000:0000:0001', '2001:db8::5', '2001:db8:0:0:0:0:0:5'],
])('%s', (_what, peer, forwardedFor, address) => {
  const addresses = new ClientAddresses(['127.0.0.1', '10.0.0.0/8', 'fd00::/8']);
  expect(addresses.of(peer, forwardedFor)).toBe(address);
});
