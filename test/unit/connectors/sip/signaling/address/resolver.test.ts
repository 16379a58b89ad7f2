import { describe, expect, it } from 'vitest';
import type { Dns } from '../../../../../../src/connectors/sip/signaling/address/dns.ts';
import { orderByWeight, Resolver } from '../../../../../../src/connectors/sip/signaling/address/resolver.ts';
import { ManualClock } from '../../../../../support/manual-clock.ts';
import { FakeDns, naptr, srv as record } from '../fake-dns.ts';

const PBX = { host: 'pbx.example', port: 5_060, protocol: 'udp' } as const;

describe('the resolver', () => {
  it('returns IP addresses unchanged', async () => {
    const dns = new FakeDns();
    const { destinations } = await new Resolver(dns, new ManualClock()).resolve({
      ...PBX,
      host: '[::1]',
      port: 5_070,
    });
    expect(destinations).toEqual([{ protocol: 'udp', host: '::1', port: 5_070, serverName: '[::1]' }]);
    expect(dns.asked).toEqual([]);
  });

  it.each([
    ['udp', 5_060, '_sip._udp.pbx.example'],
    ['tcp', 5_060, '_sip._tcp.pbx.example'],
    ['tls', 5_061, '_sips._tcp.pbx.example'],
  ] as const)('looks up the service over %s', async (protocol, port, name) => {
    const dns = new FakeDns({
      srv: { [name]: [record('b', 20, 0, 5_080), record('a', 10, 0, 5_070)] },
      addresses: { a: ['192.0.2.1'], b: ['192.0.2.2'] },
    });
    const { destinations } = await new Resolver(dns, new ManualClock()).resolve({ ...PBX, protocol, port });
    expect(destinations.map(({ host, port: found }) => `${host}:${found}`)).toEqual([
      '192.0.2.1:5070',
      '192.0.2.2:5080',
    ]);
    expect(destinations[0]?.serverName).toBe('pbx.example');
  });

  it('falls back to addresses, and looks up only those when the port is not the default', async () => {
    const dns = new FakeDns({ addresses: { 'pbx.example': ['192.0.2.1', '192.0.2.2'] } });
    const resolver = new Resolver(dns, new ManualClock());
    expect((await resolver.resolve(PBX)).destinations).toHaveLength(2);
    await resolver.resolve({ ...PBX, port: 5_070 });
    expect(dns.asked).toEqual(['SRV _sip._udp.pbx.example', 'A pbx.example', 'A pbx.example']);
  });

  it('fails when the records say that the service is not offered', async () => {
    const dns = new FakeDns({
      srv: { '_sip._udp.pbx.example': [record('.', 0)] },
      addresses: { 'pbx.example': ['192.0.2.1'] },
    });
    await expect(new Resolver(dns, new ManualClock()).resolve(PBX)).rejects.toThrow('does not offer SIP');
  });

  it('skips servers without an address', async () => {
    const dns = new FakeDns({
      srv: { '_sip._udp.pbx.example': [record('gone', 1), record('a', 2)] },
      addresses: { a: ['192.0.2.1'] },
    });
    expect((await new Resolver(dns, new ManualClock()).resolve(PBX)).destinations).toHaveLength(1);
  });

  it('caches results for as long as the records are valid', async () => {
    const clock = new ManualClock();
    const dns = new FakeDns({ addresses: { 'pbx.example': ['192.0.2.1'] } });
    const resolver = new Resolver(dns, clock);
    await resolver.resolve(PBX);
    clock.advance(59_000);
    await resolver.resolve(PBX);
    expect(dns.asked).toHaveLength(2);
    clock.advance(2_000);
    await resolver.resolve(PBX);
    expect(dns.asked).toHaveLength(4);
  });

  it('keeps the names that were looked up last, however many there are', async () => {
    const hosts = Array.from({ length: 1_025 }, (_, number) => `pbx${number}.example`);
    const dns = new FakeDns({ addresses: Object.fromEntries(hosts.map((host) => [host, ['192.0.2.1']])) });
    const resolver = new Resolver(dns, new ManualClock());
    for (const host of hosts) await resolver.resolve({ ...PBX, host });
    const asked = dns.asked.length;
    await resolver.resolve({ ...PBX, host: hosts.at(-2)! });
    expect(dns.asked).toHaveLength(asked);
  });

  it('looks up once for concurrent requests', async () => {
    const dns = new FakeDns({ addresses: { 'pbx.example': ['192.0.2.1'] } });
    const resolver = new Resolver(dns, new ManualClock());
    await Promise.all([resolver.resolve(PBX), resolver.resolve(PBX), resolver.resolve(PBX)]);
    expect(dns.asked).toHaveLength(2);
  });

  it('uses cached results while the DNS fails, and retries later', async () => {
    const clock = new ManualClock();
    const addresses: Record<string, string[]> = { 'pbx.example': ['192.0.2.1'] };
    const resolver = new Resolver(new FakeDns({ addresses: addresses }), clock);
    await resolver.resolve(PBX);
    delete addresses['pbx.example'];
    clock.advance(61_000);
    expect((await resolver.resolve(PBX)).destinations[0]?.host).toBe('192.0.2.1');
    addresses['pbx.example'] = ['192.0.2.9'];
    clock.advance(31_000);
    expect((await resolver.resolve(PBX)).destinations[0]?.host).toBe('192.0.2.9');
  });

  it('waits at most 8 s', async () => {
    const clock = new ManualClock();
    const silence = (): Promise<never> => new Promise(() => {});
    const never: Dns = { naptr: silence, srv: silence, addresses: silence };
    const found = new Resolver(never, clock).resolve(PBX);
    clock.advance(8_000);
    await expect(found).rejects.toThrow('in time');
  });

  it('chooses by weight within a priority', () => {
    const records = [record('light', 1, 10), record('heavy', 1, 90), record('later', 2, 100)];
    const first = (draw: (below: number) => number) => orderByWeight(records, draw).map(({ name }) => name);
    expect(first(() => 0)).toEqual(['light', 'heavy', 'later']);
    expect(first((below) => below - 1)).toEqual(['heavy', 'light', 'later']);
    let heavy = 0;
    for (let index = 0; index < 1_000; index += 1)
      if (orderByWeight(records)[0]?.name === 'heavy') heavy += 1;
    expect(heavy).toBeGreaterThan(840);
    expect(heavy).toBeLessThan(960);
  });
});

const DOMAIN = { host: 'rooms.example', port: null, protocols: ['tls', 'tcp', 'udp'] } as const;
const ADDRESSES = { a: ['192.0.2.1'], b: ['192.0.2.2'], 'rooms.example': ['192.0.2.9'] };

describe('the servers of a domain', () => {
  async function located(dns: FakeDns, domain: Partial<Parameters<Resolver['locate']>[0]> = {}) {
    const { destinations } = await new Resolver(dns, new ManualClock()).locate({ ...DOMAIN, ...domain });
    expect(destinations.every(({ serverName }) => serverName === 'rooms.example')).toBe(true);
    return destinations.map(({ protocol, host, port }) => `${protocol} ${host}:${port}`);
  }

  it('are those of its services: TLS, then TCP, then UDP', async () => {
    const dns = new FakeDns({
      srv: {
        '_sip._udp.rooms.example': [record('a', 1)],
        '_sip._tcp.rooms.example': [record('b', 1, 0, 5_062)],
        '_sips._tcp.rooms.example': [record('b', 2, 0, 5_061), record('a', 1, 0, 5_071)],
      },
      addresses: ADDRESSES,
    });
    expect(await located(dns)).toEqual([
      'tls 192.0.2.1:5071',
      'tls 192.0.2.2:5061',
      'tcp 192.0.2.2:5062',
      'udp 192.0.2.1:5060',
    ]);
    expect(dns.asked.filter((question) => question === 'A a')).toHaveLength(1);
  });

  it('are only those of the services that it has, also when its name has an address', async () => {
    const dns = new FakeDns({ srv: { '_sip._tcp.rooms.example': [record('a', 1)] }, addresses: ADDRESSES });
    expect(await located(dns)).toEqual(['tcp 192.0.2.1:5060']);
  });

  it('are its addresses, on the default ports, when it has no services', async () => {
    const dns = new FakeDns({ addresses: ADDRESSES });
    expect(await located(dns)).toEqual(['tls 192.0.2.9:5061', 'tcp 192.0.2.9:5060', 'udp 192.0.2.9:5060']);
  });

  it('are its addresses on the port that was dialled', async () => {
    const dns = new FakeDns({ srv: { '_sips._tcp.rooms.example': [record('a', 1)] }, addresses: ADDRESSES });
    expect(await located(dns, { port: 5_080, protocols: ['tcp'] })).toEqual(['tcp 192.0.2.9:5080']);
    expect(dns.asked).toEqual(['A rooms.example']);
  });

  it('are named by NAPTR records, TLS first whatever the domain prefers', async () => {
    const dns = new FakeDns({
      naptr: {
        'rooms.example': [
          naptr('SIP+D2U', '_sip._udp.rooms.example', 10),
          naptr('SIP+D2T', '_sip._tcp.east.example', 20),
          naptr('SIPS+D2T', '_sips._tcp.west.example', 30),
          naptr('E2U+sip', '', 5),
          naptr('SIP+D2S', '_sip._sctp.rooms.example', 1),
        ],
      },
      srv: {
        '_sip._udp.rooms.example': [record('b', 1)],
        '_sip._tcp.east.example': [record('b', 1)],
        '_sips._tcp.west.example': [record('a', 1, 0, 5_061)],
        '_sips._tcp.rooms.example': [record('b', 1)],
      },
      addresses: ADDRESSES,
    });
    expect(await located(dns)).toEqual(['tls 192.0.2.1:5061', 'udp 192.0.2.2:5060', 'tcp 192.0.2.2:5060']);
  });

  it('are those over TLS first, also when the domain has no preference', async () => {
    const dns = new FakeDns({
      naptr: {
        'rooms.example': [
          naptr('SIP+D2T', '_sip._tcp.rooms.example', 0),
          naptr('SIPS+D2T', '_sips._tls.rooms.example', 0),
        ],
      },
      srv: {
        '_sip._tcp.rooms.example': [record('b', 1)],
        '_sips._tls.rooms.example': [record('a', 1, 0, 443)],
      },
      addresses: ADDRESSES,
    });
    expect(await located(dns)).toEqual(['tls 192.0.2.1:443', 'tcp 192.0.2.2:5060']);
  });

  it('are asked for without NAPTR when one transport is named', async () => {
    const dns = new FakeDns({ srv: { '_sips._tcp.rooms.example': [record('a', 1)] }, addresses: ADDRESSES });
    expect(await located(dns, { protocols: ['tls'] })).toEqual(['tls 192.0.2.1:5060']);
    expect(dns.asked).not.toContain('NAPTR rooms.example');
  });

  it('are found after 2 s when nobody answers the question for NAPTR records', async () => {
    const clock = new ManualClock();
    const dns = new FakeDns({ srv: { '_sip._udp.rooms.example': [record('a', 1)] }, addresses: ADDRESSES });
    dns.naptr = () => new Promise(() => {});
    const found = new Resolver(dns, clock).locate(DOMAIN);
    expect(dns.asked).toEqual([]);
    clock.advance(2_000);
    expect((await found).destinations).toHaveLength(1);
  });

  it.each([
    ['a service that is not offered', { '_sips._tcp.rooms.example': [record('.', 0)] }, 'does not offer SIP'],
    ['a server without an address', { '_sips._tcp.rooms.example': [record('gone', 0)] }, 'no address found'],
  ])('are not to be had: %s', async (_what, services, text) => {
    const dns = new FakeDns({ srv: services, addresses: ADDRESSES });
    await expect(new Resolver(dns, new ManualClock()).locate(DOMAIN)).rejects.toThrow(text);
  });
});
