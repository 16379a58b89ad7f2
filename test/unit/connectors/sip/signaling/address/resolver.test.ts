import { describe, expect, it } from 'vitest';
import type { Dns, SrvRecord } from '../../../../../../src/connectors/sip/signaling/address/dns.ts';
import { orderByWeight, Resolver } from '../../../../../../src/connectors/sip/signaling/address/resolver.ts';
import { ManualClock } from '../../../../../support/manual-clock.ts';

class FakeDns implements Dns {
  readonly asked: string[] = [];
  readonly #srv: Record<string, SrvRecord[]>;
  readonly #addresses: Record<string, string[]>;

  constructor(srv: Record<string, SrvRecord[]>, addresses: Record<string, string[]>) {
    this.#srv = srv;
    this.#addresses = addresses;
  }

  async srv(name: string): Promise<SrvRecord[]> {
    this.asked.push(`SRV ${name}`);
    if (this.#srv[name] === undefined) throw new Error('ENODATA');
    return this.#srv[name];
  }

  async addresses(name: string) {
    this.asked.push(`A ${name}`);
    if (this.#addresses[name] === undefined) throw new Error('ENOTFOUND');
    return this.#addresses[name].map((address) => ({ address, ttlS: 60 }));
  }
}

function record(name: string, priority: number, weight = 0, port = 5_060): SrvRecord {
  return { name, priority, weight, port };
}

const PBX = { host: 'pbx.example', port: 5_060, protocol: 'udp' } as const;

describe('the resolver', () => {
  it('returns IP addresses unchanged', async () => {
    const dns = new FakeDns({}, {});
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
    const dns = new FakeDns(
      { [name]: [record('b', 20, 0, 5_080), record('a', 10, 0, 5_070)] },
      { a: ['192.0.2.1'], b: ['192.0.2.2'] },
    );
    const { destinations } = await new Resolver(dns, new ManualClock()).resolve({ ...PBX, protocol, port });
    expect(destinations.map(({ host, port: found }) => `${host}:${found}`)).toEqual([
      '192.0.2.1:5070',
      '192.0.2.2:5080',
    ]);
    expect(destinations[0]?.serverName).toBe('pbx.example');
  });

  it('falls back to addresses, and looks up only those when the port is not the default', async () => {
    const dns = new FakeDns({}, { 'pbx.example': ['192.0.2.1', '192.0.2.2'] });
    const resolver = new Resolver(dns, new ManualClock());
    expect((await resolver.resolve(PBX)).destinations).toHaveLength(2);
    await resolver.resolve({ ...PBX, port: 5_070 });
    expect(dns.asked).toEqual(['SRV _sip._udp.pbx.example', 'A pbx.example', 'A pbx.example']);
  });

  it('fails when the records say that the service is not offered', async () => {
    const dns = new FakeDns({ '_sip._udp.pbx.example': [record('.', 0)] }, { 'pbx.example': ['192.0.2.1'] });
    await expect(new Resolver(dns, new ManualClock()).resolve(PBX)).rejects.toThrow('does not offer SIP');
  });

  it('skips servers without an address', async () => {
    const dns = new FakeDns(
      { '_sip._udp.pbx.example': [record('gone', 1), record('a', 2)] },
      { a: ['192.0.2.1'] },
    );
    expect((await new Resolver(dns, new ManualClock()).resolve(PBX)).destinations).toHaveLength(1);
  });

  it('caches results for as long as the records are valid', async () => {
    const clock = new ManualClock();
    const dns = new FakeDns({}, { 'pbx.example': ['192.0.2.1'] });
    const resolver = new Resolver(dns, clock);
    await resolver.resolve(PBX);
    clock.advance(59_000);
    await resolver.resolve(PBX);
    expect(dns.asked).toHaveLength(2);
    clock.advance(2_000);
    await resolver.resolve(PBX);
    expect(dns.asked).toHaveLength(4);
  });

  it('looks up once for concurrent requests', async () => {
    const dns = new FakeDns({}, { 'pbx.example': ['192.0.2.1'] });
    const resolver = new Resolver(dns, new ManualClock());
    await Promise.all([resolver.resolve(PBX), resolver.resolve(PBX), resolver.resolve(PBX)]);
    expect(dns.asked).toHaveLength(2);
  });

  it('uses cached results while the DNS fails, and retries later', async () => {
    const clock = new ManualClock();
    const addresses: Record<string, string[]> = { 'pbx.example': ['192.0.2.1'] };
    const resolver = new Resolver(new FakeDns({}, addresses), clock);
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
    const never: Dns = { srv: () => new Promise(() => {}), addresses: () => new Promise(() => {}) };
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
