import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { VendorQuota } from '../../../src/accounts/account/account-quotas.ts';
import { dnsAddresses } from '../../../src/base/find-addresses.ts';
import { publicOr } from '../../../src/base/public-address.ts';
import { ReadingTime } from '../../../src/base/reading-time.ts';
import { systemClock } from '../../../src/base/time.ts';
import { browseProvider } from '../../../src/inline/provider/browse-provider.ts';
import { ModelClients } from '../../../src/inline/turn/model-clients.ts';
import { modelProvider } from '../../../src/models/all-providers.ts';
import { ModelHttp } from '../../../src/models/http/model-http.ts';
import { DnsServer } from '../../support/dns-server.ts';
import { OUTSIDE, zone } from '../../support/hostile-urls.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { waitFor } from '../../support/wait-for.ts';
import { seedAccount, temporaryStore } from '../store/temporary.ts';

async function closedPort(): Promise<number> {
  const server = createServer().listen(0, OUTSIDE);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

it('browsing tells nobody why an endpoint is not reached, nor by how soon it fails', async () => {
  const store = await temporaryStore();
  const { accountId, agentId } = await seedAccount(store, 'a');
  const dns = await DnsServer.start(zone);
  const http = new ModelHttp({
    findAddresses: dnsAddresses([dns.address]),
    isOpen: publicOr([OUTSIDE]),
    clock: systemClock,
    readingTime: new ReadingTime(systemClock),
  });
  onTestFinished(() => {
    http.close();
    dns.stop();
  });
  const clock = new ManualClock();
  const clients = new ModelClients((name, { accountId: owner, ...given }) =>
    modelProvider(name).connect(given, { http: http.of(owner), clock: systemClock, urls: {} }),
  );
  const domain = { store, clock, clients, quota: new VendorQuota(clock) };
  const told = new Set<string>();
  for (const host of [`files.test:${await closedPort()}`, 'nobody.test', 'private.test', '10.1.2.3']) {
    let failure = '';
    const config = { endpoint: `http://${host}/v1`, model: 'm' };
    const browsed = browseProvider(domain, accountId, agentId, { provider: 'custom', config }).catch(
      (error: Error) => {
        failure = error.message;
      },
    );
    // Only the least time is left to wait for; the deadline is later.
    await waitFor('the wait', () => clock.restMs === 1_000);
    expect(failure).toBe('');
    await waitFor('the failure', () => {
      clock.advance(500);
      return failure;
    });
    await browsed;
    told.add(failure);
  }
  expect([...told]).toEqual([expect.stringContaining('its address is not allowed')]);
});
